-- Creates that may be sent twice, and calls that may be made only so often.

-- What a create with an Idempotency-Key answered, kept for 24 hours. The key of the row is a hash of caller and
-- key, and the answer is encrypted with a key made of both: without the caller's key nobody can read it.
create table repeatable_answer (
  request_key bytea primary key,
  request_hash bytea not null,
  answer bytea,
  created timestamptz(3) not null default now()
);
create index repeatable_answer_created on repeatable_answer (created);
grant select, insert, update on repeatable_answer to app_scoped, app_global;
grant delete on repeatable_answer to app_global;

-- Times of the calls of the last hour, by a hash of what is limited. For calls that are few; the rest is counted in memory.
create table call_limit (
  limit_key bytea primary key,
  calls timestamptz(3)[] not null,
  last_call timestamptz(3) not null default now()
);
create index call_limit_last_call on call_limit (last_call);
grant select, insert, update on call_limit to app_scoped, app_global;
grant delete on call_limit to app_global;
