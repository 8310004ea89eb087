/** Turns a stored rule into what the evaluator runs: everything parsed once, broken rules refused. */
import { RuleError } from './errors.ts';
import type { Fact, MatchFact, RuleEvent } from './facts.ts';
import { numberIn } from './fold.ts';
import { activeMatch } from './matches.ts';
import { keysOfEquals, operatorId, operatorOf, type Operator } from './operators.ts';
import { operandOf, type Operand, type ReadingSource } from './operands.ts';
import { digest, patternOf, type Pattern } from './patterns.ts';
import {
  compileCheck,
  isLimit,
  kinds,
  newReadings,
  passes,
  type ConditionCheck,
  type Parts,
  type Predicate,
  type SharedReadings,
} from './predicate.ts';
import type { Condition, TimeConditions } from './schema.ts';
import { compileTimeWindow } from './time-window.ts';
import { defaultWindowSeconds, measured, windowLength, type Measure, type WindowLength } from './window.ts';

/** What of a stored rule the evaluation needs; a row of the rules table fits. */
export interface RuleDefinition {
  ruleId: string;
  name: string;
  ruleTypeId: number;
  tenantId: string;
  subscriptionId?: string | null | undefined;
  conditions: readonly Condition[];
  timeConditions?: TimeConditions | null | undefined;
  /** Since when the rule is as it is (epoch milliseconds): what came before may not have been counted. */
  since?: number | undefined;
}

/** The packets that a condition looks at together. */
export interface Window {
  measure: Measure;
  length: WindowLength;
  /** Nothing is said before a whole window was watched: fewer packets than there were would be too few. */
  whole: boolean;
  ms: number;
}

export interface CompiledCondition extends Parts {
  /** Place in the rule's list. */
  index: number;
  source: Condition;
  operand: Operand;
  operator: Operator;
  step: ConditionCheck;
  holds: Predicate;
  /** Present when the pattern remembers something. */
  pattern: Pattern | undefined;
  /** Present when the condition itself remembers the packets of a while. */
  window: Window | undefined;
  /** Milliseconds of silence before which a tick cannot make it hold; undefined when a tick never can. */
  silenceMs: number | undefined;
  /** Where its memory is kept in the rule's state. A changed condition has another key. */
  key: string;
}

/** Conditions joined by And. Gates come first: while one fails, the group is not about this entity and remembers nothing. */
export interface CompiledGroup {
  gates: readonly CompiledCondition[];
  withMemory: readonly CompiledCondition[];
  plain: readonly CompiledCondition[];
  /** Of rules about many entities: which of them count. Then there are no gates. */
  members: readonly CompiledCondition[];
  /** Milliseconds of silence before which no tick can make the group hold; undefined when ticks do not concern it. */
  silenceMs: number | undefined;
  selectors: GroupSelectors;
}

/** What an event must have for a group to hold or to remember anything; an index finds rules by it. */
export interface GroupSelectors {
  /** Every one of these operands must have one of the keys (`keyOf` of the value). */
  entity: readonly { operand: Operand; keys: readonly string[] }[];
  /** At least one of these must be carried by the packet; null when any packet concerns the group. */
  readings: readonly ReadingSelector[] | null;
}

export interface ReadingSelector {
  source: ReadingSource;
  /** Name of the metric, state, ...; empty for `Value`. */
  field: string;
  /** A number that does not keep it neither makes the group hold nor, while nothing is remembered, changes its memory. */
  limit: Pick<ConditionCheck, 'kind' | 'number'>;
}

export interface CompiledRule<R extends RuleDefinition = RuleDefinition> {
  rule: R;
  ruleId: string;
  tenantId: string;
  subscriptionId: string | null;
  groups: readonly CompiledGroup[];
  /** In the order of the rule. */
  conditions: readonly CompiledCondition[];
  /** Per group its conditions; undefined when one has memory. */
  resting: readonly (readonly ConditionCheck[])[] | undefined;
  readings: SharedReadings;
  inTimeWindow: ((at: number) => boolean) | undefined;
  /** The least silence after which a tick can hit; undefined when only packets (or what else the type is about) can. */
  silenceMs: number | undefined;
}

