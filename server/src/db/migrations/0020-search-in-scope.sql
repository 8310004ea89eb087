-- `like` is not leakproof, so under row-level security PostgreSQL asks the policy of every row before it looks at the
-- trigram index. This function looks there with the rights of all tenants and answers ids of the caller's own alone;
-- the rows themselves pass the policy as ever.
create function searched_work_units(pattern text) returns setof bigint language sql stable security definer set search_path = public
begin atomic
  select work_unit_id from work_unit where search_text like pattern and tenant_id = any((select caller_tenants())::uuid[]);
end;
grant create on schema public to app_global;
alter function searched_work_units(text) owner to app_global;
revoke create on schema public from app_global;
revoke all on function searched_work_units(text) from public;
grant execute on function searched_work_units(text) to app_scoped, app_global;

-- After many rows at once: what waits beside the trigram index goes into it, or the next search reads all of that.
create function settle_work_unit_search() returns bigint language sql security definer set search_path = public
  return gin_clean_pending_list('work_unit_search');
revoke all on function settle_work_unit_search() from public;
grant execute on function settle_work_unit_search() to app_global;
