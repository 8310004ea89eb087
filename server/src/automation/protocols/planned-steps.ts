/** Runs the planned steps that are due. */
import type { StopWhen, WorkUnitState } from '@cloudfit/contract/enums.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { beginSteps } from './protocol-run.ts';
import type { StepEnd } from './protocol-timeline.ts';

const atOnce = 500;

interface DueStep {
  event_id: string;
  protocol_action_id: string;
  tenant_id: string;
  work_unit_id: number;
  protocol_id: string;
  work_unit_event_type_id: number;
  event_state_id: WorkUnitState;
  stop_when: StopWhen;
  due: string;
  late_ms: number;
  nth: number;
  detail: Record<string, unknown>;
  correlation_id: string;
  hops: number;
  /** Whether the protocol still has the step. */
  exists: boolean;
  /** Whether the step runs by itself. A step that a person runs is offered from its due time on. */
  automatic: boolean;
}

// Each due time begins one run, because the transaction that begins the run also moves the due time. Missed times are not run
// later, and do not reduce the number of repetitions.
const takeDue = `with due as (
  select p.planned_step_id, p.due, p.repeat_every, p.runs_left, p.sequence, a.protocol_action_id is not null as exists, coalesce(a.run_automatically, false) as automatic
  from planned_step p join tenant n on n.tenant_id = p.tenant_id and n.enabled
  left join protocol_action a on a.protocol_action_id = p.protocol_action_id and a.protocol_id = p.protocol_id
  where p.due <= now() and p.ended is null order by p.due, p.sequence, p.planned_step_id limit ${atOnce} for update of p skip locked
), moved as (
  update planned_step p set runs = p.runs + case when d.automatic then 1 else 0 end,
    runs_left = greatest(0, p.runs_left - 1),
    due = case when d.runs_left > 0 then d.due + make_interval(secs => d.repeat_every::double precision * (1 + floor(extract(epoch from now() - d.due) / d.repeat_every))) else p.due end,
    ended = case when d.runs_left > 0 and d.automatic then null else now() end,
    reason = case when d.exists then null else 'The step was removed from the protocol.' end
  from due d where p.planned_step_id = d.planned_step_id
  returning p.event_id, p.protocol_action_id, p.tenant_id, p.work_unit_id, p.protocol_id, p.work_unit_event_type_id, p.event_state_id, p.stop_when, d.due,
    (extract(epoch from now() - d.due) * 1000)::float8 as late_ms, p.runs as nth, p.detail, p.correlation_id, p.hops, p.name, d.exists, d.automatic, d.sequence, p.planned_step_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select work_unit_id, tenant_id, left(name || case when exists then ' waits for a person in Pending Actions.' else ' did not run: the step was removed from the protocol.' end, 4000),
    case when exists then 'ProtocolActionActivity' else 'ProtocolActionFailure' end, 'Automation', correlation_id
  from moved where not automatic
), changed as (${changed(plannedSteps, 'update', 'moved')})
select event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, stop_when, due, late_ms, nth, detail, correlation_id, hops,
  exists, automatic
from moved order by due, sequence, planned_step_id`;

/**
 * Runs the due automatic steps, and offers the others to people; returns the number of due steps. Steps of one event that are
 * due at the same time run one after the other.
 */
export async function runPlannedSteps(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const due = await tx.query<DueStep>({ name: 'steps-due', text: takeDue });
      const together = Map.groupBy(
        due.filter((step) => step.automatic),
        (step) => `${step.event_id} ${new Date(step.due).toISOString()} ${step.stop_when} ${step.nth}`,
      );
      await beginSteps(
        tx,
        [...together.values()].flatMap((steps) => {
          const [first] = steps;
          if (!first) return [];
          const at = new Date(first.due).toISOString();
          return {
            eventId: uuidV5(first.event_id, `due:${at}:${first.stop_when}:${first.nth}`),
            tenantId: first.tenant_id,
            workUnitId: first.work_unit_id,
            protocolId: first.protocol_id,
            eventTypeId: first.work_unit_event_type_id,
            correlationId: first.correlation_id,
            hops: first.hops,
            steps: steps.map((step) => step.protocol_action_id),
            detail: {
              ...first.detail,
              due: at,
              lateMs: first.late_ms,
              ...(first.nth > 1 ? { nth: first.nth } : {}),
              ends: { stopWhen: first.stop_when, eventState: first.event_state_id } satisfies StepEnd,
            },
          };
        }),
      );
      return due.length;
    });
    total += count;
    if (count < atOnce) return total;
  }
}

/** Runs each second, so that a step runs at most a few seconds late. */
export const plannedStepWork: Periodic = { name: 'planned-steps', everyMs: 1_000, run: async (db) => void (await runPlannedSteps(db)) };
