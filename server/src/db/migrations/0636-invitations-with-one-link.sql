-- Several invitations of one person that one link accepts: each is a row, so that each can be withdrawn. They share the hash of the link;
-- null for those that were sent before, which have a link of their own.
alter table invitation add column link_hash bytea;
create index invitation_link on invitation (link_hash) where link_hash is not null;
