-- Mailboxes that a person has let this installation read: the name of the secret with the refresh token, which providers replace.
alter table mailbox add column refresh_secret text;
