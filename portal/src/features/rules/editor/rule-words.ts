/** Describes a rule in one sentence, also an incomplete one. */
import { tenantStormLimit } from '@cloudfit/contract/resources/rules.ts';
import { baselineInWords } from '@cloudfit/contract/rules/baselines/words.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { looksBack, operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { exactTime } from '../../../theme/times.ts';
import {
  aggregationType,
  boxesOf,
  defaultAheadSeconds,
  lookBackSeconds,
  maintenanceType,
  takesValue,
  type ConditionDraft,
  type PatternDraft,
  type RightDraft,
  type RuleValues,
} from './rule-draft.ts';

const t = ruleEditorTexts.sentence;

/** Names by id; undefined until they load. */
export interface Names {
  /** The name of the row that the right side of a condition refers to. */
  option: (operand: number, id: string) => string | undefined;
  action: (id: string) => string | undefined;
  subscription?: (id: string) => string | undefined;
}

const lengths = [
  [86_400, en.time.days],
  [3_600, en.time.hours],
  [60, en.time.minutes],
] as const;

/** `90 s`, `5 min`: never rounded. */
export function periodText(seconds: number | null | undefined): string {
  if (!seconds) return t.unknown;
  const unit = lengths.find(([length]) => seconds % length === 0);
  return unit ? unit[1](seconds / unit[0]) : en.time.seconds(seconds);
}

const numberText = (n: number | null | undefined) => (n ? String(n) : t.unknown);

function patternText(pattern: PatternDraft | null): string {
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return t.timesInRow(numberText(pattern.Times));
    case 'TimesWithin':
      return t.timesWithin(numberText(pattern.Times), periodText(pattern.Seconds));
    case 'EveryTimeDuring':
      return t.everyTimeDuring(periodText(pattern.Seconds));
    case 'Changed':
      return t.changed;
    case 'NotSeenFor':
      return t.notSeenFor(periodText(pattern.Seconds));
    default:
      return '';
  }
}

const metric = 62;
const equals = 1;

function subjectText(condition: ConditionDraft): string {
  const { LeftOperand, LeftOperandFieldName, AheadSeconds } = condition;
  const operand = operandOf(LeftOperand ?? -1);
  if (!operand) return t.unknown;
  const field = operand.needsFieldName ? LeftOperandFieldName || t.unknown : '';
  const name = operand.id === metric || operand.baseline ? field : [operand.name, field].filter(Boolean).join(' ');
  const window = periodText(lookBackSeconds(condition));
  if (operand.measure === 'forecast')
    return `${name} ${t.inAhead(periodText(AheadSeconds ?? defaultAheadSeconds))} ${t.fromWindow(window)}`;
  return looksBack(operand) ? `${name} ${t.inWindow(window)}` : name;
}

function rightText({ Operand, FieldName, Factor }: RightDraft): string {
  const operand = operandOf(Operand);
  const field = operand?.needsFieldName ? FieldName || t.unknown : '';
  const name = Operand === metric ? field : [operand?.name, field].filter(Boolean).join(' ');
  return Factor.trim() === '' || Number(Factor) === 1 ? name : `${Factor.trim()} × ${name}`;
}

function valueText(condition: ConditionDraft, names: Names): string {
  const { LeftOperand, Operator, RightOperand } = condition;
  if (!takesValue(Operator)) return '';
  if (condition.RightReading) return rightText(condition.RightReading);
  const operand = operandOf(LeftOperand ?? -1);
  if (RightOperand === '') return t.unknown;
  return (
    operand?.choices?.find((choice) => String(choice.value) === RightOperand)?.label ??
    (operand?.lookup ? (names.option(operand.id, RightOperand) ?? t.unknown) : RightOperand)
  );
}

function conditionText(condition: ConditionDraft, names: Names): string {
  if (condition.LeftOperand === null) return t.unknown;
  const place = operandOf(condition.LeftOperand)?.place;
  if (place)
    return [t.state(valueText(condition, names), condition.Operator === equals, t.reaches[place]), patternText(condition.OccurrencePattern)]
      .filter(Boolean)
      .join(', ');
  const { baseline } = operandOf(condition.LeftOperand) ?? {};
  const operators = baseline ? en.rules.fromBaseline : t.operators;
  const operator = condition.Operator === null ? t.unknown : (operators[condition.Operator] ?? t.unknown);
  const value = baseline
    ? baselineInWords(baseline, { ...condition, RightOperand: condition.RightOperand || t.unknown }, builtWords)
    : valueText(condition, names);
  const words = [subjectText(condition), operator, value].filter(Boolean).join(' ');
  return [words, patternText(condition.OccurrencePattern)].filter(Boolean).join(', ');
}

const isScope = (condition: ConditionDraft) => operandOf(condition.LeftOperand ?? -1)?.selects === true;
const joined = (parts: readonly string[]) => parts.join(` ${t.and} `);

/** Describes a box: first the conditions on measured values, then the conditions on the scope. */
function boxText(box: readonly ConditionDraft[], names: Names): string {
  const text = (condition: ConditionDraft) => conditionText(condition, names);
  const [conditionTexts, scopeTexts] = [box.filter((item) => !isScope(item)).map(text), box.filter(isScope).map(text)];
  if (conditionTexts.length === 0) return joined(scopeTexts);
  return scopeTexts.length === 0 ? joined(conditionTexts) : `${joined(conditionTexts)}, ${t.where} ${joined(scopeTexts)}`;
}

