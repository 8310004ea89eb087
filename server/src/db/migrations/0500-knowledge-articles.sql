-- Knowledge articles of a tenant, or of all. `found_text` is what a search looks at, in the form of `work_unit_text`: the title, then
-- keywords, then the text, each with a line break and a blank before it.
create table knowledge_article (
  knowledge_article_id uuid primary key default uuidv7(),
  tenant_id uuid references tenant,
  title text not null,
  body text not null,
  keywords text,
  work_unit_category_id uuid references work_unit_category,
  audience text not null,
  state text not null,
  owner text,
  review_at timestamptz(3),
  published_version int not null default 0,
  published timestamptz(3),
  published_by text,
  created timestamptz(3) not null default now(),
  created_by text not null,
  modified timestamptz(3) not null default now(),
  modified_by text not null,
  version int not null default 1,
  found_text text not null generated always as (
    ' ' || search_form(title) || E' \n ' || search_form(coalesce(keywords, '')) || E' \n ' || search_form(body) || ' ') stored
);
create index knowledge_article_title on knowledge_article (title collate natural_order, knowledge_article_id);
create index knowledge_article_tenant on knowledge_article (tenant_id, title collate natural_order, knowledge_article_id);
create index knowledge_article_category on knowledge_article (work_unit_category_id) where work_unit_category_id is not null;

-- Each published version, as it was read. It is written with its article and never changed.
create table knowledge_article_version (
  knowledge_article_version_id uuid primary key default uuidv7(),
  knowledge_article_id uuid not null references knowledge_article on delete cascade,
  tenant_id uuid references tenant,
  number int not null,
  title text not null,
  body text not null,
  audience text not null,
  published timestamptz(3) not null default now(),
  published_by text not null,
  version int not null default 1,
  unique (knowledge_article_id, number)
);
create index knowledge_article_version_list on knowledge_article_version (published desc, knowledge_article_version_id);
create index knowledge_article_version_tenant on knowledge_article_version (tenant_id, published desc, knowledge_article_version_id);

-- How often an article was of use: each person counts once a day. The sums have rows of their own, because counting must not look like an
-- edit of the article.
create table knowledge_use (
  knowledge_article_id uuid not null references knowledge_article on delete cascade,
  tenant_id uuid references tenant,
  kind text not null check (kind in ('Viewed', 'Linked', 'Solved')),
  person text not null,
  day date not null,
  primary key (knowledge_article_id, kind, person, day)
);
create index knowledge_use_tenant on knowledge_use (tenant_id);
create index knowledge_use_day on knowledge_use (day);
create table knowledge_article_use (
  knowledge_article_id uuid primary key references knowledge_article on delete cascade,
  tenant_id uuid references tenant,
  viewed int not null default 0,
  linked int not null default 0,
  solved int not null default 0,
  version int not null default 1
);
create index knowledge_article_use_tenant on knowledge_article_use (tenant_id);

-- The words of articles, which correct a mistyped one. `reach`: who reads the article, from 1, everybody with a right, to 3, its editors.
create table knowledge_word (
  knowledge_article_id uuid not null references knowledge_article on delete cascade,
  tenant_id uuid references tenant,
  reach int not null,
  word text not null
);
create index knowledge_word_article on knowledge_word (knowledge_article_id);
create index knowledge_word_tenant on knowledge_word (tenant_id);
create index knowledge_word_word on knowledge_word using gin (word gin_trgm_ops);

create function index_knowledge_article() returns trigger language plpgsql security definer set search_path = public as $$
begin
  if tg_op = 'INSERT' then
    insert into knowledge_article_use (knowledge_article_id, tenant_id) values (new.knowledge_article_id, new.tenant_id);
  end if;
  delete from knowledge_word where knowledge_article_id = new.knowledge_article_id;
  insert into knowledge_word (knowledge_article_id, tenant_id, reach, word)
    select new.knowledge_article_id, new.tenant_id,
      case when new.state <> 'Published' then 3 when new.audience = 'Internal' then 2 else 1 end, w.word
    from (select distinct word from string_to_table(new.found_text, ' ') word where length(word) between 4 and 30 offset 0) w
    where w.word !~ '[^[:alpha:]]';
  return null;
end $$;
create trigger indexed after insert or update of title, body, keywords, state, audience on knowledge_article
  for each row execute function index_knowledge_article();

