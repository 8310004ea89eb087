/** The standby of DATABASE_READ_URL: watches how far it is, and whether it may be read. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import pg from 'pg';
import { StartError } from '../../platform/start-error.ts';
import { openDatabase, serverAnswerMs, type Database } from '../connection.ts';
import { unreachable } from '../errors.ts';
import { checkStandby, whichSystem } from './check-standby.ts';
import { positionOf, primaryPosition } from './log-position.ts';
import type { Standby, StandbyState } from './readable.ts';

/** Milliseconds between two questions to the standby. With `answersWithinMs` it is given up within a second. */
const everyMs = 250;
const answersWithinMs = 600;
/** A reader waits this long for a standby that does not have what it must read. */
const waitsMs = 200;
const pauseMs = 5;
/** A reader who gets no connection to the standby by then reads from the primary. */
const connectsMs = 1_000;
const reconnectsMs = 500;
/** Somebody has to change something before it can be read, so it is not tried all the time. */
const refusedMs = 10_000;
/** A standby that was behind is read again when it is at most this far behind, and then has what was announced meanwhile. */
const nearMs = 1_000;
const maxSamples = 10_000;

interface StandbyOptions {
  url: string;
  /** Maximum number of connections. */
  max: number;
  /** How far behind it may be. */
  maxLagMs: number;
  primary: Pick<Database, 'scoped'>;
  log: Logger;
}

/** A sample of the primary: where its log was at a time of this process. */
interface LogSample {
  at: number;
  position: bigint;
}

/** One connection to watch, and those to read. */
interface Connected {
  watch: pg.Client;
  database: Database;
}

/**
 * - `away`: there is no connection, or no standby.
 * - `behind`: it is too far behind. Readers are at the primary, and hear of changes at once.
 * - `returning`: readers are at the primary, but changes are announced when the standby has them, so that it has all that readers have heard
 *   of once it has reached `returnsAt`.
 * - `read`: readers are at the standby, and hear of changes when the standby has them.
 */
type StandbyPhase = 'away' | 'behind' | 'returning' | 'read';

