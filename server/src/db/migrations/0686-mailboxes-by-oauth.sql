-- Mailboxes whose providers take no password: the secret is that of a client of OAuth 2.0, which gets a token first.
alter table mailbox
  add column sign_in text not null default 'Password',
  add column token_address text,
  add column client_id text,
  add column scope text;
