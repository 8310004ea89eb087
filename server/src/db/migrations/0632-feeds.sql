-- Feeds that people subscribe to in other programs. A link names the row, so that its removal ends the link.
create unique index saved_view_of_tenant on saved_view (tenant_id, saved_view_id);
create table person_feed (
  feed_id uuid not null unique default uuidv7(),
  tenant_id uuid not null references tenant,
  person_id uuid not null references person on delete cascade,
  kind text not null,
  saved_view_id uuid,
  created timestamptz(3) not null default now(),
  last_read timestamptz(3),
  primary key (tenant_id, feed_id),
  foreign key (tenant_id, saved_view_id) references saved_view (tenant_id, saved_view_id) on delete cascade on update cascade
);
create index person_feed_person on person_feed (person_id, created);
create index person_feed_view on person_feed (tenant_id, saved_view_id) where saved_view_id is not null;
select secure_tenant_table('person_feed');
grant select, insert, update, delete on person_feed to app_scoped, app_global;
