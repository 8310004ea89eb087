/** A rule in the form: its values, how they are sent, and edits of its conditions. */
import { baselineOf, defaultBaseline } from '@cloudfit/contract/rules/baselines/baseline.ts';
import { comparesReadings, comparing, looksBack, operandId, operandOf, type Operand } from '@cloudfit/contract/rules/operands.ts';
import { numberIn } from '@cloudfit/contract/rules/fold.ts';
import { operatorFormOf } from '@cloudfit/contract/rules/operator-forms.ts';
import {
  defaultWindowSeconds,
  windowSecondsOf,
  type ActionCall,
  type Baseline,
  type Condition,
  type OccurrencePattern,
  type RightReading,
  type TimeConditions,
} from '@cloudfit/contract/rules/schema.ts';
import type { Rule } from '../use-rules.ts';

/** Left operand of the condition that names the tenant (RULE-040). */
export const tenantOperand = 20;
const equals = 1;
const greaterThan = 3;
export const ingestionType = 1;
export const historyType = 3;
export const maintenanceType = 5;
export const aggregationType = 6;
/** How far a forecast looks ahead by default, in seconds. */
export const defaultAheadSeconds = 4 * 3_600;

/** A pattern while it is written, when its numbers may be missing. */
export interface PatternDraft {
  Kind: OccurrencePattern['Kind'];
  Times?: number | null;
  Seconds?: number | null;
}

/** A right side that is read from the event. The factor is text while it is written; an empty factor stands for 1. */
export interface RightDraft {
  Operand: number;
  FieldName: string;
  Factor: string;
}

export interface ConditionDraft {
  /** Identifies a line while lines move. */
  key: number;
  Type: Condition['Type'];
  LeftOperand: number | null;
  LeftOperandFieldName: string;
  Operator: number | null;
  RightOperand: string;
  /** The reading that replaces `RightOperand`; null for a fixed value. */
  RightReading: RightDraft | null;
  OccurrencePattern: PatternDraft | null;
  WindowSeconds: number | null;
  AheadSeconds: number | null;
  Baseline: Baseline;
}

export interface ActionDraft {
  key: number;
  ActionDefinitionId: string;
  Parameters: ActionCall['Parameters'];
}

export interface RuleValues {
  name: string;
  enabled: boolean;
  description: string | null;
  ruleTypeId: number | null;
  /** Null for a rule of several tenants: of the group, or of all. */
  tenantId: string | null;
  tenantGroupId: string | null;
  subscriptionId: string | null;
  color: string | null;
  matchLifetime: string;
  useSlidingExpiration: boolean;
  clearFor: string;
  lateGrace: string;
  tellLate: boolean;
  neverReported: boolean;
  protocolId: string | null;
  runbookId: string | null;
  recurrence: Rule['recurrence'];
  reopenHours: number | null;
  whileMatching: Rule['whileMatching'];
  reopenAfter: string;
  repeatEvery: string | null;
  acknowledgedFor: string | null;
  countBy: Rule['countBy'];
  countTag: string | null;
  groupBy: Rule['groupBy'];
  groupTag: string | null;
  groupWindow: string;
  groupSummary: string;
  stormLimit: number | null;
  timeConditions: TimeConditions | null;
  conditions: readonly ConditionDraft[];
  /** Empty if a match ends only by its lifetime. */
  recoveryConditions: readonly ConditionDraft[];
  matchActions: readonly ActionDraft[];
  expirationActions: readonly ActionDraft[];
}

let lastKey = 0;
const newKey = () => (lastKey += 1);

export function blankCondition(Type: Condition['Type'] = 'And'): ConditionDraft {
  return {
    key: newKey(),
    Type,
    LeftOperand: null,
    LeftOperandFieldName: '',
    Operator: null,
    RightOperand: '',
    RightReading: null,
    OccurrencePattern: null,
    WindowSeconds: null,
    AheadSeconds: null,
    Baseline: defaultBaseline,
  };
}

export const blankAction = (): ActionDraft => ({ key: newKey(), ActionDefinitionId: '', Parameters: {} });

function rightDraft({ Operand, FieldName, Factor }: RightReading): RightDraft {
  return { Operand, FieldName: FieldName ?? '', Factor: Factor === null || Factor === undefined ? '' : String(Factor) };
}