export const ruleTypeId = { ingestion: 1, correlation: 2, history: 3, workUnit: 4, maintenance: 5, aggregation: 6 } as const;

const readsNothing = new Set<number>([operatorId.isEmpty, operatorId.isNotEmpty]);

const atLeast = new Set<number>([operatorId.greaterThan, operatorId.greaterThanOrEqual]);
/** A window only changes by a tick as its steps pass; entities that report are looked at with each packet anyway. */
const minSilenceMs = 10_000;

/** What the conditions of one group share. */
interface GroupParts {
  rule: RuleDefinition;
  readings: SharedReadings;
  /** Rules that the group names. */
  named: ReadonlySet<string>;
  isAbout: (match: MatchFact, at: number) => boolean;
}

function windowMsOf(source: Condition): number {
  return (source.WindowSeconds ?? defaultWindowSeconds) * 1_000;
}

function readerOf(operand: Operand, source: Condition, key: string, { rule, named, isAbout }: GroupParts): Parts['read'] {
  const { measure, read, readMatches } = operand;
  if (readMatches)
    return readMatches({ ruleId: rule.ruleId, named, right: source.RightOperand ?? '', windowMs: windowMsOf(source), isAbout });
  // Of one entity the memory knows; of many, whoever counts them.
  if (measure) return readTotals(measure, source, `${rule.ruleId} ${key}`, rule.since ?? 0);
  if (!read) throw new RuleError(`${operand.name} cannot be used in a rule.`);
  return read;
}

/** Fewer than a number is said only once a whole window was watched. */
function readTotals(measure: Measure, source: Condition, key: string, since: number): Parts['read'] {
  const whole = measure === 'count' && !atLeast.has(source.Operator);
  const windowMs = windowMsOf(source);
  return ({ packet, gaps, totals }: RuleEvent): Fact => {
    const watchedFrom = Math.max(since, gaps?.at(-1)?.until ?? 0);
    return whole && packet.timestamp - watchedFrom < windowMs ? undefined : measured(measure, totals?.[key]);
  };
}

function windowOf(operand: Operand, operatorNumber: number, source: Condition, rule: RuleDefinition): Window | undefined {
  if (!operand.measure || rule.ruleTypeId !== ruleTypeId.history) return undefined;
  return {
    measure: operand.measure,
    length: windowLength(source.WindowSeconds ?? defaultWindowSeconds),
    ms: windowMsOf(source),
    whole: operand.measure === 'count' && !atLeast.has(operatorNumber),
  };
}

/** When time alone can make the condition hold. */
function silenceOf(
  condition: Pick<CompiledCondition, 'operand' | 'operator' | 'gapMs' | 'pattern' | 'window' | 'source'>,
): number | undefined {
  const { operand, operator, gapMs, pattern, window, source } = condition;
  if (pattern) return undefined;
  const length = window ? Math.max(window.length.stepMs, minSilenceMs) : 0;
  if (gapMs > 0 || window) return Math.max(gapMs, length);
  if (operand.id !== secondsSinceLast || !atLeast.has(operator.id)) return undefined;
  return Math.max(0, numberIn(source.RightOperand ?? '') ?? 0) * 1_000;
}

const secondsSinceLast = 70;

