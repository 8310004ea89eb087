-- What is looked for each minute, to tell somebody: events that were given up, and mails that nobody has taken in.
create index event_delivery_given_up on event_delivery (last_attempt) where status = 'Failed';
create index mailbox_mail_waiting on mailbox_mail (received) where outcome = 'Held' or outcome = 'Refused' and reason in ('NotTaken', 'Unreadable', 'TooLarge');
