-- A table and files that a waiting mail has beside its text.
alter table outbox_message add column mail_table jsonb, add column attachments jsonb;
