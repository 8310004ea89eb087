-- Tickets that move in from another program are no events: whoever subscribes is told of what happens here. The import sets
-- `cloudfit.moving_in` in its transaction.
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
    select jsonb_object_agg(c, jsonb_build_object('from', was -> c, 'to', is_now -> c)) into changed
      from unnest(tg_argv[4]::text[]) c where was -> c is distinct from is_now -> c;
    if changed is null then return null; end if;
    done := case when changed ? tg_argv[3] then 'state' else 'changed' end;
  end if;
  perform record_event(new.tenant_id, tg_argv[0], is_now ->> tg_argv[2], done, 'cloudfit.' || tg_argv[1] || '.' || done, changed);
  return null;
end $$;

create or replace function tell_note() returns trigger language plpgsql as $$
begin
  if current_setting('cloudfit.moving_in', true) = 'on' then return null; end if;
  if not has_event_subscribers('workUnits') then return null; end if;
  perform record_event(new.tenant_id, 'workUnits', new.work_unit_id::text, 'note', 'cloudfit.workunit.note',
    jsonb_build_object('note', new.work_unit_note_id));
  return null;
end $$;
