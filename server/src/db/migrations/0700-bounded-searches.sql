-- A search of words that very many units have ranked all of them: seconds at a million units. A list that says up to which number it counts
-- (`countUpTo`) now ranks the newest of them alone, which PostgreSQL finds by walking the texts from the newest on, or by the index: what a
-- sample of texts says is cheaper. Other queries find and rank all, as before. The number of a unit (`#1`) is looked up as a number alone.
grant create on schema public to app_global;
set local role app_global;

-- A thousand texts, evenly spaced from the oldest to the newest, so that units of one storm count as what they are and a search decides the
-- same each time: twenty blocks (`search_sample`) may miss all of a storm. None where there are so few that any plan is fast.
create function search_sample_rows() returns setof work_unit_text language sql stable set search_path = public
begin atomic
  select s.* from (select min(work_unit_id) as first, max(work_unit_id) as last from work_unit_text) ends, generate_series(0, 999) n,
    lateral (select * from work_unit_text t where t.work_unit_id >= ends.first + (ends.last - ends.first) * n / 999 order by t.work_unit_id limit 1) s
  where (select reltuples >= 10000 from pg_class where oid = 'work_unit_text'::regclass);
end;

-- In which share of the texts, or of the names of their tenants, the rarest of the terms is; 0 where there is no sample.
create function search_share(terms text[], named uuid[]) returns double precision language sql stable set search_path = public
begin atomic
  with sample as materialized (select tenant_id, body from search_sample_rows()), hits as (
    select (select count(*) from sample s where exists (select from unnest(string_to_array(term, '|')) one where strpos(s.body, one) > 0)
      or s.tenant_id in (select n.tenant_id from tenant n where (named is null or n.tenant_id = any(named))
        and ' ' || search_form(n.name) || ' ' like '%' || split_part(term, '|', 1) || '%')) as n
    from unnest(terms) term
  )
  select coalesce((select min(n) from hits)::double precision / nullif((select count(*) from sample), 0), 0);
end;

-- The condition that a row s of `work_unit_text` has the term, as SQL: in its text, its numbers, the name of its tenant or of a device, or one
-- of its communications. `is_scanned`: for rows that are read anyway, rather than looked up in the index of texts.
create function search_condition(term text, is_scanned boolean, named uuid[], of_devices uuid[], of_communications uuid[]) returns text
language plpgsql stable set search_path = public as $$
declare
  typed text := '%' || split_part(term, '|', 1) || '%';
  others text := '';
  names uuid[];
  units bigint[];
begin
  if term ~ '^#\d{1,18}$' then
    return '(s.public_work_unit_id = ' || ltrim(term, '#') || ')';
  end if;
  if term ~ '^ ?\d{1,18}$' then
    others := ' or s.public_work_unit_id = ' || ltrim(term) || ' or s.work_unit_id = ' || ltrim(term);
  end if;
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
  return '(' || (select string_agg(case when is_scanned then format('strpos(s.body, %L) > 0', one) else format('s.body like %L', '%' || one || '%') end, ' or ')
    from unnest(string_to_array(term, '|')) one) || others || ')';
end $$;

create function search_of_tenants(tenants uuid[]) returns text language sql immutable set search_path = public
begin atomic
  select case when tenants is null then 'true' when cardinality(tenants) = 1 then format('s.tenant_id = %L', tenants[1])
    else format('s.tenant_id = any(%L::uuid[])', tenants) end;
end;

-- As before; a term that every twentieth text has is not looked up either where tenants leave fewer.
create or replace function search_units(terms text[], tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[], among bigint[])
returns table (work_unit_id bigint, rank int) language plpgsql stable rows 20 set search_path = public as $$
declare
  is_few boolean := cardinality(among) <= 50000;
  sample text[] := '{}';
  hits int[] := '{}';
  condition text;
begin
  if cardinality(terms) = 0 then
    return;
  end if;
  if is_few is not true and (cardinality(terms) > 1 or tenants is not null) then
    sample := array(select s.body from search_sample() s);
    hits := array(select (select count(*) from unnest(sample) body where exists (
        select from unnest(string_to_array(one, '|')) part where strpos(body, part) > 0))
      from unnest(terms) with ordinality t (one, n) order by n);
  end if;
  select string_agg(search_condition(term, is_few is true or coalesce(
      hits[n] > 10 + 10 * (select min(h) from unnest(hits) h) or (tenants is not null and hits[n] > cardinality(sample) / 20), false),
    named, of_devices, of_communications), ' and ' order by n) into condition from unnest(terms) with ordinality t (term, n);
  return query execute 'select s.work_unit_id, ' || (select string_agg(search_rank_sql(one), ' + ') from unnest(terms) one) || ' from work_unit_text s where ' ||
    search_of_tenants(tenants) || case when is_few then ' and s.work_unit_id = any($1)' else '' end || ' and ' || condition using among;
end $$;

-- As `search_units`, but of very many units only the newest thousand (`is_cut`). `is_filtered`: whether other conditions leave fewer; then
-- `among` has the newest of them, up to 5,001, if each of the terms is in many texts.
create function search_best(terms text[], tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[], is_filtered boolean, among bigint[])
returns table (work_unit_id bigint, rank int, is_cut boolean) language plpgsql stable rows 20 set search_path = public as $$
declare
  condition text;
  texts double precision := (select reltuples from pg_class where oid = 'work_unit_text'::regclass);
  looked int;
  hits int[];
  wanted int;
  walked double precision;
  newest bigint[];
