/**
 * Checks a rule before it is saved. The caller passes the check of patterns, so that forms need not load the regular expression
 * engine.
 */
import { ruleTypes, type MatchGrouping } from '../enums.ts';
import { followUpProblems } from '../protocols/timeline.ts';
import { numberIn } from './fold.ts';
import { operatorFormOf } from './operator-forms.ts';
import { comparesReadings, comparing, operandOf } from './operands.ts';
import { occurrencePattern, type Condition, type TimeConditions } from './schema.ts';
import { isTimeZone } from './time-window.ts';

type Draft<T> = { [K in keyof T]?: T[K] | null | undefined };

/** A rule in a form, in which anything may be missing. */
export interface RuleDraft {
  name?: string | null | undefined;
  ruleTypeId?: number | null | undefined;
  /** hh:mm:ss */
  matchLifetime?: string | null | undefined;
  timeConditions?: Draft<TimeConditions> | null | undefined;
  conditions?: readonly Draft<Condition>[] | null | undefined;
  recoveryConditions?: readonly Draft<Condition>[] | null | undefined;
  groupBy?: MatchGrouping | null | undefined;
  /** hh:mm:ss */
  groupWindow?: string | null | undefined;
  groupSummary?: string | null | undefined;
  /** hh:mm:ss */
  reopenAfter?: string | null | undefined;
  /** hh:mm:ss */
  clearFor?: string | null | undefined;
  /** hh:mm:ss */
  repeatEvery?: string | null | undefined;
  acknowledgedFor?: string | null | undefined;
}

/** `target` is a path into the rule: `conditions[0].RightOperand`. */
export interface RuleProblem {
  target: string;
  message: string;
}

/** The problem of a pattern; undefined when it is valid or not checked yet. */
export type PatternProblem = (pattern: string) => string | undefined;

const maintenance = 5;
const ofPackets: readonly number[] = [1, 3];
const minLifetimeSeconds = 300;

function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

function isBlank(text: string | null | undefined): boolean {
  return text === undefined || text === null || text.trim() === '';
}

function lifetimeProblems(lifetime: string | null | undefined): RuleProblem[] {
  if (isBlank(lifetime)) return [{ target: 'matchLifetime', message: 'Lifetime is required' }];
  return secondsOf(lifetime ?? '') >= minLifetimeSeconds ? [] : [{ target: 'matchLifetime', message: 'Must be at least 5 minutes.' }];
}

const minGroupSeconds = 60;
const maxGroupSeconds = 7 * 86_400;

/** Checks the settings of groups, unless the rule does not group. */
function groupProblems({ groupBy, groupWindow, groupSummary }: RuleDraft): RuleProblem[] {
  if (!groupBy || groupBy === 'Subject') return [];
  return Object.entries({ groupWindow, groupSummary }).flatMap(([target, duration]) => {
    if (isBlank(duration)) return [];
    const seconds = secondsOf(duration ?? '');
    if (seconds < minGroupSeconds) return [{ target, message: 'Must be at least 1 minute.' }];
    return seconds > maxGroupSeconds ? [{ target, message: 'Must be at most 7 days.' }] : [];
  });
}

const maxReopenSeconds = 7 * 86_400;

const maxClearSeconds = 86_400;

function clearProblems({ clearFor }: RuleDraft): RuleProblem[] {
  if (isBlank(clearFor) || secondsOf(clearFor ?? '') <= maxClearSeconds) return [];
  return [{ target: 'clearFor', message: 'Must be at most 24 hours.' }];
}

function reopenProblems({ reopenAfter }: RuleDraft): RuleProblem[] {
  if (isBlank(reopenAfter) || secondsOf(reopenAfter ?? '') <= maxReopenSeconds) return [];
  return [{ target: 'reopenAfter', message: 'Must be at most 7 days.' }];
}

function timeProblems(rule: RuleDraft): RuleProblem[] {
  const time = rule.timeConditions;
  if (!time)
    return rule.ruleTypeId === maintenance
      ? [{ target: 'timeConditions', message: 'Time limitations are required for Maintenance rules.' }]
      : [];
  const problems: RuleProblem[] = [];
  if (rule.ruleTypeId === maintenance && !time.DaysOfWeek?.length) {
    problems.push({ target: 'timeConditions.DaysOfWeek', message: 'At least one day should be selected when using a Maintenance rule.' });
  }
  const zone = time.TimeZoneId ?? '';
  if (isBlank(zone)) problems.push({ target: 'timeConditions.TimeZoneId', message: 'A timezone is required.' });
  else if (!isTimeZone(zone)) problems.push({ target: 'timeConditions.TimeZoneId', message: `The timezone "${zone}" is not known.` });
  if (time.StartRange && time.EndRange && Date.parse(time.StartRange) >= Date.parse(time.EndRange)) {
    problems.push({ target: 'timeConditions.EndRange', message: 'The end must be after the start.' });
  }
  return problems;
}

