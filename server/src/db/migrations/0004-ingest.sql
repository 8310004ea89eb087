-- Ends a statement whose outcome others have changed meanwhile; the caller tries again with locks.
create function expect_rows(seen bigint, expected int, error_code text) returns void language plpgsql as $$
begin
  if seen <> expected then raise exception '% rows, not %: somebody else was here first', seen, expected using errcode = error_code; end if;
end $$;
grant execute on function expect_rows(bigint, int, text) to app_scoped, app_global;