function daysText(days: readonly number[]): string {
  const short = (day: number) => en.time.weekdays[day] ?? '';
  const ordered = [1, 2, 3, 4, 5, 6, 0].filter((day) => days.includes(day));
  return ordered.join() === '1,2,3,4,5' ? `${short(1)}–${short(5)}` : ordered.map(short).join(', ');
}

function timeText(time: TimeConditions | null): string {
  if (!time) return '';
  const { DaysOfWeek, DaysOfMonth, LastDayOfMonth, DailyStartTime, DailyEndTime, StartRange, EndRange, TimeZoneId } = time;
  const parts = [
    DaysOfWeek && DaysOfWeek.length < 7 ? t.onDays(daysText(DaysOfWeek) || t.unknown) : '',
    DaysOfMonth?.length ? t.onDaysOfMonth(DaysOfMonth.map((day) => (day > 0 ? day : t.unknown)).join(', ')) : '',
    LastDayOfMonth ? (DaysOfMonth?.length ? t.andLastDay : t.onLastDay) : '',
    DailyStartTime || DailyEndTime ? t.between(DailyStartTime || '00:00', DailyEndTime || '24:00') : '',
    StartRange ? t.after(exactTime(StartRange)) : '',
    EndRange ? t.before(exactTime(EndRange)) : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : `, ${t.only(parts.join(' '))} ${t.zone(TimeZoneId || t.unknown)}`;
}

function lifetimeText(lifetime: string): string {
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = lifetime.split(':').map(Number);
  return periodText(hours * 3_600 + minutes * 60 + seconds);
}

function groupSentences({ groupBy, groupTag, groupWindow, groupSummary, stormLimit }: RuleValues): string[] {
  // A rule with a higher limit than its tenant's is not subject to the tenant's limit.
  if (groupBy === 'Subject')
    return stormLimit === null ? [] : [t.storm(stormLimit, stormLimit <= tenantStormLimit ? tenantStormLimit : null)];
  const by = groupBy === 'Tag' && groupTag ? t.tagNamed(groupTag) : t.groupNames[groupBy];
  return [t.groups(by, lifetimeText(groupWindow), lifetimeText(groupSummary))];
}

function countSentences({ ruleTypeId, countBy, countTag }: RuleValues): string[] {
  if (ruleTypeId !== aggregationType || countBy === 'Subscription') return [];
  return [countBy === 'Tag' && countTag ? t.countsTag(countTag) : t.counts[countBy]];
}

function textOf(conditions: readonly ConditionDraft[], names: Names): string {
  const boxes = boxesOf(conditions);
  const brackets = (box: readonly ConditionDraft[]) => boxes.length > 1 && box.length > 1;
  return boxes.map((box) => (brackets(box) ? `(${boxText(box, names)})` : boxText(box, names))).join(` ${t.or} `);
}

export function sentenceOf(values: RuleValues, names: Names): string {
  const { conditions, ruleTypeId, matchLifetime, useSlidingExpiration } = values;
  if (!conditions.some((condition) => condition.LeftOperand !== null)) return t.nothing;
  const what = textOf(conditions, names);
  const start = ruleTypeId === maintenanceType ? t.holdsBack : t.when;
  const sentences = [`${start} ${what}${timeText(values.timeConditions)}.`];
  if (values.subscriptionId) sentences.push(t.onlyIn(names.subscription?.(values.subscriptionId) ?? t.unknown));
  sentences.push(...countSentences(values));
  const actionNames = (list: RuleValues['matchActions']) => joined(list.map((call) => names.action(call.ActionDefinitionId) ?? t.unknown));
  if (values.matchActions.length > 0) sentences.push(t.runs(actionNames(values.matchActions)));
  if (ruleTypeId !== maintenanceType) sentences.push(...groupSentences(values));
  const ends = lifetimeText(matchLifetime);
  if (ruleTypeId !== maintenanceType)
    sentences.push(
      values.expirationActions.length > 0
        ? t.endsThen(ends, useSlidingExpiration, actionNames(values.expirationActions))
        : t.ends(ends, useSlidingExpiration),
    );
  if (values.recoveryConditions.some((condition) => condition.LeftOperand !== null))
    sentences.push(t.recovers(textOf(values.recoveryConditions, names)));
  if (ruleTypeId !== maintenanceType && !/^[0:]*$/.test(values.clearFor)) sentences.push(t.clear(lifetimeText(values.clearFor)));
  if (ruleTypeId !== maintenanceType && values.repeatEvery) sentences.push(t.repeats(lifetimeText(values.repeatEvery)));
  if (ruleTypeId !== maintenanceType && values.acknowledgedFor) sentences.push(t.runsOut(lifetimeText(values.acknowledgedFor)));
  // A part that is not chosen yet ends in an ellipsis, which needs no full stop.
  return sentences.map((sentence) => sentence.replace(`${t.unknown}.`, t.unknown)).join(' ');
}
