/** A person runs or rejects a pending manual action of a work unit: once, unless the action is repeatable. */
import { randomUUID } from 'node:crypto';
import { triggerProtocolAction } from '@cloudfit/contract/actions/automation.ts';
import { eventOfState, resultStatus, workUnitEventTypes } from '@cloudfit/contract/enums.ts';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { namesSecret } from '../../auth/secret-use.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { writeExecutionOnce } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { namedOnly, readParameters, type ActionParameters } from './parameters.ts';

interface ManualAction {
  action_definition_id: string;
  work_unit_event_type_id: number;
  parameters: string;
  run_automatically: boolean;
  repeatable: boolean;
  name: string;
  input_parameters: string | null;
}

type TriggeredUnit = Row<typeof workUnits>;

/**
 * Returns the action; throws 404 if it does not belong to the unit's protocol. This needs no permission to view protocols, as
 * the events of a unit need none.
 */
async function actionOf(ctx: Ctx, unit: TriggeredUnit, protocolActionId: string): Promise<ManualAction> {
  const [row] = await ctx.db.query<ManualAction>({
    name: 'protocol-action-of-unit',
    text: `select a.action_definition_id, a.work_unit_event_type_id, a.parameters, a.run_automatically, a.repeatable, d.name, d.input_parameters
from protocol_action a join action_definition d using (action_definition_id)
where a.protocol_action_id = $1 and a.protocol_id = $2 and (a.tenant_id is null or a.tenant_id = $3)`,
    values: [protocolActionId, unit.protocolId, unit.tenantId],
  });
  if (!row) throw notFound('Protocol Action');
  return row;
}

const eventName = (id: number): string => workUnitEventTypes.find((event) => event.value === id)?.label ?? String(id);

function requireItsTurn(unit: TriggeredUnit, action: ManualAction, event: number): void {
  const stored = action.work_unit_event_type_id;
  if (event !== stored)
    throw validationFailed([{ target: 'workUnitEventType', message: `This action belongs to the event ${eventName(stored)}.` }]);
  if (action.run_automatically)
    throw validationFailed([{ target: 'protocolActionId', message: 'This action runs automatically and cannot be run by hand.' }]);
  const ofState = Object.values(eventOfState).includes(stored);
  if (ofState && eventOfState[unit.stateId] !== stored)
    throw new ApiError('Conflict', `The work unit is ${unit.stateId} now; this action belongs to the event ${eventName(stored)}.`);
}

const recipients: readonly string[] = ['To', 'Cc', 'Bcc'];

/**
 * Throws if the caller's values would send a secret elsewhere: the person who writes the protocol decides which secrets an
 * action sends and where, not the person who runs the action.
 */
function requireOwnSecrets(stored: ActionParameters, sent: ActionParameters): void {
  const secret = Object.values(stored).some(namesSecret);
  const refused = Object.entries(sent).find(
    ([name, value]) =>
      value !== stored[name] && (namesSecret(value) || (secret && (recipients.includes(name) || namesSecret(stored[name])))),
  );
  if (refused)
    throw validationFailed([
      {
        target: `userDefinedParams.${refused[0]}`,
        message: 'A changed value may not send a secret of the tenant to another recipient. Keep the value of the protocol.',
      },
    ]);
}

async function alreadyDone(ctx: Ctx, messageId: string): Promise<ApiError> {
  const [row] = await ctx.db.query<{ result_status_id: number }>({
    text: 'select result_status_id from action_history where message_id = $1',
    values: [messageId],
  });
  const what = row?.result_status_id === resultStatus.suppressed ? 'rejected' : 'run';
  return new ApiError('Conflict', `This action has already been ${what} for this work unit and is not repeatable.`);
}

async function note(ctx: Ctx, unit: TriggeredUnit, detail: string): Promise<void> {
  await ctx.db.defer({
    text: `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id) values ($1, $2, $3, 'ProtocolActionActivity', $4, $5)`,
    values: [unit.workUnitId, unit.tenantId, detail, actorName(ctx), ctx.correlationId],
  });
}

export const triggerAction = implement(triggerProtocolAction, (outside, input) =>
  inTransaction(outside, async (ctx) => {
    const { protocolActionId, reject } = input;
    // Locks the unit, so that its state and protocol do not change until the execution is written.
    const unit = await get(ctx, servedOf(workUnits), input.workUnitId, { lock: 'edit' });
    requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
    const action = await actionOf(ctx, unit, protocolActionId);
    requireItsTurn(unit, action, input.workUnitEventType);
    const storedParameters = readParameters(action.parameters) ?? {};
    const sent = namedOnly((input.userDefinedParams ?? {}) as ActionParameters, action.input_parameters ?? '');
    requireOwnSecrets(storedParameters, sent);
    // Unless the action is repeatable, its id is derived from the unit and the action, so the unique constraint allows one
    // execution.
    const messageId = action.repeatable ? randomUUID() : uuidV5(protocolActionId, `work-unit:${unit.workUnitId}`);
    const written = await writeExecutionOnce(ctx.db, {
      tenantId: unit.tenantId,
      actionDefinitionId: action.action_definition_id,
      messageId,
      correlationId: ctx.correlationId,
      referenceId: String(unit.workUnitId),
      parameters: { ...storedParameters, ...sent, ProtocolActionId: protocolActionId },
      suppressed: reject,
      detail: { by: actorName(ctx), event: eventName(action.work_unit_event_type_id), ...(reject ? { reason: 'rejected' } : {}) },
      workUnitId: unit.workUnitId,
      protocolActionId,
    });
    if (!written) throw await alreadyDone(ctx, messageId);
    const why = input.note?.trim();
    await note(ctx, unit, `${action.name} was ${reject ? 'rejected' : 'started by hand'}${why ? `: ${why}` : '.'}`);
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: reject ? 'reject' : 'trigger',
      entity: 'protocolActions',
      entityId: protocolActionId,
      tenantId: unit.tenantId,
      after: { messageId, workUnitId: unit.workUnitId, parameterNames: Object.keys(sent) },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { id: messageId, rejected: reject };
  }),
);
