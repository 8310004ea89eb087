-- The terms of a typed text, as `search_terms_of` makes them for work units, with the words of these texts alone as corrections.
create function terms_of_texts(typed text, texts text[]) returns text[] language plpgsql stable set search_path = public
set pg_trgm.word_similarity_threshold = 0.3 as $$
declare
  words text[] := array(select distinct word from unnest(texts) body, string_to_table(body, ' ') word where length(word) > 2);
  terms text[] := '{}';
  part text;
  term text;
  likely text;
begin
  for part in select coalesce(m[1], m[2]) from regexp_matches(typed, '"([^"]+)"|(\S+)', 'g') m limit 20 loop
    term := case when part ~ '^#\d{1,18}$' then part || ' ' else search_form(part) end;
    likely := null;
    continue when term = '';
    if length(term) < 3 then
      term := ' ' || term;
    elsif term ~ '^[[:alpha:]]{4,30}$' and not exists (select from unnest(words) word where word like '%' || term || '%') then
      with measured as (
        select ' ' || left(c.word, d.length) as beginning, min(d.edits) as edits
        from (select word from unnest(words) word where word %> term order by word_similarity(term, word) desc, word limit 60) c, prefix_distance(term, c.word) d
        where d.edits <= case when length(term) < 8 then 1 else 2 end group by 1
      )
      select string_agg(beginning, '|') into likely
      from (select beginning from measured where edits = (select min(edits) from measured) order by beginning limit 8) nearest;
    end if;
    terms := terms || concat_ws('|', term, likely);
  end loop;
  return terms;
end $$;