function conditionDraft(condition: Condition): ConditionDraft {
  const { Type, LeftOperand, LeftOperandFieldName, Operator, RightOperand, RightReading, OccurrencePattern } = condition;
  return {
    key: newKey(),
    Type,
    LeftOperand,
    LeftOperandFieldName: LeftOperandFieldName ?? '',
    Operator,
    RightOperand: RightOperand ?? '',
    RightReading: RightReading ? rightDraft(RightReading) : null,
    OccurrencePattern: OccurrencePattern?.Kind === 'EveryTime' ? null : (OccurrencePattern ?? null),
    WindowSeconds: condition.WindowSeconds ?? null,
    AheadSeconds: condition.AheadSeconds ?? null,
    Baseline: baselineOf(condition),
  };
}

const actionDraft = (call: ActionCall): ActionDraft => ({ key: newKey(), ...call });

/** The form's values of a saved rule, or the initial values of a new one. */
export function valuesOf(rule: Partial<Rule>): RuleValues {
  return {
    name: rule.name ?? '',
    enabled: rule.enabled ?? true,
    description: rule.description ?? null,
    ruleTypeId: rule.ruleTypeId ?? null,
    tenantId: rule.tenantId ?? null,
    tenantGroupId: rule.tenantGroupId ?? null,
    subscriptionId: rule.subscriptionId ?? null,
    color: rule.color ?? null,
    matchLifetime: rule.matchLifetime ?? '00:05:00',
    useSlidingExpiration: rule.useSlidingExpiration ?? false,
    clearFor: rule.clearFor ?? '00:00:00',
    lateGrace: rule.lateGrace ?? '00:00:10',
    tellLate: rule.tellLate ?? false,
    neverReported: rule.neverReported ?? true,
    protocolId: rule.protocolId ?? null,
    runbookId: rule.runbookId ?? null,
    recurrence: rule.recurrence ?? 'Append',
    reopenHours: rule.reopenHours ?? null,
    whileMatching: rule.whileMatching ?? 'Reopen',
    reopenAfter: rule.reopenAfter ?? '00:05:00',
    repeatEvery: rule.repeatEvery ?? null,
    acknowledgedFor: rule.acknowledgedFor ?? null,
    countBy: rule.countBy ?? 'Subscription',
    countTag: rule.countTag ?? null,
    groupBy: rule.groupBy ?? 'Subject',
    groupTag: rule.groupTag ?? null,
    groupWindow: rule.groupWindow ?? '00:30:00',
    groupSummary: rule.groupSummary ?? '00:15:00',
    stormLimit: rule.stormLimit ?? 100,
    timeConditions: rule.timeConditions ?? null,
    conditions: (rule.conditions ?? []).map(conditionDraft),
    recoveryConditions: (rule.recoveryConditions ?? []).map(conditionDraft),
    matchActions: (rule.matchActions ?? []).map(actionDraft),
    expirationActions: (rule.expirationActions ?? []).map(actionDraft),
  };
}

/** Returns the values of a new rule: the condition on its tenant, and an empty condition to fill in. */
export function startValues(tenantId: string | null, subscriptionId: string | null): RuleValues {
  const values = { ...valuesOf({}), subscriptionId, conditions: [blankCondition()] };
  return tenantId ? withTenant(values, tenantId) : values;
}

/** Whether the right side may be a reading instead of a fixed value. */
export function mayReadRight({ LeftOperand, Operator }: ConditionDraft, ruleTypeId: number | null): boolean {
  const ofPackets = ruleTypeId === ingestionType || ruleTypeId === historyType;
  return ofPackets && comparesReadings(operandOf(LeftOperand ?? -1)) && comparing.includes(Operator ?? 0);
}

/** The initial value of a right side that is read from the event. */
export const firstRight: RightDraft = { Operand: operandId.metric, FieldName: '', Factor: '' };

/** Whether the operator asks for a value (RULE-042, RULE-043). */
export const takesValue = (operator: number | null): boolean => operatorFormOf(operator ?? 0)?.right !== 'none';

