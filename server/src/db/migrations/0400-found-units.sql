-- What a search of work units looks at: a text for each unit, of words without case, accents and punctuation, with one blank between words.
-- ä, ae and a are one letter there, so that Muller, Mueller and Müller find each other. `searchForm` is the same in memory.
create function search_form(value text) returns text language sql immutable parallel safe
  return btrim(regexp_replace(replace(replace(replace(folded(value), 'ae', 'a'), 'oe', 'o'), 'ue', 'u'), '[^[:alnum:]]+', ' ', 'g'));

-- `body`: the title, the other searched fields, the notes, each with a line break and a blank before it.
create table work_unit_text (
  work_unit_id bigint primary key references work_unit on delete cascade,
  tenant_id uuid not null references tenant,
  public_work_unit_id bigint not null,
  body text not null
);
create index work_unit_text_tenant on work_unit_text (tenant_id, work_unit_id);
create index work_unit_text_number on work_unit_text (public_work_unit_id);
create index work_unit_text_body on work_unit_text using gin (body gin_trgm_ops);

-- The words of these texts, which correct a mistyped word. There is no unique index, so that two writers of one word need not wait for
-- each other: a word that is there twice does no harm.
create table search_word (
  tenant_id uuid not null references tenant,
  word text not null,
  noted timestamptz(3) not null default now()
);
create index search_word_tenant on search_word (tenant_id, word);
create index search_word_noted on search_word (noted);
create index search_word_word on search_word using gin (word gin_trgm_ops);

-- Units whose texts a job makes: those that were there before, and those of statements that write very many. From `first` to before `below`.
create table work_unit_text_todo (first bigint not null, below bigint not null);

create function note_search_words(tenant uuid, value text) returns void language sql security definer set search_path = public
begin atomic
  insert into search_word (tenant_id, word)
  select tenant, w.word from (select distinct word from string_to_table(value, ' ') word where length(word) between 4 and 30 offset 0) w
  where word !~ '[^[:alpha:]]' and not exists (select from search_word s where s.tenant_id = tenant and s.word = w.word);
end;

-- One plan for all arrays: planning for the indexes of `work_unit` takes several times as long as the text of one unit.
create function index_work_units(ids bigint[], are_new boolean) returns void language plpgsql security definer set search_path = public
set plan_cache_mode = force_generic_plan as $$
begin
  if not are_new then
    -- Whoever changes the text of a unit waits for others who do, and then reads what these wrote.
    insert into work_unit_text (work_unit_id, tenant_id, public_work_unit_id, body)
      select work_unit_id, tenant_id, public_work_unit_id, '' from work_unit u where work_unit_id = any(ids)
        and not exists (select from work_unit_text s where s.work_unit_id = u.work_unit_id) order by work_unit_id
      on conflict (work_unit_id) do nothing;
    perform from work_unit_text where work_unit_id = any(ids) order by work_unit_id for update;
  end if;
  insert into work_unit_text (work_unit_id, tenant_id, public_work_unit_id, body)
    select work_unit_id, tenant_id, public_work_unit_id, ' ' || search_form(title) || E' \n ' ||
      search_form(concat_ws(E'\n', description, resolution, internal_work_unit_id, reference_id, assigned_to, stake_holder_full_name,
        stake_holder_email_address, stake_holder_phone_number, regexp_replace(stake_holder_phone_number, '\D', '', 'g'),
        custom_value1, custom_value2, custom_value3, custom_value4, custom_value5, custom_value6, custom_value7, custom_value8,
        custom_value9, custom_value10, custom_value11, custom_value12, custom_value13, custom_value14, custom_value15)) || E' \n ' ||
      coalesce((select search_form(string_agg(n.detail, E'\n' order by n.work_unit_note_id)) || ' ' from work_unit_note n
        where not are_new and n.work_unit_id = u.work_unit_id and n.history_type is null), '')
    from work_unit u where work_unit_id = any(ids) order by work_unit_id
    on conflict (work_unit_id) do update set tenant_id = excluded.tenant_id, body = excluded.body
      where (work_unit_text.tenant_id, work_unit_text.body) is distinct from (excluded.tenant_id, excluded.body);
  -- `offset 0` lets the texts be split once, and only words that differ be looked at.
  insert into search_word (tenant_id, word)
    select w.tenant_id, w.word from (select distinct t.tenant_id, word from work_unit_text t, string_to_table(t.body, ' ') word
      where t.work_unit_id = any(ids) and length(word) between 4 and 30 offset 0) w
    where w.word !~ '[^[:alpha:]]' and not exists (select from search_word s where s.tenant_id = w.tenant_id and s.word = w.word);
