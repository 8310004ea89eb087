/** Notifies all processes of the installation; a notification is delivered at the commit of its transaction. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Statement } from './db.ts';

/**
 * The channels and their payloads. `jobs`: a job is due. `calls`: a job that makes outbound calls is due; the payload of both
 * is the process that sent them, or empty. `packets`: tenants whose entities reported. `publishers`: tenants whose trusted
 * publishers or MIBs changed. `presence`: a tenant, one of its work units and the page that shows it. Other channels have the ids of
 * changed rows, separated by commas; an empty payload means that everything must be checked.
 */
export type Channel =
  | 'jobs'
  | 'calls'
  | 'rules'
  | 'maintenance'
  | 'devices'
  | 'publishers'
  | 'people'
  | 'tokens'
  | 'revoked'
  | 'signing-keys'
  | 'packets'
  | 'presence'
  | 'status-pages';

const payloadBytes = 7_900;

/** How much later than the workers of this process those of others are woken: their statements would delay these. */
const headStartMs = 10;

const statementName = 'notify';

function notification(channel: Channel, payload: string): Statement {
  return { name: statementName, text: 'select pg_notify($1, $2)', values: [channel, payload] };
}

export function notify(db: Db, channel: Channel, ids: readonly string[] = []): Promise<void> {
  const payload = ids.join(',');
  return db.defer(notification(channel, payload.length > payloadBytes ? '' : payload));
}

/** Wakes those who wait for jobs. */
export const jobsWakeUp: Statement = notification('jobs', '');

export const isNotification = ({ name }: Statement): boolean => name === statementName;

/** Channels that only announce that something is due: without the announcement, workers notice it within a second. */
const wakeUps: ReadonlySet<unknown> = new Set(['jobs', 'calls'] satisfies Channel[]);

export function isWakeUp(statement: Statement): boolean {
  return isNotification(statement) && wakeUps.has(statement.values?.[0]);
}

/**
 * Returns a function that sends wake-ups outside of transactions, one at a time for each channel; wake-ups that arrive
 * while one is being sent are merged into one. PostgreSQL commits transactions with notifications one after another,
 * each with a separate flush to disk. Their payload is `sender`, because `notifyLocally` notifies this process at once.
 */
export function createWakeUps(options: {
  sender: string;
  send: (statement: Statement) => Promise<unknown>;
  /** Returns whether somebody in this process listens. */
  notifyLocally: (channel: string) => boolean;
  /** Resolves a moment later. */
  later?: () => Promise<unknown>;
}): (statement: Statement) => void {
  const { sender, send, notifyLocally, later = () => sleep(headStartMs) } = options;
  const sending = new Map<string, { again: boolean }>();
  async function sendAll(channel: string, statement: Statement, isListening: boolean): Promise<void> {
    const state = { again: true };
    sending.set(channel, state);
    // What is due may be done before the others have looked.
    if (isListening) await later();
    while (state.again) {
      state.again = false;
      await send({ ...statement, values: [channel, sender] }).catch(() => undefined);
    }
    sending.delete(channel);
  }
  return (statement) => {
    const channel = String(statement.values?.[0]);
    const isListening = notifyLocally(channel);
    const current = sending.get(channel);
    if (current) current.again = true;
    else void sendAll(channel, statement, isListening);
  };
}

/** Merges the notifications about devices of a transaction that changes many of them, such as a thousand, into a few. */
export function mergeNotifications(statements: readonly Statement[]): Statement[] {
  const ids = new Map<string, { first: Statement; all: Set<string> }>();
  const others: Statement[] = [];
  for (const statement of statements) {
    const [channel, payload] = statement.values ?? [];
    if (channel !== ('devices' satisfies Channel) || payload === '') {
      others.push(statement);
      continue;
    }
    const merged = ids.get(channel) ?? { first: statement, all: new Set() };
    for (const id of String(payload).split(',')) merged.all.add(id);
    ids.set(channel, merged);
  }
  const notifications = [...ids].flatMap(([channel, { first, all }]) =>
    payloadsOf([...all]).map((payload) => ({ ...first, values: [channel, payload] })),
  );
  return [...others, ...notifications];
}

function payloadsOf(ids: readonly string[]): string[] {
  const payloads: string[] = [];
  for (const id of ids) {
    const last = payloads.at(-1);
    if (last === undefined || last.length + 1 + id.length > payloadBytes) payloads.push(id);
    else payloads[payloads.length - 1] = `${last},${id}`;
  }
  return payloads;
}
