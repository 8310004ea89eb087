/** One command that runs several processes: it owns the database and the port, and starts what dies again. */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { EmbeddedServer } from '../../db/embedded/embedded.ts';
import { serveMetrics } from '../../http/metrics/serve-metrics.ts';
import type { Config } from '../../platform/config.ts';
import { StartError } from '../../platform/start-error.ts';
import type { App } from '../app.ts';
import { readyDatabase, type DatabaseAddresses } from '../ready-database.ts';
import { createBackOff } from './back-off.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { beatMs, type ToProcess, type ToSupervisor } from './messages.ts';
import { poolOfEach, type PlannedProcess } from './plan.ts';
import { createSupervisorMetrics, type SupervisorMetrics } from './supervisor-metrics.ts';

/** A process that has said nothing for so many beats does not answer its callers either: it is killed, and another takes its place. */
const silentBeats = 20;
/** How long processes may take to finish what they have begun; jobs get 25 s of it. */
const stopMs = 40_000;
/** How long a process may take to tell its figures, before a scrape goes on without them. */
const scrapeMs = 5_000;

interface ProcessPlace {
  plan: PlannedProcess;
  isFirst: boolean;
  /** Undefined between a death and the next start. */
  worker: Worker | undefined;
  isReady: boolean;
  beatsMissed: number;
  startedAt: number;
  /** Milliseconds before the next start. */
  backOff: (livedMs: number) => number;
  timer: NodeJS.Timeout | undefined;
  /** Why the process said that it ends. */
  failure: string | undefined;
}

type Ready = Extract<ToSupervisor, { type: 'ready' }>;

function tell(worker: Worker | undefined, message: ToProcess): void {
  if (worker?.isConnected()) worker.send(message, undefined, {}, () => undefined);
}

/** Starts the processes of the plan, the first of them alone, because it makes what the others find at a first start. */
export async function supervise(
  config: Config,
  log: Logger,
  ownDatabase: Promise<EmbeddedServer | undefined>,
  plan: readonly PlannedProcess[],
): Promise<App> {
  const embedded = await ownDatabase;
  const places = plan.map((planned, i): ProcessPlace => ({
    plan: planned,
    isFirst: i === 0,
    worker: undefined,
    isReady: false,
    beatsMissed: 0,
    startedAt: 0,
    backOff: createBackOff(),
    timer: undefined,
    failure: undefined,
  }));
  const questions = new Map<number, (text: string) => void>();
  let stopping = false;
  let database: DatabaseAddresses | undefined;
  let metrics: SupervisorMetrics | undefined;
  let listening: { stop(): Promise<void> } | undefined;

  /** Starts the process of a place. `onEnd` is called with the reason when it ends before it is ready. */
  function launch(place: ProcessPlace, onReady?: (message: Ready) => void, onEnd?: (reason: string) => void): void {
    const { plan: planned } = place;
    const worker = cluster.fork();
    let ran = false;
    Object.assign(place, { worker, isReady: false, beatsMissed: 0, startedAt: performance.now(), failure: undefined });
    worker.on('message', (message: ToSupervisor) => {
      place.beatsMissed = 0;
      if (message.type === 'hello' && database)
        tell(worker, {
          type: 'start',
          part: { name: planned.name, isFirst: place.isFirst, database },
          settings: { roles: planned.roles, dbPool: poolOfEach(config.dbPool, plan.length) },
        });
      else if (message.type === 'ready') {
        place.isReady = true;
        ran = true;
        onReady?.(message);
      } else if (message.type === 'failed') place.failure = message.message;
      else if (message.type === 'metrics') questions.get(message.question)?.(message.text);
    });
    worker.on('error', (error) => log.error({ err: error, process: planned.name }, 'A process could not be told something.'));
    worker.once('exit', (code, signal) => {
      const reason = place.failure ?? `it ended with ${signal ? `the signal ${signal}` : `code ${code}`}`;
      Object.assign(place, { worker: undefined, isReady: false });
      if (stopping) return;
      if (onEnd && !ran) onEnd(`The process ${planned.name} cannot start: ${reason}`);
      else revive(place, reason);
    });
  }

  function revive(place: ProcessPlace, reason: string): void {
    const delayMs = place.backOff(performance.now() - place.startedAt);
    metrics?.restarted(place.plan.name);
    log.error({ process: place.plan.name, reason, delayMs }, 'A process ended; another one takes its place.');
    place.timer = setTimeout(() => launch(place), delayMs);
  }

  function lookForSilent(): void {
    for (const place of places) {
      if (!place.isReady || ++place.beatsMissed <= silentBeats) continue;
      log.error({ process: place.plan.name }, `A process has not answered for ${(silentBeats * beatMs) / 1_000} s; it is killed.`);
      place.isReady = false;
      place.worker?.process.kill('SIGKILL');
    }
  }

  let question = 0;
  async function ask(place: ProcessPlace, isShared: boolean): Promise<string> {
    const number = question++;
    const answer = Promise.withResolvers<string>();
    questions.set(number, answer.resolve);
    const timer = setTimeout(() => answer.resolve(''), scrapeMs);
    tell(place.worker, { type: 'read-metrics', question: number, isShared });
    const text = await answer.promise;
    clearTimeout(timer);
    questions.delete(number);
    return text;
  }

  async function readMetrics(): Promise<string> {
    const ready = places.filter(({ isReady }) => isReady);
    const texts = await Promise.all(ready.map((place, i) => ask(place, i === 0)));
    const ofSupervisor = await metrics?.read(places.map(({ plan: { name }, isReady }) => ({ name, isReady })));
    return mergeMetrics([ofSupervisor ?? '', ...texts]);
  }

  let watch: NodeJS.Timeout | undefined;

  async function stop(): Promise<void> {
    stopping = true;
    clearInterval(watch);
    for (const { timer } of places) clearTimeout(timer);
    const ends = places.flatMap(({ worker }) => (worker ? [new Promise((done) => worker.once('exit', done))] : []));
    for (const { worker } of places) tell(worker, { type: 'stop' });
    const late = setTimeout(() => {
      for (const { worker } of places) worker?.process.kill('SIGKILL');
    }, stopMs);
    await Promise.all(ends);
    clearTimeout(late);
    await listening?.stop();
    await embedded?.stop();
  }

  const start = (place: ProcessPlace): Promise<Ready> =>
    new Promise((ready, failed) => launch(place, ready, (reason) => failed(new StartError(reason))));

  try {
    const { checked, ...addresses } = await readyDatabase(config, log, embedded);
    await checked;
    database = addresses;
    cluster.setupPrimary({ args: [] });
    const [first, ...others] = places;
    if (!first) throw new Error('There is no process to start.');
    if (config.metricsPort !== undefined) {
      metrics = await createSupervisorMetrics();
      listening = await serveMetrics({ port: config.metricsPort, host: config.metricsHost, read: readMetrics, log });
    }
    const { address, setPasswordLink } = await start(first);
    await Promise.all(others.map(start));
    watch = setInterval(lookForSilent, beatMs);
    return {
      address: address ?? undefined,
      setPasswordLink: setPasswordLink ?? undefined,
      drain() {
        for (const { worker } of places) tell(worker, { type: 'drain' });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
