-- Whether an entity that never reported is silent from its creation on. Rules of before do not look at them.
alter table rule add column never_reported boolean not null default false;