function compileCondition(source: Condition, index: number, group: GroupParts, key: string): CompiledCondition {
  const { rule, readings } = group;
  const operand = operandOf(source.LeftOperand);
  if (!operand) throw new RuleError(`The left operand ${source.LeftOperand} is not known.`);
  if (!operand.ruleTypes.includes(rule.ruleTypeId)) throw new RuleError(`${operand.name} cannot be used in a rule of this type.`);
  const operator = operatorOf(source.Operator);
  if (!operator) throw new RuleError(`The operator ${source.Operator} is not known.`);
  if (!operand.operators.includes(operator.id)) throw new RuleError(`${operator.name} does not make sense for ${operand.name}.`);
  const field = source.LeftOperandFieldName ?? '';
  if (operand.needsFieldName && field === '') throw new RuleError(`${operand.name} needs a field name.`);
  const right = source.RightOperand ?? '';
  if (operator.right !== 'none' && right === '') throw new RuleError('Please enter a value.');
  const pattern = source.OccurrencePattern;
  const measures = operand.measure !== undefined && (operand.measure !== 'count' || rule.ruleTypeId === ruleTypeId.aggregation);
  const parts = {
    read: readerOf(operand, source, key, group),
    field,
    test: operator.test(right),
    needsReading: (operand.reading !== undefined || measures) && !readsNothing.has(operator.id),
    gapMs: pattern?.Kind === 'NotSeenFor' ? pattern.Seconds * 1_000 : 0,
  };
  const step = compileCheck(parts, operator.id, right, readings, operand.read !== undefined);
  const condition = {
    index,
    source,
    operand,
    operator,
    ...parts,
    step,
    holds: (event: RuleEvent) => passes(step, event),
    pattern: patternOf(pattern),
    window: windowOf(operand, operator.id, source, rule),
    key,
  };
  return { ...condition, silenceMs: silenceOf(condition) };
}

/** Where the memory of a condition is kept: a changed one starts anew. Counts of many entities depend on who counts, too. */
function keyOfCondition(source: Condition, rule: RuleDefinition, members: readonly Condition[]): string {
  const parts: unknown[] = [
    source.LeftOperand,
    source.LeftOperandFieldName ?? '',
    source.Operator,
    source.RightOperand ?? '',
    source.OccurrencePattern ?? null,
  ];
  if (operandOf(source.LeftOperand)?.measure || operandOf(source.LeftOperand)?.readMatches) parts.push(windowMsOf(source));
  if (rule.ruleTypeId === ruleTypeId.aggregation) parts.push(members);
  return digest(JSON.stringify(parts));
}

/** And binds tighter than Or; the first condition's own type is ignored. Places in the rule's list. */
function groupsOf(conditions: readonly Condition[]): number[][] {
  const groups: number[][] = [];
  for (const [index, condition] of conditions.entries()) {
    const last = groups.at(-1);
    if (last && condition.Type === 'And') last.push(index);
    else groups.push([index]);
  }
  return groups;
}

/** A condition with a memory of its own is never a gate. */
function isGate(condition: CompiledCondition): boolean {
  return condition.operand.selects === true && !condition.pattern && condition.gapMs === 0;
}

function isMember(condition: Condition): boolean {
  return operandOf(condition.LeftOperand)?.selects === true && (condition.OccurrencePattern ?? { Kind: 'EveryTime' }).Kind === 'EveryTime';
}

const noLimit: ReadingSelector['limit'] = { kind: kinds.test, number: Number.NaN };

function readingOf({ needsReading, operand, field, pattern, step }: CompiledCondition): ReadingSelector[] {
  const limit = pattern?.restsUntilHeld === false ? noLimit : step;
  return needsReading && operand.reading ? [{ source: operand.reading, field, limit: { kind: limit.kind, number: limit.number } }] : [];
}

/** The one of several readings that leaves out the most: one with a limit. */
function narrowest(readings: readonly ReadingSelector[]): ReadingSelector[] {
  const narrow = readings.find(({ limit }) => isLimit(limit.kind)) ?? readings[0];
  return narrow ? [narrow] : [];
}

function silenceOfGroup(conditions: readonly CompiledCondition[], rule: RuleDefinition): number | undefined {
  if (rule.ruleTypeId !== ruleTypeId.history) return undefined;
  const others = conditions.filter((condition) => !isGate(condition));
  const silences = others.map((condition) => condition.silenceMs).filter((silence) => silence !== undefined);
  return others.length === 0 || silences.length < others.length ? undefined : Math.max(...silences);
}

