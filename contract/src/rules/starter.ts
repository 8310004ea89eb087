/** The first rules of a new installation. */
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
  // The operation that measures a machine reports its processor too: without this, a busy machine would open two work units.
  { Type: 'And', LeftOperand: operandId.entityKind, Operator: operatorId.equals, RightOperand: 'device' },
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

const condition = (rest: Pick<Condition, 'LeftOperand' | 'LeftOperandFieldName' | 'Operator' | 'RightOperand'>): Condition => ({
  Type: 'And',
  ...rest,
});
const up = { LeftOperand: operandId.metric, LeftOperandFieldName: 'Up', Operator: operatorId.equals };
const runStatus = { LeftOperand: operandId.state, LeftOperandFieldName: 'RunStatus', Operator: operatorId.matches };

/**
 * The rules about the checks of all packages. A check that could not look says neither that its target is up nor that it is down, so it
 * neither opens nor closes a match of the first rule, and has a rule of its own. Their matches last for a day without a packet, because
 * checks have intervals of up to hours; usually they end by their recovery conditions.
 */
export const checkRules = [
  {
    ...starterRule,
    name: 'A check says Down',
    description: 'Opens a work unit when a check finds its target down, until a check finds it up again.',
    matchLifetime: '24:00:00',
    conditions: [condition({ ...up, RightOperand: '0' })],
    recoveryConditions: [condition({ ...up, RightOperand: '1' })],
  },
  {
    ...starterRule,
    name: 'A check could not look, three times in a row',
    description:
      'Opens a work unit when a check says neither Up nor Down, because it was unknown, failed, did not end in time, or its packet was refused.',
    matchLifetime: '24:00:00',
    conditions: [
      {
        ...condition({ ...runStatus, RightOperand: '^(Unknown|Failed|TimedOut|Refused)$' }),
        OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } as const,
      },
    ],
    recoveryConditions: [condition({ ...runStatus, RightOperand: '^(Success|Warning|Critical)$' })],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev3' } }],
  },
];