end $$;

-- Leaves units to the job. A row that this transaction holds is not looked at by the job before its end; one that the job holds may be done
-- before this transaction is seen, so it does not count.
create function index_work_units_later(lowest bigint, highest bigint) returns void language plpgsql security definer set search_path = public as $$
begin
  perform from work_unit_text_todo where first <= lowest and below > highest for update skip locked;
  if not found then
    insert into work_unit_text_todo values (lowest, highest + 1);
  end if;
end $$;

create function index_new_work_units() returns trigger language plpgsql security definer set search_path = public as $$
declare
  ids bigint[] := array(select work_unit_id from made);
begin
  if cardinality(ids) > 1000 then
    perform index_work_units_later(min(id), max(id)) from unnest(ids) id;
  else
    perform index_work_units(ids, true);
  end if;
  return null;
end $$;
create trigger indexed_new after insert on work_unit referencing new table as made for each statement execute function index_new_work_units();

create function index_changed_work_unit() returns trigger language plpgsql security definer set search_path = public as $$
begin
  perform index_work_units(array[new.work_unit_id], false);
  return null;
end $$;
create trigger indexed_change after update of tenant_id, title, description, resolution, internal_work_unit_id, reference_id, assigned_to,
  stake_holder_full_name, stake_holder_email_address, stake_holder_phone_number, custom_value1, custom_value2, custom_value3, custom_value4,
  custom_value5, custom_value6, custom_value7, custom_value8, custom_value9, custom_value10, custom_value11, custom_value12,
  custom_value13, custom_value14, custom_value15 on work_unit
  for each row execute function index_changed_work_unit();

-- Notes are many, so the text of a new one is added to what is there.
create function index_new_notes() returns trigger language plpgsql security definer set search_path = public as $$
declare
  added record;
begin
  if (select count(*) from made where history_type is null) > 1000 then
    perform index_work_units_later(min(work_unit_id), max(work_unit_id)) from made where history_type is null;
    return null;
  end if;
  for added in select work_unit_id, search_form(string_agg(detail, E'\n' order by work_unit_note_id)) as form from made
    where history_type is null group by work_unit_id order by work_unit_id loop
    update work_unit_text set body = body || added.form || ' ' where work_unit_id = added.work_unit_id;
    if found then
      perform note_search_words(tenant_id, added.form) from work_unit_text where work_unit_id = added.work_unit_id;
    else
      perform index_work_units(array[added.work_unit_id], false);
    end if;
  end loop;
  return null;
end $$;
create trigger indexed_new after insert on work_unit_note referencing new table as made for each statement execute function index_new_notes();

create function index_changed_notes() returns trigger language plpgsql security definer set search_path = public as $$
begin
  if tg_op = 'UPDATE' and new.work_unit_id <> old.work_unit_id then
    perform index_work_units(array[old.work_unit_id, new.work_unit_id], false);
  else
    perform index_work_units(array[old.work_unit_id], false);
  end if;
  return null;
end $$;
create trigger indexed_removal after delete on work_unit_note for each row when (old.history_type is null) execute function index_changed_notes();
create trigger indexed_change after update of work_unit_id, detail on work_unit_note for each row when (old.history_type is null) execute function index_changed_notes();

-- The triggers wait for writers that are under way, so no unit below this number escapes both them and the job.
insert into work_unit_text_todo select 0, max(work_unit_id) + 1 from work_unit having count(*) > 0;

-- Makes the texts of some units that wait for it, the newest first. Returns their number.
create function index_old_work_units(amount int) returns int language plpgsql set search_path = public as $$
declare
  todo record;
  ids bigint[];
begin
  select ctid as place, first, below into todo from work_unit_text_todo order by below desc limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  ids := array(select work_unit_id from work_unit where work_unit_id >= todo.first and work_unit_id < todo.below order by work_unit_id desc limit amount);
  perform index_work_units(ids, false);
  if cardinality(ids) < amount then
    delete from work_unit_text_todo where ctid = todo.place;
  else
    update work_unit_text_todo set below = ids[amount] where ctid = todo.place;
  end if;
  return cardinality(ids);
end $$;

-- Forgets words that no text has any more, of those that were not looked at for the longest time. Returns how many it looked at.
create function forget_search_words(amount int) returns int language plpgsql set search_path = public as $$
declare
  looked int;
