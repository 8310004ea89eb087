/** The order of the steps of several events: what reaches one receiver about one unit, or units of one fault, starts in the order of the events. */
import type { Db } from '../../db/db.ts';
import { notify } from '../../db/notify.ts';
import { jobsOf } from '../../jobs/queue.ts';
import { reachesSamePerhaps, unitsOfLine } from '../order-of-messages.ts';
import { protocolStepsName } from './protocol-event.ts';

const isAhead = `select from protocol_run e cross join unnest(e.steps) s (id) join protocol_action a on a.protocol_action_id = s.id
join action_definition pd on pd.action_definition_id = a.action_definition_id cross join lateral (select a.parameters as input_parameters) p
join action_definition d on d.action_definition_id = $3 cross join (select $4::text as input_parameters) h
where e.work_unit_id = any(${unitsOfLine('$1::bigint')}) and e.place < $2
  and not exists (select from action_history b where b.protocol_event_id = e.event_id and b.protocol_action_id = s.id) and ${reachesSamePerhaps('p', 'pd', 'h', 'd')}`;

// Waits for another worker that starts a step of an earlier event: afterwards either that step is seen, or that worker sees this run.
const earlier = `select 1 from protocol_run e where e.work_unit_id = any(${unitsOfLine('$1::bigint')}) and e.place < $2 order by e.place for share`;

/** Whether a step of an earlier event has not started yet and may reach the same receiver as this step. */
export async function isEarlierStepAhead(
  db: Db,
  run: { work_unit_id: number; place: number },
  step: { action_definition_id: string; parameters: string },
): Promise<boolean> {
  const runs = await db.query({ name: 'protocol-earlier', text: earlier, values: [run.work_unit_id, run.place] });
  if (runs.length === 0) return false;
  const [row] = await db.query<{ ahead: boolean }>({
    name: 'protocol-ahead',
    text: `select exists (${isAhead}) as ahead`,
    values: [run.work_unit_id, run.place, step.action_definition_id, step.parameters],
  });
  return row?.ahead === true;
}

const later = `protocol_run e where e.work_unit_id = any(${unitsOfLine('$1::bigint')}) and e.place > $2`;
const wake = jobsOf(later, `'${protocolStepsName}'`, "jsonb_build_object('eventId', event_id)");

/** Lets the runs of later events look again, because a step of this run has started or the run has ended. */
export async function wakeLaterRuns(db: Db, run: { work_unit_id: number; place: number }): Promise<void> {
  const woken = await db.query({ name: 'protocol-wake-later', text: `${wake} returning 1`, values: [run.work_unit_id, run.place] });
  if (woken.length > 0) await notify(db, 'jobs');
}
