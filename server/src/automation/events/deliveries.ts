/** Deliveries of events: how one is loaded, claimed and composed. */
import type { ServiceName } from '@cloudfit/contract/events/services.ts';
import type { EventEntity } from '@cloudfit/contract/resources/event-subscriptions.ts';
import type { MasterKey, SealedKey } from '../../auth/master-key.ts';
import type { TenantSecrets } from '../../auth/tenant-secrets.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { HopCounts } from '../../context/hop-count.ts';
import type { Db } from '../../db/db.ts';
import { wakeNext } from '../../features/event-subscriptions/wake.ts';
import type { OutboundHttp } from '../../outbound/http.ts';
import type { AckLinks } from '../../platform/ack-links.ts';
import type { ServiceDelivery } from '../services/tell-service.ts';
import { composeEvent, type RecordedEvent } from './compose-event.ts';

export interface EventParts {
  http: OutboundHttp;
  masterKey: MasterKey;
  hopCounts: HopCounts;
  publicUrl: string;
  /** For services with an API. */
  secrets: TenantSecrets;
  ackLinks: AckLinks;
}

export interface Delivery extends Omit<RecordedEvent, 'filter'>, Omit<ServiceDelivery, 'service'> {
  service: ServiceName;
  status: string;
  attempts: number;
  firstAttempt: string | null;
  body: string | null;
  waitMs: number;
  ownerId: string | null;
  format: string;
  filter: string | null;
  enabled: boolean;
  isPaused: boolean;
  holdMs: number;
  isFailing: boolean;
  deliveredMeanwhile: boolean;
  secret: SealedKey;
  previous: SealedKey | null;
  isEarlierOpen: boolean;
  /** How long ago it happened. */
  ageMs: number;
  batchSize: number;
  batchSeconds: number;
  /** Whether it goes alone, although others go in batches: it may be what its receiver refuses. */
  isAlone: boolean;
}

/**
 * SQL: whether a delivery goes alone. An answer that a body is wrong, or the third failure, may be the fault of one event, which must not
 * hold up or end the others of its batch.
 */
export const goesAlone = `(d.attempts >= 3 or d.attempts > 0 and coalesce(d.answer_status in (400, 409, 413, 422), false))`;

const load = `select d.event_delivery_id as "eventDeliveryId", d.tenant_id as "tenantId", d.event_id as "eventId", d.type, d.deed, d.subject, d.entity_id as "entityId",
  d.changes, d.occurred, d.status, d.attempts, d.first_attempt as "firstAttempt", d.body,
  greatest(0, coalesce(extract(epoch from d.next_attempt - now()), 0) * 1000)::float8 as "waitMs",
  s.event_subscription_id as "eventSubscriptionId", s.name, s.tenant_id as "ownerId", s.entity, s.address, s.format, s.batch_size as "batchSize", s.batch_seconds as "batchSeconds", ${goesAlone} as "isAlone",
  (extract(epoch from now() - d.occurred) * 1000)::float8 as "ageMs",
  case when l.unit_link_id is null then s.filter end as filter, s.enabled, s.paused is not null as "isPaused",
  greatest(0, coalesce(extract(epoch from s.hold_until - now()), 0) * 1000)::float8 as "holdMs", s.failing_since is not null as "isFailing",
  coalesce(s.last_delivered > d.first_attempt, false) as "deliveredMeanwhile", s.secret,
  case when s.previous_until > now() then s.previous_secret end as previous,
  exists (select from event_delivery e where e.event_subscription_id = d.event_subscription_id and e.subject = d.subject and e.status = 'Waiting'
    and e.event_delivery_id < d.event_delivery_id) as "isEarlierOpen",
  s.service, s.place, s.item_type as "itemType", s.creates, s.external_only as "externalOnly", s.token_secret as "tokenSecret",
  l.remote_key as "linkKey", l.name as "linkName", l.url as "linkUrl", l.remote_state as "linkState", l.remote_at as "linkAt",
  d.body is not null as "wasTried", w.reference_id as "referenceId", w.reference_url as "referenceUrl", w.state_id as "presentState"
from event_delivery d join event_subscription s on s.event_subscription_id = d.event_subscription_id
left join work_unit w on s.service <> 'CloudEvents' and d.deed <> 'test' and w.work_unit_id = case when d.entity_id ~ '^[0-9]+$' then d.entity_id::bigint end
left join unit_link l on l.event_subscription_id = s.event_subscription_id and l.work_unit_id = w.work_unit_id
where d.event_delivery_id = any($1) order by d.event_delivery_id`;

type LoadedDelivery = Delivery & { entity: EventEntity };

export async function loadDeliveries(db: Db, ids: readonly number[]): Promise<LoadedDelivery[]> {
  return await db.query<LoadedDelivery>({ name: 'event-load', text: load, values: [ids] });
}

// The job that claims a delivery may claim it again, after its worker was killed; another job may not, until the claim has run out.
export const claim = `update event_delivery set claimed_by = $2, claimed_until = now() + interval '2 minutes'
where event_delivery_id = $1 and status = 'Waiting' and (claimed_by = $2 or claimed_until is null or claimed_until < now()) returning 1 as claimed`;

/** Deletes a delivery of which nothing is to be sent. */
export async function drop(ctx: Ctx, delivery: Delivery): Promise<void> {
  await ctx.db.transaction(async (db) => {
    await db.query({
      name: 'event-drop',
      text: 'delete from event_delivery where event_delivery_id = $1',
      values: [delivery.eventDeliveryId],
    });
    await wakeNext(db, delivery);
  });
}

/** Composes the event at its first try, and stores it; returns undefined, after it has deleted the delivery, if nothing is to be sent. */
export async function bodyOf(ctx: Ctx, delivery: Delivery, publicUrl: string): Promise<string | undefined> {
  if (delivery.body !== null) return delivery.body;
  const { eventDeliveryId: id } = delivery;
  const event = await composeEvent(ctx, delivery, publicUrl);
  if (!event) {
    await drop(ctx, delivery);
    return undefined;
  }
  const body = JSON.stringify(event);
  await ctx.db.query({ name: 'event-body', text: 'update event_delivery set body = $2 where event_delivery_id = $1', values: [id, body] });
  return body;
}
