/** Evaluates rules of type WorkUnit when a work unit was created or changed. */
import type { WorkUnitEventHandler } from '../automation/work-unit-event.job.ts';
import type { Db } from '../db/connection.ts';
import type { WorkUnitEvent } from '../features/work-units/work-unit-event.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { Entity } from './entities.ts';
import { evaluateSubjects, isFirst } from './evaluate-subjects.ts';

/** The id by which matches name a work unit: its number in the last twelve digits of a UUID of version 8. */
export function subjectOfWorkUnit(workUnitId: number): string {
  return `00000000-0000-8000-8000-${workUnitId.toString(16).padStart(12, '0')}`;
}

/** A unit that a rule on work units opened is news to no such rule: they would go on for ever. */
async function isOpenedByRuleOnUnits(db: Db, workUnitId: number): Promise<boolean> {
  const rows = await db.query({
    name: 'unit-opened-by-rule',
    text: `select 1 from work_unit u
left join action_history h on h.message_id = u.opened_by_rule_match_id
join rule_match m on m.rule_match_id = case when h.reference_id ~ '^[0-9a-f-]{36}$' then h.reference_id::uuid else u.opened_by_rule_match_id end
join rule r on r.rule_id = m.rule_id
where u.work_unit_id = $1 and r.rule_type_id = 4`,
    values: [workUnitId],
  });
  return rows.length > 0;
}

function entityOf({ workUnitId, tenantId, after }: WorkUnitEvent): Entity {
  return {
    id: subjectOfWorkUnit(workUnitId),
    kind: 'workUnit',
    tenantId,
    name: typeof after['title'] === 'string' ? after['title'] : String(workUnitId),
    enabled: true,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The unit as it was after that very change, whatever became of it since. */
export function workUnitRules({ rules }: { rules: CompiledRules }): WorkUnitEventHandler {
  return async (ctx, event) => {
    if (rules.workUnit().size === 0) return;
    await ctx.db.transaction(async (tx) => {
      if (!(await isFirst(tx, event.eventId, event.tenantId))) return;
      if (event.verb === 'create' && (await isOpenedByRuleOnUnits(tx, event.workUnitId))) return;
      const entity = entityOf(event);
      const { title, severityId, stateId, publicWorkUnitId } = event.after;
      const message = {
        Properties: {
          WorkUnitId: textOf(event.workUnitId),
          PublicWorkUnitId: textOf(publicWorkUnitId),
          Title: textOf(title),
          Severity: textOf(severityId),
          State: textOf(stateId),
        },
      };
      const cause = { packetId: ctx.correlationId, timestamp: Date.parse(event.at), message };
      const ruleEvent = { kind: 'workUnit' as const, entity, packet: cause, workUnit: event.after };
      await evaluateSubjects(tx, rules, [{ entity, cause, event: ruleEvent }], { among: rules.workUnit(), hops: event.hops ?? 0 });
    });
  };
}
