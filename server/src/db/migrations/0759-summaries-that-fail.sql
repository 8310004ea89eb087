-- What a summary should have told is looked up when the summary could not be sent.
create index notification_told_by on notification (told_by) where told_by is not null;
