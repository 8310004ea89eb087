-- A person can get a mail with what is new in their inbox: when they want it (null: not at all), and when the next one is due.
alter table notification_preference add column digest jsonb, add column digest_due timestamptz(3);
create index notification_preference_digest on notification_preference (digest_due) where digest_due is not null;
-- When a digest named the item. One that was snoozed after that is new again.
alter table inbox_item add column digested timestamptz(3);
