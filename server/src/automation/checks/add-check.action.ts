/** Adds an operation to a device, and the rule that opens a work unit by its results. */
import { addCheck } from '@cloudfit/contract/actions/device-operations.ts';
import { builtInAction, frequencyType } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { inTransaction } from '../../context/ctx.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { servedDeviceOperations } from '../../features/devices/operations/device-operations.served.ts';
import { implement } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';

const operands = { Value: operandId.value, Metric: operandId.metric, State: operandId.state } as const;

/** A match ends when three results in a row are not as said, but not within five minutes; that of an operation on demand after a day. */
function lifetimeOf({ frequencyTypeId, interval }: { frequencyTypeId: number; interval: string }): string {
  if (frequencyTypeId === frequencyType.onDemand) return '24:00:00';
  const seconds = interval.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  const all = Math.max(300, seconds * 3);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(Math.floor(all / 3_600))}:${two(Math.floor((all % 3_600) / 60))}:${two(all % 60)}`;
}

export const addCheckAction = implement(addCheck, (ctx, { id, when, severityId, parameters, ...operation }) =>
  inTransaction(ctx, async (ctx) => {
    const device = await get(ctx, servedDevices, id);
    const { reading, name, operator, value } = when;
    if (reading !== 'Value' && !name?.trim())
      throw validationFailed([{ target: 'when.name', message: `Name the ${reading.toLowerCase()} that the rule looks at.` }]);
    const deviceOperation = await create(ctx, servedDeviceOperations, {
      ...operation,
      deviceId: id,
      enabled: true,
      parameters: (parameters ?? []) as ParameterValue[],
    });
    const ofOperation: Condition = {
      Type: 'And',
      LeftOperand: operandId.entity,
      Operator: operatorId.equals,
      RightOperand: deviceOperation.deviceOperationId,
    };
    const asSaid: Condition = {
      Type: 'And',
      LeftOperand: operands[reading],
      Operator: operator,
      RightOperand: value,
      ...(reading === 'Value' ? {} : { LeftOperandFieldName: name?.trim() }),
    };
    const rule = await create(ctx, servedOf(rules), {
      name: `${operation.label} of ${device.name}`.slice(0, 200),
      ruleTypeId: 1,
      tenantId: device.tenantId,
      subscriptionId: device.subscriptionId,
      matchLifetime: lifetimeOf(deviceOperation),
      useSlidingExpiration: true,
      conditions: [ofOperation, asSaid],
      matchActions: [
        {
          ActionDefinitionId: builtInAction.createWorkUnit,
          Parameters: { SeverityId: severityId, Title: `${operation.label} of ${device.name}`, Description: '{Facts}' },
        },
      ],
    }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'ValidationFailed') throw error;
      // The caller has sent no rule, so its fields mean nothing to them.
      throw validationFailed(error.details.map(({ message }) => ({ target: 'when', message })));
    });
    return { deviceOperation, rule };
  }),
);
