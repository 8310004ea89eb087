-- A search returned the keys of units alone, and the text of each was read again for its rank by a function that costs ten times as much as
-- what finds it. The statement that finds a unit ranks it too. A word that nearly every text has is not looked up in all of them, if other
-- conditions leave few units (`among`): the texts of these are read.
grant create on schema public to app_global;
set local role app_global;
drop function work_units_found(text, uuid[], uuid[], uuid[], uuid[]);
drop function work_units_with(text[], uuid[], uuid[], uuid[], uuid[]);

-- About a thousand texts as those of all tenants; null where there are so few that any plan is fast.
create function search_sample() returns table (tenant_id uuid, body text) language sql stable set search_path = public
begin atomic
  select s.tenant_id, s.body from work_unit_text s tablesample system (
    (select case when reltuples < 10000 then 0 else 100000 / reltuples end from pg_class where oid = 'work_unit_text'::regclass)) limit 2000;
end;

-- Whether each of the terms is in so many texts, or names of their tenants, that a condition on units likely leaves fewer to look at.
create function search_is_common(terms text[], named uuid[]) returns boolean language sql stable set search_path = public
begin atomic
  with sample as materialized (select * from search_sample())
  select (select count(*) from sample) > 0 and not exists (
    select from unnest(terms) term where (
      select count(*) from sample s where exists (select from unnest(string_to_array(term, '|')) one where strpos(s.body, one) > 0)
        or s.tenant_id in (select n.tenant_id from tenant n where (named is null or n.tenant_id = any(named))
          and ' ' || search_form(n.name) || ' ' like '%' || split_part(term, '|', 1) || '%')
    ) * 50 < (select count(*) from sample)
  );
end;

-- How well a text has a term, as SQL: see `search_rank`.
create function search_rank_sql(term text) returns text language sql immutable set search_path = public
begin atomic
  select 'greatest(' || string_agg(
    case when btrim(one, '# ') ~ '^\d{1,18}$' then format('case when s.public_work_unit_id = %s then 100 else 0 end, ', btrim(one, '# ')) else '' end ||
    format('case when strpos(s.body, %1$L) = 0 then 0 else case when strpos(split_part(s.body, E''\n'', 1), %1$L) > 0 then 20 when strpos(split_part(s.body, E''\n'', 2), %1$L) > 0 then 10 else 0 end
      + case when strpos(s.body, %2$L) > 0 then 4 when strpos(s.body, %3$L) > 0 then 2 else 1 end - %4$s end',
      one, ' ' || btrim(one) || ' ', ' ' || btrim(one), least(n - 1, 1)), ', ' order by n) || ')'
  from unnest(string_to_array(term, '|')) with ordinality t (one, n);
end;

-- The units that have each of the terms, and how well: in their text, the name of their tenant or of a device, or one of their communications.
-- `tenants` are those of the units, `named`, `of_devices` and `of_communications` those whose names, devices and communications may be looked
-- at; null: all. `among`: the units that other conditions leave; null, or more than can be looked at one by one: any. The statement is made
-- for the terms, because PostgreSQL plans it by how rare they are. `rows`: so few that whoever joins the result looks units up by their keys,
-- rather than all that a filter leaves.
create function search_units(terms text[], tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[], among bigint[])
returns table (work_unit_id bigint, rank int) language plpgsql stable rows 20 set search_path = public as $$
declare
  term text;
  typed text;
  condition text := '';
  others text;
  names uuid[];
  units bigint[];
  sample text[];
  hits int[] := '{}';
  is_few boolean := cardinality(among) <= 50000;
  is_common boolean;
  at int := 0;
