-- An invitation whose link the sender got, because no mail server is set: accepting it proves nothing about the address.
alter table invitation add column by_link boolean not null default false;
