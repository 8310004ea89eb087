import { builtInAction, protocolActionTypes } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps, protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { notifyTarget } from '@cloudfit/contract/protocols/notify.ts';
import { followUpProblems, timeProblems } from '@cloudfit/contract/protocols/timeline.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { parameterProblems } from '@cloudfit/contract/rules/placeholders.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { hostOf, namesSecret, secretUseProblem } from '../../auth/secret-use.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { remove } from '../../resources/remove.ts';
import { serve, type FieldError, type Served } from '../../resources/served.ts';
import { loadSchedules, peopleOf } from './on-call/schedules.ts';
import { keptParameters, parametersProblem, readParameters } from './parameters.ts';
import { protocolUses } from './uses.ts';

/**
 * Deletes the actions of a protocol together with the protocol. Rows that only refer to the protocol prevent its deletion
 * instead.
 */
async function removeActions(ctx: Ctx, protocolId: string): Promise<void> {
  const rows = await ctx.db.query<{ protocol_action_id: string }>({
    text: 'select protocol_action_id from protocol_action where protocol_id = $1 order by 1',
    values: [protocolId],
  });
  for (const row of rows) await remove(ctx, servedProtocolActions, row.protocol_action_id);
}

const followUps = ['unansweredAfter', 'repeatEvery', 'acknowledgedFor'] as const;

/** Lets a changed time apply to the units that have the protocol. */
async function lookAgain(ctx: Ctx, protocolId: string): Promise<void> {
  await ctx.db.query({
    text: 'update answer_watch u set look_at = now() from work_unit w where w.work_unit_id = u.work_unit_id and w.protocol_id = $1',
    values: [protocolId],
  });
}

export const servedProtocols = serve(protocols, 'protocol', {
  fill: (ctx) => ({ modifiedBy: actorName(ctx) }),
  check: async (ctx, { verb, before, after }): Promise<FieldError[]> => {
    if (verb === 'delete') {
      const uses = await protocolUses(ctx, after.protocolId);
      if (uses) throw new ApiError('Conflict', `The protocol ${after.name} is used by ${uses}. Remove it there first.`);
      await removeActions(ctx, after.protocolId);
      return [];
    }
    if (before && before.tenantId !== after.tenantId)
      return [{ target: 'tenantId', message: 'The tenant of a protocol cannot be changed; make another protocol.' }];
    return followUpProblems(after);
  },
  after: async (ctx, { verb, after, changed }) => {
    if (verb === 'update' && followUps.some((name) => changed.includes(name))) await lookAgain(ctx, after.protocolId);
  },
});

interface Definition {
  name: string;
  action_definition_type_id: number;
  input_parameters: string | null;
  endpoint_url: string | null;
}

async function definitionOf(ctx: Ctx, id: string): Promise<Definition | undefined> {
  const [definition] = await ctx.db.query<Definition>({
    name: 'protocol-action-definition',
    // Locked until the write is done, so that the action definition cannot be deleted meanwhile.
    text: 'select name, action_definition_type_id, input_parameters, endpoint_url from action_definition where action_definition_id = $1 for key share',
    values: [id],
  });
  return definition;
}

/** All errors are about the field `parameters`, so each message begins with the name of the parameter. */
function unknownNames({ actionDefinitionId, parameters }: Row<typeof protocolActions>, definition: Definition | undefined): FieldError[] {
  const call = { actionDefinitionId, inputParameters: definition?.input_parameters, parameters: readParameters(parameters) ?? {} };
  return parameterProblems(call).map(({ name, message }) => ({ target: 'parameters', message: `${name}: ${message}` }));
}

/** A change of these fields decides where secrets in the parameters go, so it needs the permission to use them. */
const naming: readonly (keyof Row<typeof protocolActions>)[] = ['parameters', 'actionDefinitionId', 'protocolId', 'tenantId'];

