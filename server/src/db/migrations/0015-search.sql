-- What the search box of work units looks at, in one text with one index: with a trigram index per column each write
-- would keep seven of them, and each search ask all.
alter table work_unit add column search_text text not null generated always as (lower(
  title || E'\n' || coalesce(description, '') || E'\n' || coalesce(assigned_to, '') || E'\n' || coalesce(reference_id, '') || E'\n' ||
  coalesce(stake_holder_full_name, '') || E'\n' || coalesce(stake_holder_phone_number, '') || E'\n' || coalesce(stake_holder_email_address, '') || E'\n' ||
  public_work_unit_id)) stored;
create index work_unit_search on work_unit using gin (search_text gin_trgm_ops);
