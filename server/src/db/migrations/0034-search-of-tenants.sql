-- The caller's tenants come as a value, so that PostgreSQL knows how many rows are theirs: it reads those where they are few
-- and asks the trigram index where the text is rare. The setting says as ever whose rows may be answered.
drop function searched_work_units(text);
create function searched_work_units(pattern text, tenants uuid[]) returns setof bigint language sql stable security definer set search_path = public
begin atomic
  select work_unit_id from work_unit where search_text like pattern and tenant_id = any(tenants)
    and case when tenant_id = any((select caller_tenants())::uuid[]) then true else false end;
end;
grant create on schema public to app_global;
alter function searched_work_units(text, uuid[]) owner to app_global;
revoke create on schema public from app_global;
revoke all on function searched_work_units(text, uuid[]) from public;
grant execute on function searched_work_units(text, uuid[]) to app_scoped, app_global;
