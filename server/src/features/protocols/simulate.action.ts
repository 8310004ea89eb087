/** Tells what a protocol would do, without doing it. */
import { simulateProtocol } from '@cloudfit/contract/actions/protocols.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { simulate, SimulationFault, type SimulatedAction, type SimulationInput } from '@cloudfit/contract/protocols/simulate.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/connection.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { loadSchedules, peopleOf } from './on-call/schedules.ts';
import { readParameters } from './parameters.ts';
import { servedProtocols } from './protocols.served.ts';

const actions = `select a.protocol_action_id as "protocolActionId", a.work_unit_event_type_id as "workUnitEventTypeId", a.sequence, a.summary,
  a.run_automatically as "runAutomatically", a.repeatable, a.parameters, a.stop_when as "stopWhen", a.only_states as "onlyStates",
  a.only_severities as "onlySeverities", a.hours, a.hours_schedule_id as "hoursScheduleId", a.repeat_times as "repeatTimes",
  a.wait as "waitSeconds", a.repeat_every as "repeatSeconds",
  case when d.action_definition_id is not null then json_build_object('actionDefinitionId', d.action_definition_id, 'name', d.name,
    'actionDefinitionTypeId', d.action_definition_type_id, 'endpointUrl', d.endpoint_url) end as definition
from protocol_action a left join action_definition d on d.action_definition_id = a.action_definition_id and (d.tenant_id is null or d.tenant_id = $2)
where a.protocol_id = $1 order by a.sequence, a.created, a.protocol_action_id`;

interface ActionRow extends Omit<SimulatedAction, 'wait' | 'repeatEvery'> {
  waitSeconds: number | null;
  repeatSeconds: number | null;
}

const guids = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => guidSchema.safeParse(value).success)),
];

async function tenantOf(ctx: Ctx, protocolTenantId: string | null, requestedTenantId: string | null | undefined): Promise<string | null> {
  if (protocolTenantId) return protocolTenantId;
  if (requestedTenantId) {
    requireTenant(ctx, requestedTenantId);
    return requestedTenantId;
  }
  return ctx.tenants !== 'all' && ctx.tenants.length === 1 ? (ctx.tenants[0] ?? null) : null;
}

function run(input: SimulationInput): ReturnType<typeof simulate> {
  try {
    return simulate(input);
  } catch (error) {
    throw error instanceof SimulationFault ? validationFailed([{ target: error.target, message: error.message }]) : error;
  }
}

/** What a simulation reads: the protocol's steps, with the schedules and people that they name. */
export async function readSimulated(
  db: Db,
  { protocolId, ofTenant, from, to }: { protocolId: string; ofTenant: string | null; from: number; to: number },
): Promise<Pick<SimulationInput, 'actions' | 'schedules' | 'people' | 'tenant'>> {
  const [tenantRow] = await db.query<NonNullable<SimulationInput['tenant']>>({
    text: 'select name, internal_notification_email_address as "internalNotificationEmailAddress" from tenant where tenant_id = $1',
    values: [ofTenant],
  });
  const rows = await db.query<ActionRow>({ text: actions, values: [protocolId, ofTenant] });
  const ids = rows.flatMap((row) => [row.hoursScheduleId, readParameters(row.parameters)?.['ScheduleId']]);
  // As far ahead as a step may wait after the last state.
  const until = to + 32 * 86_400_000;
  const schedules = ofTenant === null ? [] : (await loadSchedules(db, guids(ids), from, until)).filter((one) => one.tenantId === ofTenant);
  const named = rows.map((row) => readParameters(row.parameters)?.['PersonId']);
  const onCall = schedules.flatMap((one) => [
    ...one.layers.flatMap((layer) => layer.people),
    ...one.overrides.map((other) => other.personId),
  ]);
  return {
    actions: rows.map(({ waitSeconds, repeatSeconds, ...row }) => ({
      ...row,
      wait: waitSeconds === null ? null : `00:00:${waitSeconds}`,
      repeatEvery: repeatSeconds === null ? null : `00:00:${repeatSeconds}`,
    })),
    schedules,
    people: ofTenant === null ? new Map() : await peopleOf(db, ofTenant, guids([...named, ...onCall])),
    tenant: tenantRow ?? null,
  };
}

export const simulateAction = implement(simulateProtocol, async (ctx, { id, severityId, start, states = [], tenantId }) => {
  const protocol = await get(ctx, servedProtocols, id);
  const ofTenant = await tenantOf(ctx, protocol.tenantId, tenantId);
  const to = Date.parse(states.at(-1)?.at ?? start);
  const simulated = await readSimulated(ctx.db, { protocolId: id, ofTenant, from: Date.parse(start), to });
  return run({ ...simulated, protocol: { timerInverval: protocol.timerInverval }, severityId, start, states });
});
