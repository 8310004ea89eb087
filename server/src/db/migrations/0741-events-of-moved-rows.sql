-- What a row was in the tenant that it leaves is nothing to who subscribes in the tenant into which it moves: its changed fields have no
-- earlier values then.
create or replace function tell_event() returns trigger language plpgsql as $$
declare
  was jsonb;
  is_now jsonb;
  changed jsonb;
  done text := 'opened';
begin
  if current_setting('cloudfit.moving_in', true) = 'on' then return null; end if;
  if not has_event_subscribers(tg_argv[0]) then return null; end if;
  is_now := to_jsonb(new);
  if tg_op = 'UPDATE' then
    was := to_jsonb(old);
    select jsonb_object_agg(c, jsonb_build_object('from', case when old.tenant_id is not distinct from new.tenant_id then was -> c end, 'to', is_now -> c))
      into changed from unnest(tg_argv[4]::text[]) c where was -> c is distinct from is_now -> c;
    if changed is null then return null; end if;
    done := case when changed ? tg_argv[3] then 'state' else 'changed' end;
  end if;
  perform record_event(new.tenant_id, tg_argv[0], is_now ->> tg_argv[2], done, 'cloudfit.' || tg_argv[1] || '.' || done, changed);
  return null;
end $$;