function wirePattern(pattern: PatternDraft | null): PatternDraft | null {
  if (!pattern) return null;
  const { Kind, Times, Seconds } = pattern;
  const withTimes = Kind === 'TimesInRow' || Kind === 'TimesWithin';
  const withSeconds = Kind === 'TimesWithin' || Kind === 'EveryTimeDuring' || Kind === 'NotSeenFor';
  return { Kind, ...(withTimes ? { Times: Times ?? null } : {}), ...(withSeconds ? { Seconds: Seconds ?? null } : {}) };
}

function wireRight({ Operand, FieldName, Factor }: RightDraft): Record<string, unknown> {
  const factor = numberIn(Factor);
  return {
    Operand,
    FieldName: operandOf(Operand)?.needsFieldName ? FieldName.trim() : null,
    // A factor that is not a number is sent as it is; the check of the rule reports it.
    Factor: Factor.trim() === '' ? null : (factor ?? Factor),
  };
}

/** Returns how far the condition looks back, in seconds: as written, or by default. */
export function lookBackSeconds({ LeftOperand, WindowSeconds, AheadSeconds }: ConditionDraft): number {
  return windowSecondsOf(operandOf(LeftOperand ?? -1)?.measure, { WindowSeconds, AheadSeconds: AheadSeconds ?? defaultAheadSeconds });
}

/** The condition to send, without values that its operand or operator does not use. */
export function wireCondition(condition: ConditionDraft): Record<string, unknown> {
  const operand = operandOf(condition.LeftOperand ?? -1);
  const readsRight = condition.RightReading !== null && takesValue(condition.Operator);
  return {
    Type: condition.Type,
    LeftOperand: condition.LeftOperand,
    LeftOperandFieldName: operand?.needsFieldName ? condition.LeftOperandFieldName.trim() : null,
    Operator: condition.Operator,
    RightOperand: takesValue(condition.Operator) && !readsRight ? condition.RightOperand : null,
    ...(readsRight && condition.RightReading ? { RightReading: wireRight(condition.RightReading) } : {}),
    OccurrencePattern: wirePattern(condition.OccurrencePattern),
    WindowSeconds: looksBack(operand) ? lookBackSeconds(condition) : null,
    ...(operand?.measure === 'forecast' ? { AheadSeconds: condition.AheadSeconds ?? defaultAheadSeconds } : {}),
    ...(operand?.baseline ? { Baseline: condition.Baseline } : {}),
  };
}

const wireAction = ({ ActionDefinitionId, Parameters }: ActionDraft) => ({ ActionDefinitionId, Parameters });

/** All values as they are sent. */
export function wireOf(values: RuleValues): Record<keyof RuleValues, unknown> {
  return {
    ...values,
    conditions: values.conditions.map(wireCondition),
    recoveryConditions: values.recoveryConditions.length > 0 ? values.recoveryConditions.map(wireCondition) : null,
    matchActions: values.matchActions.map(wireAction),
    expirationActions: values.expirationActions.map(wireAction),
  };
}

/** Returns restored values with new keys of their lines: the keys of another page load may equal those of new lines here. */
export function withNewKeys(values: RuleValues): RuleValues {
  const renewed = <T extends { key: number }>(lines: readonly T[]) => lines.map((line) => ({ ...line, key: newKey() }));
  const { conditions, recoveryConditions, matchActions, expirationActions } = values;
  return {
    ...values,
    conditions: renewed(conditions),
    recoveryConditions: renewed(recoveryConditions),
    matchActions: renewed(matchActions),
    expirationActions: renewed(expirationActions),
  };
}