begin
  with oldest as materialized (
    select ctid as place, tenant_id, word from search_word where noted < now() - interval '1 day' order by noted limit amount for update skip locked
  ),
  seen as materialized (
    select place, exists (select from work_unit_text s where s.tenant_id = o.tenant_id and s.body like '% ' || o.word || ' %') as is_used from oldest o
  ),
  used as (update search_word w set noted = now() from seen where w.ctid = seen.place and is_used returning 1),
  gone as (delete from search_word w using seen where w.ctid = seen.place and not is_used returning 1)
  select (select count(*) from used) + (select count(*) from gone) into looked;
  return looked;
end $$;

-- The number of edits (a letter more, less, another one, two exchanged) from a word to the beginning of another one to which it is nearest,
-- and the length of that beginning.
create function prefix_distance(typed text, word text, out edits int, out length int) language plpgsql immutable parallel safe as $$
declare
  a text[] := string_to_array(typed, null);
  b text[] := string_to_array(word, null);
  m int := cardinality(b);
  before int[];
  last int[] := array(select generate_series(0, m));
  line int[];
begin
  for i in 1..cardinality(a) loop
    line := array[i];
    for j in 1..m loop
      line[j + 1] := least(last[j + 1] + 1, line[j] + 1, last[j] + (a[i] <> b[j])::int);
      if i > 1 and j > 1 and a[i] = b[j - 1] and a[i - 1] = b[j] then
        line[j + 1] := least(line[j + 1], before[j - 1] + 1);
      end if;
    end loop;
    before := last;
    last := line;
  end loop;
  select v, n - 1 into edits, length from unnest(last) with ordinality t (v, n) order by v, n desc limit 1;
end $$;

-- The terms of a typed text, of which a unit must have each: words and quoted phrases. A term is one text or several with | between them, of
-- which one suffices: what was typed, then the words that it likely stands for if no text has it. A blank at the beginning is the beginning of a
-- word, # the number of a unit. `tenants` null: of all tenants.
create function search_terms_of(typed text, tenants uuid[]) returns text[] language plpgsql stable set search_path = public
set pg_trgm.word_similarity_threshold = 0.3 as $$
declare
  terms text[] := '{}';
  part text;
  term text;
  likely text;
begin
  for part in select coalesce(m[1], m[2]) from regexp_matches(typed, '"([^"]+)"|(\S+)', 'g') m limit 20 loop
    term := case when part ~ '^#\d{1,18}$' then part else search_form(part) end;
    likely := null;
    continue when term = '';
    if length(term) < 3 and term ~ '^[^#]' then
      term := ' ' || term;
    elsif term ~ '^[[:alpha:]]{4,30}$' and not exists (
      select from search_word w where w.word like '%' || term || '%' and (tenants is null or w.tenant_id = any(tenants))
    ) then
      with near as (
        select w.word from search_word w where w.word %> term and (tenants is null or w.tenant_id = any(tenants))
        union
        select word from tenant n, regexp_split_to_table(search_form(n.name), ' ') word
          where (tenants is null or n.tenant_id = any(tenants)) and word %> term
      ),
      measured as (
        select ' ' || left(c.word, d.length) as beginning, min(d.edits) as edits
        from (select word from near order by word_similarity(term, word) desc, word limit 60) c, prefix_distance(term, c.word) d
        where d.edits <= case when length(term) < 8 then 1 else 2 end group by 1
      )
      select string_agg(beginning, '|') into likely
      from (select beginning from measured where edits = (select min(edits) from measured) order by beginning limit 8) nearest;
    end if;
    terms := terms || concat_ws('|', term, likely);
  end loop;
  return terms;
end $$;

-- Names of devices and texts of communications are looked up by each search: a unit has others tomorrow.
create index device_search on device using gin ((' ' || search_form(name) || ' ') gin_trgm_ops);
create index work_unit_communication_search on work_unit_communication using gin ((' ' || search_form(title || E'\n' || coalesce(details, '') ||
  E'\n' || coalesce(root_cause, '') || E'\n' || coalesce(maximum_impact, '') || E'\n' || coalesce(current_impact, '') ||
  E'\n' || coalesce(impacted_services, '')) || ' ') gin_trgm_ops);
create index work_unit_affected_devices on work_unit using gin (affected_devices) where affected_devices <> '[]';

