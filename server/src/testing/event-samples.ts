/** Statements that insert a row of an event delivery, which no client creates. */
import type { SubscriptionIds } from './samples.ts';

export const eventRows: Record<string, (home: SubscriptionIds) => { text: string; values: unknown[] }> = {
  eventDeliveries: (home) => ({
    text: `with s as (insert into event_subscription (tenant_id, name, entity, address, on_opened, on_state, on_changed, on_note, format, enabled, secret_hint, secret)
        values ($1, uuidv7()::text, 'workUnits', 'https://receiver.example/', true, true, true, true, 'Structured', true, '…', '{}') returning event_subscription_id)
      insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, correlation_id)
      select $1, event_subscription_id, uuidv7(), 'cloudfit.workunit.opened', 'opened', 'workUnits/1', '1', uuidv7() from s returning event_delivery_id as key`,
    values: [home.tenantId],
  }),
};
