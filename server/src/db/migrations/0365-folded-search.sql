-- The form in which texts are searched: without case and accents, however they are composed, so that "Storung" finds "Störung" and
-- "Strasse" finds "Straße". The query language has the same function in memory.
create function folded(value text) returns text language sql immutable parallel safe
  return case when octet_length(value) = length(value) then lower(value) else
    replace(replace(replace(replace(translate(lower(regexp_replace(normalize(value, NFKD),
      U&'[\00ad\0300-\036f\0591-\05bd\05bf\05c1\05c2\05c4\05c5\05c7\0610-\061a\064b-\065f\0670\1ab0-\1aff\1dc0-\1dff\200b-\200f\2060\20d0-\20ff\fe20-\fe2f\feff]', '', 'g')),
      'øđðłıħŧς', 'oddlihtσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end;

-- What the search box of work units looks at, their notes in an index of their own. It is an index of an expression: a column would
-- rewrite the table. `like` is not leakproof, so the functions with tenants look at the index with the rights of all tenants, and
-- answer keys of the caller's own rows alone. Entries of the history are not searched.
create index work_unit_found on work_unit using gin ((folded(title || E'\n' || coalesce(description, '') || E'\n' || coalesce(assigned_to, '') || E'\n' ||
  coalesce(reference_id, '') || E'\n' || coalesce(stake_holder_full_name, '') || E'\n' ||
  coalesce(stake_holder_phone_number, '') || E'\n' || coalesce(stake_holder_email_address, '') || E'\n' ||
  coalesce(internal_work_unit_id, '') || E'\n' || coalesce(resolution, '') || E'\n' ||
  coalesce(custom_value1, '') || E'\n' || coalesce(custom_value2, '') || E'\n' || coalesce(custom_value3, '') ||
  E'\n' || coalesce(custom_value4, '') || E'\n' || coalesce(custom_value5, '') || E'\n' ||
  coalesce(custom_value6, '') || E'\n' || coalesce(custom_value7, '') || E'\n' || coalesce(custom_value8, '') ||
  E'\n' || coalesce(custom_value9, '') || E'\n' || coalesce(custom_value10, '') || E'\n' ||
  coalesce(custom_value11, '') || E'\n' || coalesce(custom_value12, '') || E'\n' ||
  coalesce(custom_value13, '') || E'\n' || coalesce(custom_value14, '') || E'\n' ||
  coalesce(custom_value15, '') || E'\n' || public_work_unit_id)) gin_trgm_ops);
create function found_work_units(pattern text) returns setof bigint language sql stable
begin atomic
  select work_unit_id from work_unit where folded(title || E'\n' || coalesce(description, '') || E'\n' || coalesce(assigned_to, '') || E'\n' ||
  coalesce(reference_id, '') || E'\n' || coalesce(stake_holder_full_name, '') || E'\n' ||
  coalesce(stake_holder_phone_number, '') || E'\n' || coalesce(stake_holder_email_address, '') || E'\n' ||
  coalesce(internal_work_unit_id, '') || E'\n' || coalesce(resolution, '') || E'\n' ||
  coalesce(custom_value1, '') || E'\n' || coalesce(custom_value2, '') || E'\n' || coalesce(custom_value3, '') ||
  E'\n' || coalesce(custom_value4, '') || E'\n' || coalesce(custom_value5, '') || E'\n' ||
  coalesce(custom_value6, '') || E'\n' || coalesce(custom_value7, '') || E'\n' || coalesce(custom_value8, '') ||
  E'\n' || coalesce(custom_value9, '') || E'\n' || coalesce(custom_value10, '') || E'\n' ||
  coalesce(custom_value11, '') || E'\n' || coalesce(custom_value12, '') || E'\n' ||
  coalesce(custom_value13, '') || E'\n' || coalesce(custom_value14, '') || E'\n' ||
  coalesce(custom_value15, '') || E'\n' || public_work_unit_id) like pattern;
end;
create function found_work_units(pattern text, tenants uuid[]) returns setof bigint language sql stable security definer set search_path = public
begin atomic
  select work_unit_id from work_unit where folded(title || E'\n' || coalesce(description, '') || E'\n' || coalesce(assigned_to, '') || E'\n' ||
  coalesce(reference_id, '') || E'\n' || coalesce(stake_holder_full_name, '') || E'\n' ||
  coalesce(stake_holder_phone_number, '') || E'\n' || coalesce(stake_holder_email_address, '') || E'\n' ||
  coalesce(internal_work_unit_id, '') || E'\n' || coalesce(resolution, '') || E'\n' ||
  coalesce(custom_value1, '') || E'\n' || coalesce(custom_value2, '') || E'\n' || coalesce(custom_value3, '') ||
  E'\n' || coalesce(custom_value4, '') || E'\n' || coalesce(custom_value5, '') || E'\n' ||
  coalesce(custom_value6, '') || E'\n' || coalesce(custom_value7, '') || E'\n' || coalesce(custom_value8, '') ||
  E'\n' || coalesce(custom_value9, '') || E'\n' || coalesce(custom_value10, '') || E'\n' ||
  coalesce(custom_value11, '') || E'\n' || coalesce(custom_value12, '') || E'\n' ||
  coalesce(custom_value13, '') || E'\n' || coalesce(custom_value14, '') || E'\n' ||
  coalesce(custom_value15, '') || E'\n' || public_work_unit_id) like pattern and tenant_id = any(tenants)
    and case when tenant_id = any((select caller_tenants())::uuid[]) then true else false end;
end;
create index work_unit_note_found on work_unit_note using gin ((folded(detail)) gin_trgm_ops) where history_type is null;
create function found_work_unit_notes(pattern text) returns setof bigint language sql stable
begin atomic
  select work_unit_note_id from work_unit_note where folded(detail) like pattern and history_type is null;
end;
create function found_work_unit_notes(pattern text, tenants uuid[]) returns setof bigint language sql stable security definer set search_path = public
begin atomic
  select work_unit_note_id from work_unit_note where folded(detail) like pattern and history_type is null and tenant_id = any(tenants)
    and case when tenant_id = any((select caller_tenants())::uuid[]) then true else false end;
end;
grant create on schema public to app_global;
alter function found_work_units(text, uuid[]) owner to app_global;
alter function found_work_unit_notes(text, uuid[]) owner to app_global;
revoke create on schema public from app_global;
revoke all on function found_work_units(text, uuid[]) from public;
grant execute on function found_work_units(text, uuid[]) to app_scoped, app_global;
revoke all on function found_work_unit_notes(text, uuid[]) from public;
grant execute on function found_work_unit_notes(text, uuid[]) to app_scoped, app_global;
