/** Shows what a protocol would do, without doing it. */
import { simulateDraft, simulateProtocol } from '@cloudfit/contract/actions/protocols.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { simulate, SimulationFault, type SimulatedAction, type SimulationInput } from '@cloudfit/contract/protocols/simulate.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, requirePermission, type Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { loadSchedules, peopleOf } from './on-call/schedules.ts';
import { readParameters } from './parameters.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
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

type NamedRows = Pick<SimulationInput, 'schedules' | 'people' | 'tenant'>;

interface Period {
  from: number;
  to: number;
}

/** Returns the tenant, with the schedules and people that the steps refer to. */
async function surroundingsOf(
  db: Db,
  steps: readonly Pick<SimulatedAction, 'hoursScheduleId' | 'parameters'>[],
  ofTenant: string | null,
  { from, to }: Period,
): Promise<NamedRows> {
  const [tenantRow] = await db.query<NonNullable<SimulationInput['tenant']>>({
    text: 'select name, internal_notification_email_address as "internalNotificationEmailAddress" from tenant where tenant_id = $1',
    values: [ofTenant],
  });
  const ids = steps.flatMap((step) => [step.hoursScheduleId, readParameters(step.parameters)?.['ScheduleId']]);
  // 32 days after the last state: a step waits at most 30 days.
  const until = to + 32 * 86_400_000;
  const schedules =
    ofTenant === null ? [] : (await loadSchedules(db, guids(ids), from, until)).filter((schedule) => schedule.tenantId === ofTenant);
  const personIds = steps.map((step) => readParameters(step.parameters)?.['PersonId']);
  const onCall = schedules.flatMap((schedule) => [
    ...schedule.layers.flatMap((layer) => layer.people),
    ...schedule.overrides.map((other) => other.personId),
  ]);
  return {
    schedules,
    people: ofTenant === null ? new Map() : await peopleOf(db, ofTenant, guids([...personIds, ...onCall])),
    tenant: tenantRow ?? null,
  };
}

/** Returns what a simulation needs: the protocol's steps, with the schedules and people that they refer to. */
export async function readSimulated(
  db: Db,
  { protocolId, ofTenant, ...period }: { protocolId: string; ofTenant: string | null } & Period,
): Promise<Pick<SimulationInput, 'actions'> & NamedRows> {
  const rows = await db.query<ActionRow>({ text: actions, values: [protocolId, ofTenant] });
  return {
    actions: rows.map(({ waitSeconds, repeatSeconds, ...row }) => ({
      ...row,
      wait: waitSeconds === null ? null : `00:00:${waitSeconds}`,
      repeatEvery: repeatSeconds === null ? null : `00:00:${repeatSeconds}`,
    })),
    ...(await surroundingsOf(db, rows, ofTenant, period)),
  };
}

const periodOf = (start: string, states: readonly { at: string }[]): Period => ({
  from: Date.parse(start),
  to: Date.parse(states.at(-1)?.at ?? start),
});

export const simulateAction = implement(simulateProtocol, async (ctx, { id, severityId, start, states = [], tenantId }) => {
  const protocol = await get(ctx, servedProtocols, id);
  const ofTenant = await tenantOf(ctx, protocol.tenantId, tenantId);
  const simulated = await readSimulated(ctx.db, { protocolId: id, ofTenant, ...periodOf(start, states) });
  return run({ ...simulated, protocol, severityId, start, states });
});

interface DefinitionRow {
  actionDefinitionId: string;
  name: string;
  actionDefinitionTypeId: number;
  endpointUrl: string | null;
}

/** Only people who could save the steps may simulate them, because the answer contains addresses and people. */
function requireEditor(ctx: Ctx, tenantId: string | null): void {
  if (tenantId !== null) requireTenant(ctx, tenantId);
  if (!may(ctx, permission('WorkUnits.Protocols', 'create'), tenantId)) requirePermission(ctx, 'WorkUnits.Protocols', 'edit', tenantId);
}

export const simulateDraftAction = implement(
  simulateDraft,
  async (
    ctx,
    { protocolTenantId, timerInverval, unansweredAfter, repeatEvery, acknowledgedFor, steps, severityId, start, states = [], tenantId },
  ) => {
    requireEditor(ctx, protocolTenantId);
    const ofTenant = await tenantOf(ctx, protocolTenantId, tenantId);
    const definitions = await ctx.db.query<DefinitionRow>({
      text: `select action_definition_id as "actionDefinitionId", name, action_definition_type_id as "actionDefinitionTypeId", endpoint_url as "endpointUrl"
from action_definition where action_definition_id = any($1) and (tenant_id is null or tenant_id = $2)`,
      values: [steps.map((step) => step.actionDefinitionId), ofTenant],
    });
    const byId = new Map(definitions.map((definition) => [definition.actionDefinitionId, definition]));
    const simulated = steps.map(({ actionDefinitionId, ...step }): SimulatedAction => ({
      ...step,
      summary: step.summary ?? null,
      wait: step.wait ?? null,
      repeatEvery: step.repeatEvery ?? null,
      repeatTimes: step.repeatTimes ?? null,
      hoursScheduleId: step.hoursScheduleId ?? null,
      definition: byId.get(actionDefinitionId) ?? null,
    }));
    const protocol = {
      timerInverval,
      unansweredAfter: unansweredAfter ?? protocols.fields.unansweredAfter.initial,
      repeatEvery: repeatEvery ?? null,
      acknowledgedFor: acknowledgedFor ?? null,
    };
    const around = await surroundingsOf(ctx.db, simulated, ofTenant, periodOf(start, states));
    return run({ ...around, actions: simulated, protocol, severityId, start, states });
  },
);
