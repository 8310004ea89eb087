-- Subscriptions that get several events in one call: how many, and how many seconds the first of them waits for others.
alter table event_subscription
  add column batch_size int not null default 20,
  add column batch_seconds int not null default 5;
create index event_delivery_in_order on event_delivery (event_subscription_id, event_delivery_id) where status = 'Waiting';