-- The units that have each of the terms: in their text, the name of their tenant or of a device, or one of their communications. `tenants` are
-- those of the units, the others those whose names, devices and communications may be looked at; null: all. The statement is made for the
-- terms, because PostgreSQL plans it by how rare they are.
create function work_units_with(terms text[], tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[]) returns setof bigint
language plpgsql stable set search_path = public as $$
declare
  term text;
  typed text;
  condition text := '';
  others text;
  names uuid[];
  units bigint[];
begin
  if cardinality(terms) = 0 then
    return;
  end if;
  foreach term in array terms loop
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
      (select string_agg(format('s.body like %L', '%' || one || '%'), ' or ') from unnest(string_to_array(term, '|')) one) || others || ')';
  end loop;
  return query execute 'select s.work_unit_id from work_unit_text s where ' ||
    case when tenants is null then 'true' else format('s.tenant_id = any(%L::uuid[])', tenants) end || condition;
end $$;

-- The same for callers of some tenants. `like` is not leakproof, so under row-level security PostgreSQL asks the policy of each row before it
-- looks at an index; these functions have the rights of all tenants, and look at rows of the caller's tenants alone.
create function search_terms_in(typed text, tenants uuid[]) returns text[] language sql stable security definer set search_path = public
begin atomic
  select search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants())));
end;
create function work_units_found(typed text, tenants uuid[], named uuid[], of_devices uuid[], of_communications uuid[]) returns setof bigint
language sql stable security definer set search_path = public
begin atomic
  select work_units_with(
    search_terms_of(typed, array(select unnest(tenants) intersect select unnest(caller_tenants()))),
    array(select unnest(tenants) intersect select unnest(caller_tenants())),
    array(select unnest(named) intersect select unnest(caller_tenants())),
    array(select unnest(of_devices) intersect select unnest(caller_tenants())),
    array(select unnest(of_communications) intersect select unnest(caller_tenants()))
  );
end;

-- How well a text has the terms: first by number, then by title, by other fields, by notes; a whole word before a beginning before a part,
-- and what was typed before what it may stand for.
create function search_rank(number bigint, body text, terms text[]) returns int language sql immutable parallel safe
begin atomic
  select coalesce(sum(best), 0)::int from unnest(terms) term, lateral (
    select max(case
      when btrim(one, '# ') = number::text then 100
      when strpos(body, one) = 0 then 0
      else (case when strpos(split_part(body, E'\n', 1), one) > 0 then 20 when strpos(split_part(body, E'\n', 2), one) > 0 then 10 else 0 end)
        + (case when strpos(body, ' ' || btrim(one) || ' ') > 0 then 4 when strpos(body, ' ' || btrim(one)) > 0 then 2 else 1 end)
        - (case when n > 1 then 1 else 0 end)
    end) as best from unnest(string_to_array(term, '|')) with ordinality alternative (one, n)
  ) found;
end;

select secure_tenant_table('work_unit_text'), secure_tenant_table('search_word');
grant select on work_unit_text to app_scoped;
grant select, insert, update, delete on work_unit_text, search_word, work_unit_text_todo to app_global;

grant create on schema public to app_global;
do $$
declare
  name text;
begin
  foreach name in array array['note_search_words(uuid, text)', 'index_work_units(bigint[], boolean)', 'index_work_units_later(bigint, bigint)', 'index_new_work_units()',
    'index_changed_work_unit()', 'index_new_notes()', 'index_changed_notes()', 'index_old_work_units(int)', 'forget_search_words(int)',
    'search_terms_of(text, uuid[])', 'work_units_with(text[], uuid[], uuid[], uuid[], uuid[])', 'search_terms_in(text, uuid[])',
    'work_units_found(text, uuid[], uuid[], uuid[], uuid[])'] loop
    execute format('alter function %s owner to app_global', name);
    execute format('revoke all on function %s from public', name);
  end loop;
end $$;
revoke create on schema public from app_global;
grant execute on function search_terms_in(text, uuid[]), work_units_found(text, uuid[], uuid[], uuid[], uuid[]) to app_scoped;

create or replace function settle_searches() returns bigint language sql security definer set search_path = public
  return gin_clean_pending_list('work_unit_found') + gin_clean_pending_list('work_unit_note_found') + gin_clean_pending_list('device_found') +
    gin_clean_pending_list('work_unit_text_body') + gin_clean_pending_list('search_word_word') + gin_clean_pending_list('device_search');

-- No statement of the released version looks at the text of the search before `folded`, and keeping its index is dear.
create or replace function settle_work_unit_search() returns bigint language sql security definer set search_path = public return 0::bigint;
drop index work_unit_search;