function compileGroup(all: readonly CompiledCondition[], rule: RuleDefinition): CompiledGroup {
  const gates = all.filter(isGate);
  const withMemory = all.filter((condition) => condition.pattern || condition.window);
  const plain = all.filter((condition) => !condition.pattern && !condition.window && !isGate(condition));
  const entity = gates
    .filter((gate) => gate.operator.id === operatorId.equals)
    .map((gate) => ({ operand: gate.operand, keys: keysOfEquals(gate.source.RightOperand ?? '') }));
  const silenceMs = silenceOfGroup(all, rule);
  // With memory, a packet concerns the group when it moves any memory; without, when one of its readings is there.
  const readings =
    silenceMs !== undefined
      ? null
      : withMemory.length > 0
        ? withMemory.every((condition) => condition.needsReading && !condition.window)
          ? withMemory.flatMap(readingOf)
          : null
        : narrowest(plain.flatMap(readingOf));
  const ofMany = rule.ruleTypeId === ruleTypeId.aggregation;
  return {
    gates: ofMany ? [] : gates,
    members: ofMany ? gates : [],
    withMemory,
    plain,
    silenceMs,
    selectors: { entity, readings: readings?.length ? readings : null },
  };
}

function compileParts(
  rule: RuleDefinition,
  places: readonly number[],
  keys: Map<string, number>,
  readings: SharedReadings,
): CompiledCondition[] {
  const sources = places.map((index) => rule.conditions[index] as Condition);
  const ofMany = rule.ruleTypeId === ruleTypeId.aggregation;
  const members: CompiledCondition[] = [];
  const group: GroupParts = {
    rule,
    readings,
    named: new Set(
      sources
        .filter((one) => operandOf(one.LeftOperand)?.readMatches === activeMatch && one.Operator === operatorId.equals)
        .map((one) => (one.RightOperand ?? '').toLowerCase()),
    ),
    isAbout: ofMany
      ? ({ entity }, at) => members.every((member) => member.holds({ entity, packet: { timestamp: at, message: noMessage } }))
      : () => true,
  };
  const memberSources = ofMany ? sources.filter(isMember) : [];
  const conditions = sources.map((source, i) => {
    const index = places[i] as number;
    const plainKey = keyOfCondition(source, rule, memberSources);
    // Equal conditions get keys of their own, or each would count the other's packets.
    const count = (keys.get(plainKey) ?? 0) + 1;
    keys.set(plainKey, count);
    try {
      return compileCondition(source, index, group, count === 1 ? plainKey : `${plainKey}.${count}`);
    } catch (error) {
      throw error instanceof RuleError ? new RuleError(`Condition ${index + 1}: ${error.message}`) : error;
    }
  });
  if (ofMany) members.push(...conditions.filter(isGate));
  return conditions;
}

const noMessage = {};

/**
 * Throws `RuleError` when the rule cannot be evaluated; its message names the condition. Rules that see the same events are
 * compiled with one `readings`, so that each value of an event is read once for all of them.
 */
export function compileRule<R extends RuleDefinition>(rule: R, readings = newReadings()): CompiledRule<R> {
  if (rule.conditions.length === 0) throw new RuleError('Condtions are required for rules.');
  const keys = new Map<string, number>();
  const parts = groupsOf(rule.conditions).map((places) => compileParts(rule, places, keys, readings));
  const groups = parts.map((conditions) => compileGroup(conditions, rule));
  const conditions = parts.flat();
  const silences = groups.map((group) => group.silenceMs).filter((silence) => silence !== undefined);
  return {
    rule,
    ruleId: rule.ruleId,
    tenantId: rule.tenantId,
    subscriptionId: rule.subscriptionId ?? null,
    groups,
    conditions,
    readings,
    resting: conditions.some((condition) => condition.pattern || condition.window)
      ? undefined
      : // Readings first: the index has found the rule by its gates, so they nearly always hold.
        groups.map(({ gates, plain }) => [...plain, ...gates].map((condition) => condition.step)),
    inTimeWindow: rule.timeConditions ? compileTimeWindow(rule.timeConditions) : undefined,
    silenceMs: silences.length > 0 ? Math.min(...silences) : undefined,
  };
}