-- Counts a use once for each person and day. Returns whether it counts.
create function count_knowledge_use(article uuid, use text, who text, correlation uuid) returns boolean language plpgsql security definer set search_path = public as $$
begin
  insert into knowledge_use (knowledge_article_id, tenant_id, kind, person, day)
    select a.knowledge_article_id, a.tenant_id, use, who, (now() at time zone 'UTC')::date from knowledge_article a where a.knowledge_article_id = article
    on conflict do nothing;
  if not found then
    return false;
  end if;
  update knowledge_article_use set viewed = viewed + (use = 'Viewed')::int, linked = linked + (use = 'Linked')::int, solved = solved + (use = 'Solved')::int
    where knowledge_article_id = article;
  insert into change (tenant_id, verb, entity, entity_id, correlation_id)
    select tenant_id, 'update', 'knowledgeArticleUses', article::text, correlation from knowledge_article where knowledge_article_id = article;
  return true;
end $$;

-- Whether a text has each of the terms, of which one alternative suffices.
create function has_terms(body text, terms text[]) returns boolean language sql immutable parallel safe
begin atomic
  select cardinality(terms) > 0 and coalesce((select bool_and(exists (
    select from unnest(string_to_array(term, '|')) one where strpos(body, one) > 0)) from unnest(terms) term), false);
end;

-- The words of articles that the caller may read: `readers`, `staff` and `editors` are tenants by what the caller may do there, null all.
create function knowledge_words(readers uuid[], staff uuid[], editors uuid[]) returns setof knowledge_word language sql stable
begin atomic
  select * from knowledge_word w where case w.reach
    when 1 then readers is null or w.tenant_id is null or w.tenant_id = any(readers)
    when 2 then staff is null or (w.tenant_id is null and cardinality(staff) > 0) or w.tenant_id = any(staff)
    else editors is null or w.tenant_id = any(editors) end;
end;

-- The terms of a typed text, as `search_terms_of` makes them for work units.
create function knowledge_terms_of(typed text, readers uuid[], staff uuid[], editors uuid[]) returns text[] language plpgsql stable set search_path = public
set pg_trgm.word_similarity_threshold = 0.3 as $$
declare
  terms text[] := '{}';
  part text;
  term text;
  likely text;
begin
  for part in select coalesce(m[1], m[2]) from regexp_matches(typed, '"([^"]+)"|(\S+)', 'g') m limit 20 loop
    term := search_form(part);
    likely := null;
    continue when term = '';
    if length(term) < 3 then
      term := ' ' || term;
    elsif term ~ '^[[:alpha:]]{4,30}$' and not exists (
      select from knowledge_words(readers, staff, editors) w where w.word like '%' || term || '%'
    ) then
      with measured as (
        select ' ' || left(c.word, d.length) as beginning, min(d.edits) as edits
        from (select word from (select distinct w.word from knowledge_words(readers, staff, editors) w where w.word %> term) near
          order by word_similarity(term, word) desc, word limit 60) c, prefix_distance(term, c.word) d
        where d.edits <= case when length(term) < 8 then 1 else 2 end group by 1
      )
      select string_agg(beginning, '|') into likely
      from (select beginning from measured where edits = (select min(edits) from measured) order by beginning limit 8) nearest;
    end if;
    terms := terms || concat_ws('|', term, likely);
  end loop;
  return terms;
end $$;

-- The same for callers of some tenants, whose searches can use the index.
create function knowledge_terms_in(typed text, readers uuid[], staff uuid[], editors uuid[]) returns text[] language sql stable security definer set search_path = public
begin atomic
  select knowledge_terms_of(typed, array(select unnest(readers) intersect select unnest(caller_tenants())),
    array(select unnest(staff) intersect select unnest(caller_tenants())), array(select unnest(editors) intersect select unnest(caller_tenants())));
end;

select secure_tenant_table('knowledge_article'), secure_tenant_table('knowledge_article_version'), secure_tenant_table('knowledge_use'),
  secure_tenant_table('knowledge_article_use'), secure_tenant_table('knowledge_word');
grant select, insert, update, delete on knowledge_article to app_scoped, app_global;
grant select, insert on knowledge_article_version to app_scoped, app_global;
grant select on knowledge_article_use to app_scoped;
grant select, insert, update, delete on knowledge_article_use, knowledge_use, knowledge_word to app_global;

grant create on schema public to app_global;
do $$
declare
  name text;
begin
  foreach name in array array['index_knowledge_article()', 'count_knowledge_use(uuid, text, text, uuid)', 'knowledge_words(uuid[], uuid[], uuid[])',
    'knowledge_terms_of(text, uuid[], uuid[], uuid[])', 'knowledge_terms_in(text, uuid[], uuid[], uuid[])'] loop
    execute format('alter function %s owner to app_global', name);
    execute format('revoke all on function %s from public', name);
  end loop;
end $$;
revoke create on schema public from app_global;
grant execute on function knowledge_terms_in(text, uuid[], uuid[], uuid[]), count_knowledge_use(uuid, text, text, uuid) to app_scoped;
