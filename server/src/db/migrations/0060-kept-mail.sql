-- A mail for which no mail server is set is kept: it has not been sent, and its execution stays queued.
alter table action_history add column kept_since timestamptz(3);
-- The work units in whose feed the fate of a mail stands that is no action's.
alter table outbox_message add column work_unit_ids bigint[] not null default '{}';
-- Locks the row of a mail that is handed to the queue.
grant update (work_unit_ids) on outbox_message to app_scoped, app_global;
-- The mail of a notification: one that failed for good can be asked for again.
alter table communication_notification add column message_id uuid;
create index communication_notification_message on communication_notification (message_id) where message_id is not null;
grant delete on communication_notification to app_global;
-- An entry of a feed that people have to see.
alter table work_unit_note add column is_warning boolean not null default false;

set local role app_global;
update action_history h set result_status_id = 3, kept_since = o.created,
  result_detail = coalesce(h.result_detail, '{}') || '{"reason": "Kept, not sent: no mail server is set."}'
from outbox_message o where o.message_id = h.message_id and h.result_status_id = 1;
reset role;