/** Returns the errors of a notification step: its recipients, and secrets in it. */
async function notifyProblems(ctx: Ctx, { actionDefinitionId, parameters, tenantId }: Row<typeof protocolActions>): Promise<FieldError[]> {
  if (actionDefinitionId !== builtInAction.notify) return [];
  const values = readParameters(parameters) ?? {};
  const say = (message: string): FieldError[] => [{ target: 'parameters', message }];
  if (Object.values(values).some(namesSecret)) return say('A notification cannot send a secret.');
  const target = notifyTarget(values);
  if (typeof target === 'string') return say(target);
  if (target.whom === 'Person') {
    if (tenantId === null) return say('A protocol for all tenants cannot name a person; choose the customer or a group.');
    const person = (await peopleOf(ctx.db, tenantId, [target.personId])).get(target.personId);
    return !person || person.problem?.includes('rights') ? say('Person was not found among those with rights in this tenant.') : [];
  }
  if (target.whom !== 'Schedule') return [];
  const [schedule] = await loadSchedules(ctx.db, [target.scheduleId], 0, 1);
  return schedule && schedule.tenantId === tenantId
    ? []
    : say('The schedule belongs to another tenant. Choose a schedule of the tenant of the protocol.');
}

async function hoursProblems(ctx: Ctx, { hours, hoursScheduleId, tenantId }: Row<typeof protocolActions>): Promise<FieldError[]> {
  const target = 'hoursScheduleId';
  if ((hours ?? 'Any') === 'Any') return [];
  if (!hoursScheduleId) return [{ target, message: 'Choose the schedule whose hours decide when the step runs.' }];
  const [schedule] = await ctx.db.query<{ tenant_id: string }>({
    text: 'select tenant_id from on_call_schedule where on_call_schedule_id = $1',
    values: [hoursScheduleId],
  });
  return schedule?.tenant_id === tenantId
    ? []
    : [{ target, message: 'The schedule belongs to another tenant. Choose a schedule of the tenant of the protocol.' }];
}

/** An action has the tenant of its protocol. */
export const servedProtocolActions: Served<typeof protocolActions> = serve(protocolActions, 'protocol_action', {
  fill: async (ctx, { verb, after }) => {
    const by = actorName(ctx);
    const definition = await definitionOf(ctx, after.actionDefinitionId);
    const filled = { parameters: keptParameters(after.parameters, definition?.input_parameters ?? ''), modifiedBy: by };
    if (verb !== 'create') return filled;
    const [protocol] = await ctx.db.query<{ tenant_id: string | null }>({
      text: 'select tenant_id from protocol where protocol_id = $1',
      values: [after.protocolId],
    });
    return { ...filled, ...(protocol ? { tenantId: protocol.tenant_id } : {}), createdBy: by };
  },
  check: async (ctx, { verb, after, changed }): Promise<FieldError[]> => {
    if (verb === 'delete') return [];
    const definition = await definitionOf(ctx, after.actionDefinitionId);
    const host = after.actionDefinitionId === builtInAction.email ? undefined : hostOf(definition?.endpoint_url);
    const texts = naming.some((name) => changed.includes(name)) ? Object.values(readParameters(after.parameters) ?? {}) : [];
    const use = { actionDefinitionId: after.actionDefinitionId, host };
    const problem = parametersProblem(after.parameters) ?? (await secretUseProblem(ctx, after.tenantId, texts, use));
    if (problem) return [{ target: 'parameters', message: problem }];
    const unknown = naming.some((name) => changed.includes(name)) ? unknownNames(after, definition) : [];
    if (unknown.length > 0) return unknown;
    const errors = [...(await notifyProblems(ctx, after)), ...timeProblems(after), ...(await hoursProblems(ctx, after))];
    if (errors.length > 0) return errors;
    if (!definition || protocolActionTypes.includes(definition.action_definition_type_id)) return [];
    return [{ target: 'actionDefinitionId', message: `Protocols cannot run the action ${definition.name}. Choose another one.` }];
  },
});

export const servedPlannedSteps = serve(plannedSteps, 'planned_step');

export const servedNotifications = serve(notifications, 'notification_outcome');