/** The fields whose values differ. */
export function changedFields(a: RuleValues, b: RuleValues): (keyof RuleValues)[] {
  const [one, other] = [wireOf(a), wireOf(b)];
  return (Object.keys(one) as (keyof RuleValues)[]).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** Sets the tenant and the condition on the tenant, which comes first and is removed without a tenant (RULE-040, RULE-041). */
export function withTenant(values: RuleValues, tenantId: string | null): RuleValues {
  const isOfTenant = (condition: ConditionDraft) => condition.LeftOperand === tenantOperand;
  const changed = { ...values, tenantId, tenantGroupId: null };
  if (!tenantId) {
    let conditions = values.conditions;
    for (const { key } of conditions.filter(isOfTenant)) conditions = withoutCondition(conditions, key);
    return { ...changed, conditions };
  }
  const follows = (condition: ConditionDraft) =>
    isOfTenant(condition) && condition.Operator === equals && (condition.RightOperand === values.tenantId || condition.RightOperand === '');
  if (values.conditions.some(follows))
    return {
      ...changed,
      conditions: values.conditions.map((condition) => (follows(condition) ? { ...condition, RightOperand: tenantId } : condition)),
    };
  const tenantCondition = { ...blankCondition(), LeftOperand: tenantOperand, Operator: equals, RightOperand: tenantId };
  // The former first condition had no predecessor, so its And or Or had no meaning: it becomes And.
  const rest = values.conditions.map((condition, at) => (at === 0 ? { ...condition, Type: 'And' as const } : condition));
  return { ...changed, conditions: [tenantCondition, ...rest] };
}

/** The values as those of a rule of one of its tenants, as which it is tried; the server applies the exceptions of the saved rule. */
export function atTenant(values: RuleValues, tenantId: string | null): RuleValues {
  return { ...values, tenantId: values.tenantId ?? tenantId, tenantGroupId: null };
}

/** Groups the conditions into boxes: And binds tighter than Or. The type of the first condition is ignored. */
export function boxesOf<C extends { Type: Condition['Type'] }>(conditions: readonly C[]): C[][] {
  const boxes: C[][] = [];
  for (const condition of conditions) {
    const last = boxes.at(-1);
    if (last && condition.Type === 'And') last.push(condition);
    else boxes.push([condition]);
  }
  return boxes;
}

export function withCondition(conditions: readonly ConditionDraft[], at: number, added: ConditionDraft): readonly ConditionDraft[] {
  return conditions.toSpliced(at, 0, added);
}

/**
 * Removes a condition. If it began a box, the next condition begins the box, so that the other conditions stay in their boxes.
 */
export function withoutCondition(conditions: readonly ConditionDraft[], key: number): readonly ConditionDraft[] {
  const at = conditions.findIndex((condition) => condition.key === key);
  const [removed, next] = [conditions[at], conditions[at + 1]];
  if (!removed) return conditions;
  const begins = at > 0 && removed.Type === 'Or';
  const rest = next && begins ? conditions.with(at + 1, { ...next, Type: 'Or' }) : conditions;
  return rest.toSpliced(at, 1);
}

/** Swaps a condition with the previous or next condition. And and Or keep their positions. */
export function movedCondition(conditions: readonly ConditionDraft[], key: number, by: -1 | 1): readonly ConditionDraft[] {
  const at = conditions.findIndex((condition) => condition.key === key);
  const [one, other] = [conditions[at], conditions[at + by]];
  if (!one || !other) return conditions;
  return conditions.with(at, { ...other, Type: one.Type }).with(at + by, { ...one, Type: other.Type });
}

/** Sets the left operand. Operator and value are kept if the new operand allows them. */
export function withOperand(condition: ConditionDraft, id: number, field?: string): ConditionDraft {
  const [before, operand] = [operandOf(condition.LeftOperand ?? -1), operandOf(id)];
  const operators = operand?.operators ?? [];
  const usual = operand?.input === 'number' ? greaterThan : (operators[0] ?? equals);
  const isFree = (item: Operand | undefined) => item === undefined || item.input === 'text' || item.input === 'number';
  return {
    ...condition,
    LeftOperand: id,
    LeftOperandFieldName: field ?? (operand?.needsFieldName ? condition.LeftOperandFieldName : ''),
    Operator: condition.Operator !== null && operators.includes(condition.Operator) ? condition.Operator : usual,
    RightReading: comparesReadings(operand) ? condition.RightReading : null,
    RightOperand: before?.id === id || (isFree(before) && isFree(operand)) ? condition.RightOperand : '',
  };
}

const firstTimes = 3;

/** Sets the pattern; the numbers of the previous pattern stay, missing ones get defaults. */
export function withPattern(condition: ConditionDraft, Kind: PatternDraft['Kind']): ConditionDraft {
  if (Kind === 'EveryTime') return { ...condition, OccurrencePattern: null };
  const { Times = firstTimes, Seconds = defaultWindowSeconds } = condition.OccurrencePattern ?? {};
  return { ...condition, OccurrencePattern: { Kind, Times, Seconds } };
}
