/** Wakes the other processes of the installation; delivered at the commit of the transaction. */
import type { Db } from './connection.ts';

/**
 * `jobs`: something is due. `calls`: a job that calls out is due. `packets`: tenants whose entities reported.
 * `presence`: a tenant, a work unit of it and the page that shows it. The others have ids of changed rows, separated by
 * commas; empty means check everything.
 */
export type Channel =
  | 'jobs'
  | 'calls'
  | 'rules'
  | 'maintenance'
  | 'devices'
  | 'people'
  | 'tokens'
  | 'revoked'
  | 'signing-keys'
  | 'packets'
  | 'presence';

const payloadBytes = 7_900;

export function notify(db: Db, channel: Channel, ids: readonly string[] = []): Promise<void> {
  const payload = ids.join(',');
  return db.defer({ name: 'notify', text: 'select pg_notify($1, $2)', values: [channel, payload.length > payloadBytes ? '' : payload] });
}
