/**
 * How the work units of a rule develop: which matches share a unit, when the unit is resolved, and what its protocol does until
 * then.
 */
import type { BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { simulate } from '@cloudfit/contract/protocols/simulate.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { groupKeyOf } from '../../automation/groups/group-key.ts';
import { severityOf } from '../../automation/open-work-unit.ts';
import type { Db } from '../../db/db.ts';
import { readSimulated } from '../../features/protocols/simulate.action.ts';
import type { Entity } from '../run/entity.ts';
import type { Period } from '../past/past-packets.ts';
import type { UnitCourse } from './units.ts';

const defaultReopenHours = 24;

/** The device that each device of the tenant depends on. */
async function parentsOf(db: Db, tenantId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; parent: string }>({
    text: 'select device_id as id, parent_device_id as parent from device where tenant_id = $1 and parent_device_id is not null and not is_deleted',
    values: [tenantId],
  });
  return new Map(rows.map(({ id, parent }) => [id, parent]));
}

const named = (id: string | null | undefined) => (id ? { id, name: '' } : null);

function keysOf({ groupBy, groupTag }: BacktestRule, parents: ReadonlyMap<string, string>): (entity: Entity) => string {
  return (entity) => {
    const { device } = entity;
    const subject = {
      subjectId: entity.id,
      ruleId: '',
      device: device ? { id: device.id, name: '', tags: device.tags ?? null } : null,
      parent: named(device && parents.get(device.id)),
      location: named(device?.locationId),
      subscription: named(entity.subscriptionId),
    };
    return groupKeyOf(groupBy, groupTag ?? null, subject)?.key ?? entity.id;
  };
}

async function stepsOf(db: Db, rule: BacktestRule, period: Period): Promise<UnitCourse['stepsOf']> {
  const { Parameters = {} } = rule.matchActions.find((call) => call.ActionDefinitionId === builtInAction.createWorkUnit) ?? {};
  const protocolId = guidSchema.safeParse(Parameters['ProtocolId'] || rule.protocolId).data;
  if (protocolId === undefined) return undefined;
  const [protocol] = await db.query<{ seconds: number }>({
    text: `select p.timer_inverval as seconds from protocol p
where p.protocol_id = $1 and (p.tenant_id is null or p.tenant_id = $2)`,
    values: [protocolId, rule.tenantId],
  });
  if (!protocol) return undefined;
  const simulated = await readSimulated(db, { protocolId, ofTenant: rule.tenantId, ...period });
  const colours: readonly string[] = simulated.actions
    .filter(({ definition }) => definition?.actionDefinitionId === builtInAction.setColor)
    .map((action) => action.protocolActionId);
  const severityId = severityOf(Parameters['SeverityId']);
  return (opened, resolved) => {
    const at = new Date(resolved).toISOString();
    const { timeline } = simulate({
      ...simulated,
      protocol: { timerInverval: `00:00:${protocol.seconds}` },
      severityId,
      start: new Date(opened).toISOString(),
      states: [
        { stateId: 'Acknowledged', at },
        { stateId: 'Resolved', at },
      ],
    });
    return timeline.flatMap((moment) =>
      moment.runs.filter((run) => !colours.includes(run.protocolActionId)).map(() => Date.parse(moment.at)),
    );
  };
}

/** Reads how the work units of a rule develop. `resolvedAfterMs`: the time from the opening of a unit to its resolution. */
export async function readCourse(db: Db, rule: BacktestRule, resolvedAfterMs: number, period: Period): Promise<UnitCourse> {
  const parents = rule.groupBy === 'Parent' ? await parentsOf(db, rule.tenantId) : new Map<string, string>();
  return {
    recurrence: rule.recurrence,
    reopenMs: (rule.reopenHours ?? defaultReopenHours) * 3_600_000,
    resolvedAfterMs,
    groups: {
      keyOf: rule.groupBy === 'Subject' ? undefined : keysOf(rule, parents),
      stormLimit: rule.stormLimit ?? Infinity,
      windowMs: secondsOf(rule.groupWindow) * 1_000,
      summaryMs: secondsOf(rule.groupSummary) * 1_000,
      until: period.to,
    },
    stepsOf: await stepsOf(db, rule, period),
  };
}
