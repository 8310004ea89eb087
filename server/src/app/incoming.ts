/** What takes calls from outside that have no sign-in: mails, and those of trackers and chats. */
import type { MasterKey } from '../auth/master-key.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import type { Database } from '../db/connection.ts';
import type { ServiceIntake } from '../intake/services/take-call.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import type { Config } from '../platform/config.ts';
import { mailParts } from './mailboxes.ts';

export function incomingParts(config: Config, database: Database, masterKey: MasterKey, onStop: (stop: () => Promise<void>) => void) {
  const mails = mailParts(config, masterKey);
  // Asks a chat who somebody is; a chat waits three seconds for its answer.
  const http = openOutboundHttp({ allow: config.outboundAllow, totalMs: 2_500 });
  onStop(() => http.close());
  const services: ServiceIntake = { database, masterKey, secrets: openTenantSecrets(masterKey), http, publicUrl: config.publicUrl };
  return { mails, parts: { mailTaker: mails.taker, services } };
}
