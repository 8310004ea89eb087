/** The first rule of a new installation. */
import { builtInAction } from '../enums.ts';
import { operandId } from './operands.ts';
import { operatorId } from './operators.ts';
import type { ActionCall, Condition } from './schema.ts';

const conditions: Condition[] = [
  {
    Type: 'And',
    LeftOperand: operandId.metric,
    LeftOperandFieldName: 'Cpu',
    Operator: operatorId.greaterThan,
    RightOperand: '90',
    OccurrencePattern: { Kind: 'TimesInRow', Times: 3 },
  },
];

const matchActions: ActionCall[] = [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev2' } }];

/** The rule, without its tenant and subscription. */
export const starterRule = {
  name: 'CPU over 90 % three times in a row',
  enabled: true,
  description: 'Opens a work unit when a device reports more than 90 % CPU in three heartbeats in a row.',
  ruleTypeId: 1,
  color: null,
  matchLifetime: '00:05:00',
  useSlidingExpiration: true,
  timeConditions: null,
  conditions,
  matchActions,
  expirationActions: [] as ActionCall[],
  protocolId: null,
};
