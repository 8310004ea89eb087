/** Reproducible randomness: every value follows from the seed, a name and a number, in whatever order rows are created. */

/**
 * SQL functions of this session. `demo_share(name, n)`: at least 0 and below 1. `demo_pick(list, share)`: one item of
 * the list. `demo_id(name, n)`: a UUID (version 5). `demo_wait(mean, share)`: a waiting time, mostly short, sometimes
 * long.
 */
export const randomFunctions = `
create or replace function pg_temp.demo_share(name text, n bigint) returns float8 stable language sql as
  $$ select (hashint8extended(n, hashtextextended(name, current_setting('demo.seed')::bigint)) & 9007199254740991) / 9007199254740992.0 $$;
create or replace function pg_temp.demo_pick(list text[], share float8) returns text immutable language sql as
  $$ select list[1 + floor(share * cardinality(list))::int] $$;
create or replace function pg_temp.demo_id(name text, n bigint) returns uuid stable language sql as
  $$ select overlay(overlay(md5(concat_ws(' ', current_setting('demo.seed'), name, n)) placing '5' from 13) placing 'a' from 17)::uuid $$;
create or replace function pg_temp.demo_wait(mean interval, share float8) returns interval immutable language sql as
  $$ select mean * (-ln(1 - share * 0.999)) $$;
`;
