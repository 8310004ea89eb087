import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';

/** Selects the results of an operation that the devices of a selection have from a policy. */
export const resultsOf = (deviceSelectionId: string, label: string): Condition[] => [
  { Type: 'And', LeftOperand: operandId.deviceSelection, Operator: operatorId.equals, RightOperand: deviceSelectionId },
  { Type: 'And', LeftOperand: operandId.operationLabel, Operator: operatorId.equals, RightOperand: label },
];