begin
  if cardinality(terms) = 0 then
    return;
  end if;
  if cardinality(terms) > 1 and is_few is not true then
    sample := array(select s.body from search_sample() s);
    hits := array(select (select count(*) from unnest(sample) body where exists (
        select from unnest(string_to_array(one, '|')) part where strpos(body, part) > 0))
      from unnest(terms) with ordinality t (one, n) order by n);
  end if;
  foreach term in array terms loop
    at := at + 1;
    is_common := is_few is true or hits[at] > 10 + 10 * (select min(h) from unnest(hits) h);
    typed := '%' || split_part(term, '|', 1) || '%';
    others := case when term ~ '^[# ]?\d{1,18}$' then ' or s.public_work_unit_id = ' || ltrim(term, '# ') else '' end ||
      case when term ~ '^ ?\d{1,18}$' then ' or s.work_unit_id = ' || ltrim(term) else '' end;
    names := array(select n.tenant_id from tenant n where (named is null or n.tenant_id = any(named)) and ' ' || search_form(n.name) || ' ' like typed);
    if cardinality(names) > 0 then
      others := others || format(' or s.tenant_id = any(%L::uuid[])', names);
    end if;
    units := array(
      select r.work_unit_id from work_unit_communication c join work_unit_relation r on r.communication_id = c.work_unit_communication_id
        where (of_communications is null or c.tenant_id = any(of_communications)) and ' ' || search_form(c.title || E'\n' || coalesce(c.details, '') ||
          E'\n' || coalesce(c.root_cause, '') || E'\n' || coalesce(c.maximum_impact, '') || E'\n' || coalesce(c.current_impact, '') ||
          E'\n' || coalesce(c.impacted_services, '')) || ' ' like typed
      union
      select u.work_unit_id from (select d.device_id from device d where not d.is_deleted and (of_devices is null or d.tenant_id = any(of_devices))
          and ' ' || search_form(d.name) || ' ' like typed limit 500) d,
        lateral (
          select m.work_unit_id from rule_match m where m.subject_id = d.device_id and m.work_unit_id is not null
          union all
          select w.work_unit_id from work_unit w where w.affected_devices <> '[]' and w.affected_devices @> to_jsonb(d.device_id)
        ) u
    );
    if cardinality(units) > 0 then
      others := others || format(' or s.work_unit_id = any(%L::bigint[])', units);
    end if;
    condition := condition || ' and (' ||
      (select string_agg(case when is_common then format('strpos(s.body, %L) > 0', one) else format('s.body like %L', '%' || one || '%') end, ' or ') from unnest(string_to_array(term, '|')) one) || others || ')';
  end loop;
  return query execute 'select s.work_unit_id, ' || (select string_agg(search_rank_sql(one), ' + ') from unnest(terms) one) || ' from work_unit_text s where ' ||
    case when tenants is null then 'true' else format('s.tenant_id = any(%L::uuid[])', tenants) end ||
    case when is_few then ' and s.work_unit_id = any($1)' else '' end || condition using among;
end $$;

-- The same for callers of some tenants, with the rights of all: see `search_terms_in`.
create function search_is_common_in(typed text, tenants uuid[], named uuid[]) returns boolean language sql stable security definer set search_path = public
begin atomic
  select search_is_common(
    search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants()))),
    array(select unnest(named) intersect select unnest(caller_tenants()))
  );
end;
create function search_units_in(typed text, tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[], among bigint[])
returns table (work_unit_id bigint, rank int) language sql stable rows 20 security definer set search_path = public
begin atomic
  select * from search_units(
    search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants()))),
    array(select unnest(tenants) intersect select unnest(caller_tenants())),
    array(select unnest(named) intersect select unnest(caller_tenants())),
    array(select unnest(of_devices) intersect select unnest(caller_tenants())),
    array(select unnest(of_communications) intersect select unnest(caller_tenants())),
    among
  );
end;
revoke all on function search_sample(), search_is_common(text[], uuid[]), search_rank_sql(text), search_units(text[], uuid[], uuid[], uuid[], uuid[], bigint[]),
  search_is_common_in(text, uuid[], uuid[]), search_units_in(text, uuid[], uuid[], uuid[], uuid[], bigint[]) from public;
grant execute on function search_is_common_in(text, uuid[], uuid[]), search_units_in(text, uuid[], uuid[], uuid[], uuid[], bigint[]) to app_scoped;
reset role;
revoke create on schema public from app_global;
