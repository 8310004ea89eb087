-- The language in which somebody subscribed to a status page, and gets its mails. Null: subscribed before there was a choice; English.
alter table status_subscriber add column language text;