/** Starts to watch the standby. It is read as soon as it is there and has caught up. */
export function openStandby({ url, max, maxLagMs, primary, log }: StandbyOptions): Standby {
  const db = primary.scoped('all');
  let phase: StandbyPhase = 'away';
  let connected: Connected | undefined;
  let refusal: string | undefined;
  let isPrimary = false;
  let replayed = 0n;
  let returnsAt: bigint | undefined;
  /** A position that was waited for in vain: nobody waits again until the standby has reached it. */
  let missed: bigint | undefined;
  const samples: LogSample[] = [];
  const underWay = new Set<(error: Error) => void>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;
  let sampling: Promise<void> | undefined;

  function enter(next: StandbyPhase): void {
    if (phase === next) return;
    const wasRead = phase === 'read';
    phase = next;
    if (next === 'read') log.info('Lists and reports are read from the standby.');
    else if (wasRead && !isClosed) log.warn({ standby: state() }, 'The standby is not read for now; the primary answers instead.');
  }

  const lagMs = (): number => (samples[0] ? performance.now() - samples[0].at : 0);

  function state(): StandbyState {
    const reads = phase === 'read';
    return {
      isRead: reads,
      problem: reads ? null : refusal !== undefined ? 'refused' : isPrimary ? 'noStandby' : phase === 'away' ? 'lost' : 'behind',
      reason: refusal ?? null,
      lagSeconds: phase === 'away' ? null : lagMs() / 1_000,
    };
  }

  function leave(next: Connected): void {
    if (connected !== next) return;
    connected = undefined;
    enter('away');
    samples.length = 0;
    missed = undefined;
    for (const give of underWay) give(unreachable());
    next.watch.connection.stream.destroy();
    // Its connections may never answer again.
    void next.database.close().catch(() => undefined);
    schedule(reconnectsMs);
  }

  /** Asks the standby where it is; questions at the same time are one. */
  function ask(): Promise<void> {
    const current = connected;
    if (!current) return Promise.resolve();
    asking ??= (async () => {
      try {
        const { rows } = await current.watch.query<{ standby: boolean; position: string | null }>(
          'select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as position',
        );
        judge(rows[0]?.standby === true, positionOf(rows[0]?.position ?? '0/0'));
      } catch {
        leave(current);
      } finally {
        asking = undefined;
      }
    })();
    return asking;
  }

  function judge(isStandby: boolean, position: bigint): void {
    isPrimary = !isStandby;
    // One that was promoted is the primary, or would answer what nobody writes any more.
    if (!isStandby) return enter('behind');
    replayed = position;
    if (missed !== undefined && replayed >= missed) missed = undefined;
    while (samples[0] && samples[0].position <= replayed) samples.shift();
    if (lagMs() > maxLagMs) enter('behind');
    else if (phase === 'behind' && lagMs() <= Math.min(nearMs, maxLagMs)) {
      returnsAt = undefined;
      enter('returning');
    } else if (phase === 'returning' && returnsAt !== undefined && replayed >= returnsAt) enter('read');
  }

  /** Asks the primary where it is. */
  function sample(): Promise<void> {
    const at = performance.now();
    const wasReturning = phase === 'returning';
    sampling ??= primaryPosition(db)
      .then((position) => {
        const last = samples.at(-1);
        // Another primary has the place of a lost one, and its log may be shorter.
        if (last && position < last.position) {
          samples.length = 0;
          if (phase !== 'away') enter('behind');
        }
        if (wasReturning && phase === 'returning') returnsAt ??= position;
        if (position > replayed && position !== last?.position && samples.length < maxSamples) samples.push({ at, position });
      })
      .catch(() => undefined)
      .finally(() => (sampling = undefined));
    return sampling;
  }

  async function connect(): Promise<void> {
    const [row] = await db.query<{ system: string | null }>({ text: whichSystem });
    await checkStandby(url, row?.system ?? '');
    const watch = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: answersWithinMs,
      query_timeout: answersWithinMs,
      keepAlive: true,
      application_name: 'cloudfit watch',
    });
    watch.on('error', () => undefined);
    await watch.connect();
    if (isClosed) return watch.end();
    const database = openDatabase({
      url,
      max,
      answerMs: serverAnswerMs,
      connectMs: connectsMs,
      name: 'cloudfit reads',
      onError: () => undefined,
    });
    const next = { watch, database };
    connected = next;
    watch.once('end', () => leave(next));
    enter('behind');
  }

  function schedule(afterMs: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void turn(), afterMs);
  }

  async function turn(): Promise<void> {
    if (!connected) {
      try {
        await connect();
        refusal = undefined;
      } catch (error) {
        const refused = error instanceof StartError ? error.message : undefined;
        if (refused !== undefined && refused !== refusal) log.error(`The standby is not read: ${refused}`);
        refusal = refused;
        return schedule(refused === undefined ? reconnectsMs : refusedMs);
      }
    }
    void sample();
    await ask();
    if (connected) schedule(everyMs);
  }

  async function reaches(position: bigint): Promise<boolean> {
    if (replayed >= position) return true;
    if (missed !== undefined) return false;
    for (const end = performance.now() + waitsMs; connected && performance.now() < end; await sleep(pauseMs)) {
      await ask();
      if (replayed >= position) return true;
    }
    if (connected) missed ??= position;
    return false;
  }

  async function caughtUp(): Promise<void> {
    const announcesLate = (): boolean => !isClosed && (phase === 'read' || phase === 'returning');
    if (!announcesLate()) return;
    const position = await primaryPosition(db).catch(() => undefined);
    if (position === undefined) return;
    while (announcesLate() && replayed < position) {
      await ask();
      if (replayed < position) await sleep(pauseMs);
    }
  }

  async function run<T>(work: (database: Pick<Database, 'scoped'>) => Promise<T>): Promise<T> {
    if (phase !== 'read' || !connected) throw unreachable();
    let give: (error: Error) => void = () => undefined;
    const lost = new Promise<never>((_resolve, reject) => (give = reject));
    lost.catch(() => undefined);
    underWay.add(give);
    const working = work(connected.database);
    // After a loss nobody waits for it.
    working.catch(() => undefined);
    try {
      return await Promise.race([working, lost]);
    } finally {
      underWay.delete(give);
    }
  }

  schedule(0);
  return {
    isRead: () => phase === 'read',
    run,
    reaches,
    caughtUp,
    state,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      if (!connected) return;
      const { watch, database } = connected;
      connected = undefined;
      enter('away');
      watch.connection.stream.destroy();
      await Promise.race([database.close(), sleep(2_000, undefined, { ref: false })]);
    },
  };
}
