-- The time zone in which a contact reads the times of mails; null: that of the person, else UTC.
alter table communication_contact add column time_zone text;
