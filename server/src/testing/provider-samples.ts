/** Statements that insert rows which no client creates: deliveries of events, customers that end, links of dashboards. */

interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

export const providerRows: Record<string, (home: SubscriptionIds) => { text: string; values: unknown[] }> = {
  eventDeliveries: (home) => ({
    text: `with s as (insert into event_subscription (tenant_id, name, entity, address, on_opened, on_state, on_changed, on_note, format, enabled, secret_hint, secret)
        values ($1, uuidv7()::text, 'workUnits', 'https://receiver.example/', true, true, true, true, 'Structured', true, '…', '{}') returning event_subscription_id)
      insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, correlation_id)
      select $1, event_subscription_id, uuidv7(), 'cloudfit.workunit.opened', 'opened', 'workUnits/1', '1', uuidv7() from s returning event_delivery_id as key`,
    values: [home.tenantId],
  }),
  unitLinks: (home) => ({
    text: `with s as (insert into event_subscription (tenant_id, name, entity, service, place, address, on_opened, on_state, on_changed, on_note, format, enabled, secret_hint, secret)
        values ($1, uuidv7()::text, 'workUnits', 'GitHub', 'acme/ops', 'https://api.github.com', true, true, true, true, 'Structured', true, '…', '{}') returning event_subscription_id),
      w as (insert into work_unit (tenant_id, title, severity_id, state_id, work_unit_type_id, created_by, modified_by)
        values ($1, 'Linked', 'Sev3', 'New', 1, 'test', 'test') returning work_unit_id)
      insert into unit_link (tenant_id, event_subscription_id, service, work_unit_id, remote_key, name, remote_state)
      select $1, event_subscription_id, 'GitHub', work_unit_id, '12', 'acme/ops#12', 'open' from s, w returning unit_link_id as key`,
    values: [home.tenantId],
  }),
  offboardings: () => ({
    text: `insert into offboarding (customer_id, customer_name, delete_on, reason, requested_by)
      values (uuidv7(), 'Gone GmbH', now() + interval '30 days', 'The contract has ended.', 'test') returning offboarding_id as key`,
    values: [],
  }),
  dashboardLinks: (home) => ({
    text: `with d as (insert into dashboard (tenant_id, name, sharing) values ($1, 'A wall', 'Everybody sees it') returning dashboard_id),
      p as (insert into person (name, user_name) values ('A maker', uuidv7() || '@example.com') returning person_id)
      insert into dashboard_link (tenant_id, dashboard_id, name, token_hash, token_hint, maker_id, expires)
      select $1, dashboard_id, 'Lobby', uuid_send(uuidv7()), 'x', person_id, now() + interval '1 day' from d, p returning dashboard_link_id as key`,
    values: [home.tenantId],
  }),
};
