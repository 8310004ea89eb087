/** Adds an operation to a device or a policy, and the rule that opens a work unit by its results. */
import { addCheck } from '@cloudfit/contract/actions/device-operations.ts';
import type { ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import { addPolicyCheck } from '@cloudfit/contract/policies/calls.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { inTransaction } from '../../context/ctx.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { implement } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import { ruleOfCheck } from './check-rule.ts';
import { resultsOf } from './policy-results.ts';
import { servedOf } from '../../resources/served.ts';

export const addCheckAction = implement(addCheck, (ctx, { id, when, severityId, parameters, ...operation }) =>
  inTransaction(ctx, async (ctx) => {
    const device = await get(ctx, servedDevices, id);
    const deviceOperation = await create(ctx, servedOf(deviceOperations), {
      ...operation,
      deviceId: id,
      enabled: true,
      parameters: (parameters ?? []) as ParameterValue[],
    });
    const name = `${operation.label} of ${device.name}`;
    const rule = await ruleOfCheck(ctx, {
      name,
      place: { tenantId: device.tenantId, subscriptionId: device.subscriptionId },
      selects: [
        { Type: 'And', LeftOperand: operandId.entity, Operator: operatorId.equals, RightOperand: deviceOperation.deviceOperationId },
      ],
      when,
      severityId,
      title: name,
      operationId: operation.operationId,
      runs: deviceOperation,
    });
    return { deviceOperation, rule };
  }),
);

export const addPolicyCheckAction = implement(addPolicyCheck, (ctx, { id, operation, when, severityId }) =>
  inTransaction(ctx, async (ctx) => {
    const policy = await update(ctx, servedOf(policies), id, ({ operations }) => ({ operations: [...operations, operation] }));
    const rule = await ruleOfCheck(ctx, {
      name: `${operation.label} (${policy.name})`,
      place: { tenantId: policy.tenantId ?? null, tenantGroupId: policy.tenantGroupId ?? null },
      selects: resultsOf(policy.deviceSelectionId, operation.label),
      when,
      severityId,
      operationId: operation.operationId,
      runs: operation,
    });
    return { policy, rule };
  }),
);