/** The problem of a right side that is read from the event. */
function readingProblem(
  { RightReading: reading, LeftOperand, Operator }: Draft<Condition>,
  ruleTypeId: number | null | undefined,
): string | undefined {
  if (!reading) return undefined;
  if (reading.Factor && !Number.isFinite(reading.Factor)) return 'The factor must be a number.';
  const [left, right, operator] = [operandOf(LeftOperand ?? -1), operandOf(reading.Operand), operatorFormOf(Operator ?? 0)];
  if (!right?.isRight) return 'Please select what to compare with.';
  if (right.needsFieldName && isBlank(reading.FieldName)) return `${right.name} needs a field name.`;
  if (left && !(comparesReadings(left) && ofPackets.includes(ruleTypeId ?? 1)))
    return `${left.name} can only be compared with a fixed value.`;
  if (operator && !comparing.includes(operator.id)) return `${operator.name} compares with a fixed value only.`;
  return undefined;
}

function rightProblem(condition: Draft<Condition>, patternProblem: PatternProblem): string | undefined {
  const asks = operatorFormOf(condition.Operator ?? 0)?.right ?? 'none';
  if (asks === 'none') return undefined;
  const right = condition.RightOperand ?? '';
  if (right === '') return 'Please enter a value.';
  const number = numberIn(right);
  if (asks === 'number' && number === undefined) return 'Please enter a number.';
  if (operandOf(condition.LeftOperand ?? -1)?.baseline && !((number ?? 0) > 0))
    return 'Please enter how many standard deviations, more than 0.';
  return asks === 'pattern' ? patternProblem(right) : undefined;
}

function conditionProblems(
  condition: Draft<Condition>,
  place: string,
  ruleTypeId: number | null | undefined,
  patternProblem: PatternProblem,
): RuleProblem[] {
  const problems: RuleProblem[] = [];
  const add = (field: keyof Condition, message: string) => problems.push({ target: `${place}.${field}`, message });
  const operand = operandOf(condition.LeftOperand ?? -1);
  const operator = operatorFormOf(condition.Operator ?? 0);
  const ruleType = ruleTypes.find((type) => type.value === ruleTypeId);
  if (!operand) add('LeftOperand', 'Please select what to compare.');
  else if (ruleType && !operand.ruleTypes.includes(ruleType.value))
    add('LeftOperand', `${operand.name} is not offered by rules of type ${ruleType.label}.`);
  if (operand?.needsFieldName && isBlank(condition.LeftOperandFieldName))
    add('LeftOperandFieldName', `${operand.name} needs a field name.`);
  if (!operator) add('Operator', 'Please select an operator.');
  else if (operand && !operand.operators.includes(operator.id))
    add('Operator', `${operator.name} does not make sense for ${operand.name}.`);
  const right = condition.RightReading ? readingProblem(condition, ruleTypeId) : rightProblem(condition, patternProblem);
  if (right) add(condition.RightReading ? 'RightReading' : 'RightOperand', right);
  if (operand?.measure === 'forecast' && !condition.AheadSeconds) add('AheadSeconds', 'Please enter how far to look ahead.');
  if (condition.OccurrencePattern && !occurrencePattern.safeParse(condition.OccurrencePattern).success)
    add('OccurrencePattern', 'Please complete the occurrence pattern.');
  return problems;
}

function recoveryProblems({ recoveryConditions, ruleTypeId }: RuleDraft, patternProblem: PatternProblem): RuleProblem[] {
  if (!recoveryConditions?.length) return [];
  if (ruleTypeId === maintenance)
    return [{ target: 'recoveryConditions', message: 'A Maintenance rule opens no matches, so it cannot have recovery conditions.' }];
  return recoveryConditions.flatMap((condition, index) =>
    conditionProblems(condition, `recoveryConditions[${index}]`, ruleTypeId, patternProblem),
  );
}

/** All problems in the order of the form; empty when the rule may be saved. */
export function ruleProblems(rule: RuleDraft, patternProblem: PatternProblem): RuleProblem[] {
  const conditions = rule.conditions ?? [];
  return [
    ...(isBlank(rule.name) ? [{ target: 'name', message: 'Please enter a rule name' }] : []),
    ...(ruleTypes.some((type) => type.value === rule.ruleTypeId) ? [] : [{ target: 'ruleTypeId', message: 'Please select a Rule Type' }]),
    ...lifetimeProblems(rule.matchLifetime),
    ...clearProblems(rule),
    ...reopenProblems(rule),
    ...followUpProblems({ repeatEvery: rule.repeatEvery, acknowledgedFor: rule.acknowledgedFor }),
    ...groupProblems(rule),
    ...timeProblems(rule),
    ...(conditions.length === 0 ? [{ target: 'conditions', message: 'Condtions are required for rules.' }] : []),
    ...conditions.flatMap((condition, index) => conditionProblems(condition, `conditions[${index}]`, rule.ruleTypeId, patternProblem)),
    ...recoveryProblems(rule, patternProblem),
  ];
}
