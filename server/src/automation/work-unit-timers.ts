/** OnTimer of work units: one transaction moves due timers forward and begins their events, so that each due time runs once. */
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { timedStates } from '../features/work-units/timer.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { uuidV5 } from '../platform/uuid-v5.ts';
import type { ProtocolEvent } from './protocols/protocol-event.ts';
import { beginRuns } from './protocols/protocol-run.ts';

const atOnce = 500;
const onTimer = 7;

interface DueTimer {
  work_unit_id: number;
  tenant_id: string;
  protocol_id: string | null;
  due: string;
  late_ms: number;
  missed: number;
  /** Whether steps of the previous event still run. */
  busy: boolean;
}

// Skips a unit that another transaction is changing until the next tick, because that transaction locks the unit before
// its timer. Moves each timer by whole intervals from its due time into the future. Missed intervals are counted but
// not run.
const move = `with due as (
  select t.work_unit_id, t.due from work_unit_timer t join work_unit w using (work_unit_id) join tenant n on n.tenant_id = t.tenant_id and n.enabled
  where t.due <= now() order by t.due limit ${atOnce}
  for update of t skip locked for key share of w skip locked
), unit as (
  select d.work_unit_id, d.due, p.protocol_id, p.timer_inverval as seconds,
    floor(extract(epoch from now() - d.due) / p.timer_inverval)::int as missed,
    (extract(epoch from now() - d.due) * 1000)::bigint as late_ms
  from due d
  left join work_unit w on w.work_unit_id = d.work_unit_id and w.state_id = any($1)
  left join protocol p on p.protocol_id = w.protocol_id
), ended as (
  delete from work_unit_timer t using unit u where t.work_unit_id = u.work_unit_id and u.protocol_id is null
), moved as (
  update work_unit_timer t set due = u.due + make_interval(secs => u.seconds::double precision * (u.missed + 1)), last_due = u.due, last_late_ms = u.late_ms
  from unit u where t.work_unit_id = u.work_unit_id and u.protocol_id is not null
  returning t.work_unit_id, t.tenant_id
)
select u.work_unit_id, m.tenant_id, u.protocol_id, u.due, u.late_ms::float8 as late_ms, u.missed,
  exists (select from protocol_run r where r.work_unit_id = u.work_unit_id and r.work_unit_event_type_id = ${onTimer}) as busy
from unit u left join moved m using (work_unit_id)`;

function eventOf(timer: DueTimer, protocolId: string): ProtocolEvent {
  const due = new Date(timer.due).toISOString();
  const eventId = uuidV5(protocolId, `timer:${timer.work_unit_id}:${due}`);
  return {
    eventId,
    tenantId: timer.tenant_id,
    workUnitId: timer.work_unit_id,
    protocolId,
    eventTypeId: onTimer,
    correlationId: eventId,
    hops: 0,
    detail: { due, lateMs: timer.late_ms, ...(timer.missed > 0 ? { missed: timer.missed } : {}) },
  };
}

const note = `with noted as (insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
select work_unit_id, tenant_id, 'OnTimer was skipped: the steps of the previous run are still running.', 'ProtocolActionFailure', 'Automation', uuidv7()
from jsonb_to_recordset($1::jsonb) as s (work_unit_id bigint, tenant_id uuid) returning tenant_id, work_unit_note_id, correlation_id)
${changed(workUnitNotes, 'create', 'noted')}`;

/** Runs the due timers and returns their number. */
export async function runTimers(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const due = await tx.query<DueTimer>({ name: 'timers-due', text: move, values: [timedStates] });
      const busy = due.filter((timer) => timer.busy && timer.protocol_id !== null);
      await beginRuns(
        tx,
        due.flatMap((timer) => (timer.protocol_id === null || timer.busy ? [] : [eventOf(timer, timer.protocol_id)])),
      );
      if (busy.length > 0) await tx.defer({ text: note, values: [JSON.stringify(busy)] });
      return due.length;
    });
    total += count;
    if (count < atOnce) return total;
  }
}

/** Runs each second, so that a timer runs at most a few seconds late. */
export const timerWork: Periodic = { name: 'work-unit-timers', everyMs: 1_000, run: async (db) => void (await runTimers(db)) };
