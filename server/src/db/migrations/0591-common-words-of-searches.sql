-- Behind row-level security PostgreSQL has no statistics of texts and takes the longer word for the rarer one, so it looked up a word that all
-- units have instead of the number that one has. The search now counts its terms in a sample, and looks up those that are rare in it.
grant create on schema public to app_global;
set local role app_global;
create or replace function work_units_with(terms text[], tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[]) returns setof bigint
language plpgsql stable set search_path = public as $$
declare
  term text;
  typed text;
  condition text := '';
  others text;
  names uuid[];
  units bigint[];
  sample text[];
  hits int[] := '{}';
  is_common boolean;
  at int := 0;
begin
  if cardinality(terms) = 0 then
    return;
  end if;
  -- About a thousand texts; under 10,000 of them any plan is fast.
  if cardinality(terms) > 1 then
    sample := array(select s.body from work_unit_text s tablesample system (
      (select case when reltuples < 10000 then 0 else 100000 / reltuples end from pg_class where oid = 'work_unit_text'::regclass)) limit 2000);
    hits := array(select (select count(*) from unnest(sample) body where exists (
        select from unnest(string_to_array(one, '|')) part where strpos(body, part) > 0))
      from unnest(terms) with ordinality t (one, n) order by n);
  end if;
  foreach term in array terms loop
    at := at + 1;
    is_common := hits[at] > 10 + 10 * (select min(h) from unnest(hits) h);
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
  return query execute 'select s.work_unit_id from work_unit_text s where ' ||
    case when tenants is null then 'true' else format('s.tenant_id = any(%L::uuid[])', tenants) end || condition;
end $$;
reset role;
revoke create on schema public from app_global;

-- As before, without the plan that a query of its own begins with for each of the thousands of texts that a common name is in.
create or replace function search_rank(number bigint, body text, terms text[]) returns int language plpgsql immutable parallel safe as $$
declare
  title text := split_part(body, E'\n', 1);
  term text;
  one text;
  likely boolean;
  rank int;
  best int;
  total int := 0;
begin
  foreach term in array terms loop
    best := 0;
    likely := false;
    foreach one in array string_to_array(term, '|') loop
      rank := case
        when btrim(one, '# ') = number::text then 100
        when strpos(body, one) = 0 then 0
        else (case when strpos(title, one) > 0 then 20 when strpos(split_part(body, E'\n', 2), one) > 0 then 10 else 0 end)
          + (case when strpos(body, ' ' || btrim(one) || ' ') > 0 then 4 when strpos(body, ' ' || btrim(one)) > 0 then 2 else 1 end)
          - likely::int
      end;
      best := greatest(best, rank);
      likely := true;
    end loop;
    total := total + best;
  end loop;
  return total;
end $$;