begin
  if cardinality(terms) = 0 then
    return;
  end if;
  if cardinality(among) <= 5000 then
    return query select f.work_unit_id, f.rank, false from search_units(terms, tenants, named, of_devices, of_communications, among) f;
    return;
  end if;
  if among is not null or not is_filtered then
    select string_agg(search_condition(term, true, named, of_devices, of_communications), ' and ') into condition from unnest(terms) term;
    condition := search_of_tenants(tenants) || ' and ' || condition;
    if among is not null then
      execute 'select array(select s.work_unit_id from work_unit_text s where s.work_unit_id = any($1) and ' || condition ||
        ' order by s.work_unit_id desc limit 1000)' into newest using among;
      -- A few of the newest may be few of all.
      if cardinality(newest) < 50 then
        newest := null;
      end if;
    else
      execute 'with sample as materialized (select s.work_unit_id, (' || condition || ') as is_hit, ' ||
        case when cardinality(tenants) <= 50 then search_of_tenants(tenants) else 'true' end || ' as is_walked from search_sample_rows() s),
        placed as (select is_hit, row_number() over (order by is_walked desc, work_unit_id desc) as place from sample)
        select count(*), array_agg(place order by place) filter (where is_hit) from placed' into looked, hits;
      -- Six of a thousand texts, as many as can be ranked one by one.
      if cardinality(hits) > 5 and cardinality(hits) * texts / looked > 5000 then
        wanted := greatest(3, ceil(1000 * looked / texts));
        -- How many texts are read until a thousand have been found, if those between the sampled ones are like them.
        walked := case when wanted <= cardinality(hits) then hits[wanted] / (looked / texts) * least(1, 1000 * looked / texts / wanted) end;
        if walked is null or walked > 3 * cardinality(hits) / (looked / texts) then
          -- The index finds them all at three times the cost of a text that is walked over; those with the first word in the title come first.
          select string_agg(search_condition(term, false, named, of_devices, of_communications), ' and ') into condition from unnest(terms) term;
          condition := search_of_tenants(tenants) || ' and ' || condition;
          execute 'select array(select s.work_unit_id from work_unit_text s where ' || condition ||
            format(' order by strpos(s.body, %L) between 1 and strpos(s.body, E''\n'') desc, s.work_unit_id desc limit 1000)', split_part(terms[1], '|', 1)) into newest;
        else
          -- Of a few tenants each in the order of its index: walking over all texts could pass those of all others first.
          execute 'select array(' || case when cardinality(tenants) <= 50 then 'select s.work_unit_id from unnest($1) one cross join lateral (' ||
              'select s.work_unit_id from work_unit_text s where s.tenant_id = one and ' || condition || ' order by s.work_unit_id desc limit 1000) s'
            else 'select s.work_unit_id from work_unit_text s where ' || condition end || ' order by s.work_unit_id desc limit 1000)' into newest using tenants;
        end if;
      end if;
    end if;
  end if;
  if newest is null then
    return query select f.work_unit_id, f.rank, false from search_units(terms, tenants, named, of_devices, of_communications, null) f;
  else
    return query execute 'select s.work_unit_id, ' || (select string_agg(search_rank_sql(one), ' + ') from unnest(terms) one) ||
      ', true from work_unit_text s where s.work_unit_id = any($1)' using newest;
  end if;
end $$;

-- The same for callers of some tenants, with the rights of all: see `search_terms_in`.
create function search_share_in(typed text, tenants uuid[], named uuid[]) returns double precision language sql stable security definer set search_path = public
begin atomic
  select search_share(
    search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants()))),
    array(select unnest(named) intersect select unnest(caller_tenants()))
  );
end;
create function search_best_in(typed text, tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[], is_filtered boolean, among bigint[])
returns table (work_unit_id bigint, rank int, is_cut boolean) language sql stable rows 20 security definer set search_path = public
begin atomic
  select * from search_best(
    search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants()))),
    array(select unnest(tenants) intersect select unnest(caller_tenants())),
    array(select unnest(named) intersect select unnest(caller_tenants())),
    array(select unnest(of_devices) intersect select unnest(caller_tenants())),
    array(select unnest(of_communications) intersect select unnest(caller_tenants())),
    is_filtered, among
  );
end;
drop function search_is_common(text[], uuid[]), search_is_common_in(text, uuid[], uuid[]);
revoke all on function search_sample_rows(), search_share(text[], uuid[]), search_share_in(text, uuid[], uuid[]), search_condition(text, boolean, uuid[], uuid[], uuid[]), search_of_tenants(uuid[]),
  search_best(text[], uuid[], uuid[], uuid[], uuid[], boolean, bigint[]), search_best_in(text, uuid[], uuid[], uuid[], uuid[], boolean, bigint[]) from public;
grant execute on function search_share_in(text, uuid[], uuid[]), search_best_in(text, uuid[], uuid[], uuid[], uuid[], boolean, bigint[]) to app_scoped;
reset role;
revoke create on schema public from app_global;
