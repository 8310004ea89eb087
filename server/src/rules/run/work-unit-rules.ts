/** Evaluates rules of type WorkUnit when a work unit was created or changed. */
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { WorkUnitEventHandler } from '../../automation/work-unit-event.job.ts';
import type { Db } from '../../db/db.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { Entity } from './entity.ts';
import { evaluateSubjects, isFirst, type SubjectEvent } from './evaluate-subjects.ts';

/**
 * Returns which of the units a rule on work units has opened. Such rules ignore these units; otherwise they would open units
 * forever.
 */
export async function openedByRulesOnUnits(db: Db, workUnitIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ work_unit_id: number }>({
    name: 'units-opened-by-rules',
    text: `select u.work_unit_id from work_unit u
left join action_history h on h.message_id = u.opened_by_rule_match_id
join rule_match m on m.rule_match_id = case when h.reference_id ~ '^[0-9a-f-]{36}$' then h.reference_id::uuid else u.opened_by_rule_match_id end
join rule r on r.rule_id = m.rule_id
where u.work_unit_id = any($1::bigint[]) and r.rule_type_id = 4`,
    values: [workUnitIds],
  });
  return new Set(rows.map((row) => row.work_unit_id));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The fields of a work unit after a change, as events and the audit record them. */
export type WrittenUnit = Readonly<Partial<Record<FieldName<typeof workUnits>, unknown>>>;

/** Returns the event of a change, with the fields of the unit after the change. `at` is in epoch milliseconds. */
export function subjectEventOf(change: {
  workUnitId: number;
  tenantId: string;
  at: number;
  after: WrittenUnit;
  correlationId: string;
}): SubjectEvent {
  const { workUnitId, tenantId, at, after, correlationId } = change;
  const { title, severityId, stateId, publicWorkUnitId } = after;
  const entity: Entity = {
    id: subjectOfWorkUnit(workUnitId),
    kind: 'workUnit',
    tenantId,
    name: typeof title === 'string' ? title : String(workUnitId),
    enabled: true,
  };
  const message = {
    Properties: {
      WorkUnitId: textOf(workUnitId),
      PublicWorkUnitId: textOf(publicWorkUnitId),
      Title: textOf(title),
      Severity: textOf(severityId),
      State: textOf(stateId),
    },
  };
  const cause = { packetId: correlationId, timestamp: at, message };
  return { entity, cause, event: { kind: 'workUnit', entity, packet: cause, workUnit: after } };
}

export function workUnitRules({ rules }: { rules: CompiledRules }): WorkUnitEventHandler {
  return async (ctx, event) => {
    if (rules.workUnit().size === 0) return;
    await ctx.db.transaction(async (tx) => {
      if (!(await isFirst(tx, event.eventId, event.tenantId))) return;
      if (event.verb === 'create' && (await openedByRulesOnUnits(tx, [event.workUnitId])).size > 0) return;
      const subject = subjectEventOf({ ...event, at: Date.parse(event.at), correlationId: ctx.correlationId });
      await evaluateSubjects(tx, rules, [subject], { among: rules.workUnit(), hops: event.hops ?? 0 });
    });
  };
}
