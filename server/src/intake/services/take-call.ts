/** Takes a call of a service at the address of its subscription: checks it by its signature, and does what it says in its own tenant. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { serviceCallPath, type LinkingService, type ServiceName } from '@cloudfit/contract/events/services.ts';
import { eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import type { Logger } from 'pino';
import type { MasterKey, SealedKey } from '../../auth/master-key.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { eventSecretPurpose, type TenantSecrets } from '../../auth/tenant-secrets.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { changed } from '../../db/changed.ts';
import type { IncomingCall } from '../../automation/services/read-call.ts';
import type { CallService } from '../../automation/services/service.ts';
import { services } from '../../automation/services/services.ts';
import { takeChat } from './take-chat.ts';
import { takeTicket } from './take-ticket.ts';
import { openCalls, type ServiceEgress } from '../../automation/services/tell-service.ts';

export interface ServiceIntake {
  database: Database;
  masterKey: MasterKey;
  secrets: TenantSecrets;
  http: ServiceEgress['http'];
  publicUrl: string;
}

/** A subscription as its calls need it. */
interface CalledSubscription {
  eventSubscriptionId: string;
  tenantId: string | null;
  name: string;
  service: ServiceName;
  address: string;
  place: string | null;
  tokenSecret: string | null;
  signingSecret: string | null;
  enabled: boolean;
  tenantEnabled: boolean | null;
  reopens: boolean;
  secret: SealedKey;
  previous: SealedKey | null;
}

type LinkedSubscription = CalledSubscription & { tenantId: string; service: LinkingService };

const read = `select s.event_subscription_id as "eventSubscriptionId", s.tenant_id as "tenantId", s.name, s.service, s.address, s.place, s.token_secret as "tokenSecret",
  s.signing_secret as "signingSecret", s.enabled, t.enabled as "tenantEnabled", s.reopens, s.secret, case when s.previous_until > now() then s.previous_secret end as previous
from event_subscription s left join tenant t on t.tenant_id = s.tenant_id where s.event_subscription_id = $1`;

// Once a minute, so that a busy service writes no row for each call.
const called = `with s as (
  update event_subscription set last_call = now() where event_subscription_id = $1 and (last_call is null or last_call < now() - interval '1 minute')
  returning tenant_id, event_subscription_id
)
${changed(eventSubscriptions, 'update', 's', '$2')}`;

const isLinked = (row: CalledSubscription): row is LinkedSubscription => row.tenantId !== null && row.service !== 'CloudEvents';

/** Returns the answer to the service; throws what it is refused for. */
export async function takeCall(
  { database, masterKey, secrets, http, publicUrl }: ServiceIntake,
  id: string,
  call: IncomingCall,
  at: { log: Logger; correlationId: string; admit: () => void },
): Promise<object> {
  const db = database.scoped('all');
  const [row] = await db.query<CalledSubscription>({ name: 'called-subscription', text: read, values: [id] });
  const entry = row && isLinked(row) ? services[row.service] : undefined;
  // The same answer for an unknown address, so that nobody learns which there are.
  if (!row || !isLinked(row) || !entry?.read)
    throw new ApiError('Unauthorized', 'No subscription takes calls at this address. Copy the address from the page Event Subscriptions.');
  const { tenantId, signingSecret } = row;
  const keys = [row.secret, ...(row.previous ? [row.previous] : [])].map((sealed) => masterKey.open(sealed, eventSecretPurpose(id)));
  const signing = signingSecret === null ? undefined : (await secrets.latest(db, tenantId, [signingSecret])).get(signingSecret)?.value;
  const result = entry.read(call, { eventSubscriptionId: id, place: row.place ?? '', address: row.address, secrets: keys, signing });
  if (result.kind === 'refused') throw new ApiError('Unauthorized', result.message);
  if (result.kind === 'malformed') throw new ApiError('InvalidBody', result.message);
  at.admit();
  if (!row.tenantEnabled) throw new ApiError('Forbidden', 'The tenant of this subscription is disabled.');
  if (!row.enabled) throw new ApiError('Forbidden', 'This subscription is disabled. Enable it on the page Event Subscriptions.');
  await db.query({ name: 'subscription-called', text: called, values: [id, at.correlationId] });
  if (result.kind === 'answer') return result.body;
  const ctxAs = (name: string): Ctx =>
    systemCtx({
      database,
      log: at.log,
      name: `${name} (${row.service})`.slice(0, 200),
      tenants: [tenantId],
      correlationId: at.correlationId,
    });
  if (result.kind === 'ticket') return await takeTicket(ctxAs(result.by), row, result);
  if (!entry.chat) throw new ApiError('InvalidBody', `${row.service} sends no such calls.`);
  const system = ctxAs('Chat');
  const { service, chat } = entry;
  let opened: ReturnType<typeof openCalls> | undefined;
  // The token is read, which the audit notes, only when something is asked there.
  const ask: CallService = async (request) =>
    (await (opened ??= openCalls(system, { http, secrets }, service, { ...row, eventId: at.correlationId }))).call(request);
  return await takeChat(system, database, { ...row, chat, call: ask, callUrl: `${publicUrl}${serviceCallPath(id)}`, publicUrl }, result);
}
