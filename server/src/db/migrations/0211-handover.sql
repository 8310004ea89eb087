-- What the one who goes off call tells the one who comes: a note, and what happened in the shift.
create table on_call_handover (
  on_call_handover_id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenant,
  on_call_schedule_id uuid not null references on_call_schedule on delete cascade,
  from_person_id uuid not null references person,
  to_person_id uuid references person,
  shift_from timestamptz(3) not null,
  shift_to timestamptz(3) not null,
  -- When the next shift begins.
  handed_at timestamptz(3) not null,
  note text,
  noted timestamptz(3),
  -- When the hand-over happened; what is known of the shift stays as it was then.
  completed timestamptz(3),
  facts jsonb,
  -- When the next one gets the message; null before the hand-over and after the message.
  message_at timestamptz(3),
  problem text,
  read timestamptz(3),
  unique (on_call_schedule_id, from_person_id, shift_from)
);
create index on_call_handover_tenant on on_call_handover (tenant_id, handed_at desc);
create index on_call_handover_schedule on on_call_handover (on_call_schedule_id, handed_at desc);
create index on_call_handover_at on on_call_handover (handed_at);
create index on_call_handover_open on on_call_handover (handed_at) where completed is null;
create index on_call_handover_message on on_call_handover (message_at) where message_at is not null;
create index on_call_handover_from on on_call_handover (from_person_id, handed_at desc);
create index on_call_handover_to on on_call_handover (to_person_id, handed_at desc);
select secure_tenant_table('on_call_handover');
grant select, insert, update, delete on on_call_handover to app_scoped, app_global;
