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

-- Polls ask whether one of some entities changed in one of their tenants since a snapshot. The comparison of
-- transaction ids is not leakproof, so under row-level security no index would serve it: hence a function, which is
-- given the caller's tenants (null: all) and tells nothing but yes or no.
create index change_entity on change (entity, tenant_id, xid);
create function changed_since(entities text[], tenants uuid[], seen pg_snapshot) returns boolean
language plpgsql stable security definer set search_path = public set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare least xid8 := pg_snapshot_xmin(seen);
begin
  -- A snapshot from the future is one of another database, as before a backup was restored.
  if pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot()) then return true; end if;
  if tenants is null then
    return exists (select from change where entity = any(entities) and xid >= least and not pg_visible_in_snapshot(xid, seen));
  end if;
  return exists (select from change where entity = any(entities) and tenant_id = any(tenants) and xid >= least and not pg_visible_in_snapshot(xid, seen))
    or exists (select from change where entity = any(entities) and tenant_id is null and xid >= least and not pg_visible_in_snapshot(xid, seen));
end $$;
revoke execute on function changed_since(text[], uuid[], pg_snapshot) from public;
grant execute on function changed_since(text[], uuid[], pg_snapshot) to app_scoped, app_global;
