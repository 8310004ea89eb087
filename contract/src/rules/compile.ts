/** Compiles a stored rule for the evaluator: parses everything once and refuses broken rules. */
import type { CountBy } from '../enums.ts';
import { readDeviations } from './baselines/baseline.ts';
import { RuleError } from './errors.ts';
import type { Fact, MatchFact, RuleEvent, StatePlace } from './facts.ts';
import { activeMatch } from './matches.ts';
import { comparisonOf, keysOfEquals, operatorId, operatorOf, type Operator } from './operators.ts';
import { comparesReadings, operandOf, type Operand } from './operands.ts';
import { patternOf, type OccurrenceMemory } from './evaluate/patterns.ts';
import {
  compileCheck,
  newReadings,
  passes,
  type ConditionCheck,
  type Parts,
  type Predicate,
  type SharedReadings,
} from './evaluate/check.ts';
import { narrowest, patternCheckOf, readingOf, type GroupSelectors, type PatternCheck } from './group-parts.ts';
import { isOfTwoReadings, windowLength, type WindowLength } from './reading-measures.ts';
import type { Condition, TimeConditions } from './schema.ts';
import {
  atLeast,
  keyOfCondition,
  nameOf,
  readTotals,
  rightOf,
  sinceOf,
  wholeMsOf,
  windowMsOf,
  type WatchedSince,
} from './condition-parts.ts';
import { compileTimeWindow } from './time-window.ts';
import type { Measure } from './evaluate/window.ts';

/** The properties of a rule that the evaluation needs. */
export interface RuleDefinition {
  ruleId: string;
  name: string;
  ruleTypeId: number;
  tenantId: string;
  subscriptionId?: string | null | undefined;
  /** For recovery conditions, which are compiled as a separate rule: the id of the rule whose matches a hit closes. */
  recovers?: string | undefined;
  conditions: readonly Condition[];
  /** For rules about many entities: whose entities are counted together. Default: those of a subscription. */
  countBy?: CountBy | undefined;
  countTag?: string | null | undefined;
  timeConditions?: TimeConditions | null | undefined;
  /** The time of the rule's latest change (epoch milliseconds). Windows may not have counted earlier packets. */
  since?: number | undefined;
  /** For conditions that count since another time than the latest change: these times, by the key of their memory. */
  watchedSince?: WatchedSince | null | undefined;
}

/** A time window over the packets of a condition. */
export interface Window {
  measure: Measure;
  length: WindowLength;
  ms: number;
  /** How far a forecast looks ahead. */
  aheadMs: number;
}

export interface CompiledCondition extends Parts {
  /** Position of the condition in the rule. */
  index: number;
  source: Condition;
  operand: Operand;
  operator: Operator;
  step: ConditionCheck;
  holds: Predicate;
  /** Reads the right side from the event; undefined for a condition with a fixed right side. */
  right: ((event: RuleEvent) => Fact) | undefined;
  /** Present when the occurrence pattern has memory. */
  pattern: OccurrenceMemory | undefined;
  /** Present when the condition has a window over packets. */
  window: Window | undefined;
  /** The milliseconds of observation without which the condition has no value, because a partial window counts too few packets. */
  wholeMs: number;
  /** Since when the condition counts packets. */
  since: number;
  /** The shortest silence after which a tick can satisfy the condition; undefined when no tick can. */
  silenceMs: number | undefined;
  /** The key of the condition's memory in the state of the rule. A changed condition has another key. */
  key: string;
}

/** Conditions joined by And. Gates select entities: if a gate fails, the group does not hold and its memory does not change. */
export interface CompiledGroup {
  gates: readonly CompiledCondition[];
  withMemory: readonly CompiledCondition[];
  plain: readonly CompiledCondition[];
  /** `gates` and `plain` as `allPass` runs them, which changes their order. */
  steps: { gates: ConditionCheck[]; plain: ConditionCheck[] };
  /** Whether all memory is that of patterns which, while empty, stay so until the operator holds. */
  rests: boolean;
  /** For rules about many entities, the conditions that select the counted entities. Such rules have no gates. */
  members: readonly CompiledCondition[];
  /** The shortest silence after which a tick can satisfy the group; undefined when no tick can. */
  silenceMs: number | undefined;
  selectors: GroupSelectors;
}

export interface CompiledRule<R extends RuleDefinition = RuleDefinition> {
  rule: R;
  ruleId: string;
  tenantId: string;
  subscriptionId: string | null;
  groups: readonly CompiledGroup[];
  /** The conditions in the order of the rule. */
  conditions: readonly CompiledCondition[];
  /** The conditions with memory. */
  remembering: readonly CompiledCondition[];
  /** The conditions of each group, for evaluation without memory; undefined when a condition of the rule has memory. */
  resting: readonly ConditionCheck[][] | undefined;
  /** The conditions of a rule of one group without memory that holds at any time in all subscriptions. */
  simple: ConditionCheck[] | undefined;
  /** The condition with memory of a rule of one group whose only memory is that of a pattern. */
  pattern: PatternCheck | undefined;
  readings: SharedReadings;
  /** The other rules whose matches this rule reads, each with the place at which it must match. */
  depends: readonly Dependency[];
  inTimeWindow: ((at: number) => boolean) | undefined;
  /** The shortest silence after which a tick can hit; undefined when no tick can. */
  silenceMs: number | undefined;
  /** Whether this stands for several versions, one of which is chosen for each entity. */
  hasVersions: boolean;
}

/** Another rule whose matches a rule about packets reads. */
export interface Dependency {
  ruleId: string;
  place: StatePlace;
}

export const ruleTypeId = { ingestion: 1, correlation: 2, history: 3, workUnit: 4, maintenance: 5, aggregation: 6 } as const;

const readsNothing = new Set<number>([operatorId.isEmpty, operatorId.isNotEmpty]);

/** The minimum silence in milliseconds after which a tick evaluates a window whose steps are shorter. */
const minSilenceMs = 10_000;

/** What the conditions of one group share. */
interface GroupParts {
  rule: RuleDefinition;
  readings: SharedReadings;
  /** Ids of the rules that the group names by `Active Match of Rule` and Equals. */
  named: ReadonlySet<string>;
  isAbout: (match: MatchFact, at: number) => boolean;
}

function readerOf(operand: Operand, source: Condition, key: string, { rule, named, isAbout }: GroupParts): Parts['read'] {
  const { measure, read, readMatches, place, baseline, isIn } = operand;
  const other = (source.RightOperand ?? '').toLowerCase();
  if (baseline) return readDeviations(baseline, source);
  if (place) return ({ matching }) => (matching ? (matching(place, other) ? other : '') : undefined);
  if (isIn) return (event) => (isIn(event, other) ? other : '');
  if (readMatches)
    return readMatches({
      ruleId: rule.recovers ?? rule.ruleId,
      named,
      right: source.RightOperand ?? '',
      windowMs: windowMsOf(source),
      isAbout,
    });
  // A rule about one entity has the window in its memory; a rule about many entities gets the totals with the event.
  if (measure) return readTotals(measure, `${rule.ruleId} ${key}`, sinceOf(rule, key), wholeMsOf(operand, source));
  if (!read) throw new RuleError(`${operand.name} cannot be used in a rule.`);
  return read;
}

function windowOf(operand: Operand, source: Condition, rule: RuleDefinition): Window | undefined {
  if (!operand.measure || rule.ruleTypeId === ruleTypeId.aggregation) return undefined;
  return {
    measure: operand.measure,
    length: windowLength(windowMsOf(source) / 1_000),
    ms: windowMsOf(source),
    aheadMs: (source.AheadSeconds ?? 0) * 1_000,
  };
}

/** The shortest silence after which time alone can satisfy the condition. */
function silenceOf(
  condition: Pick<CompiledCondition, 'operand' | 'operator' | 'gapMs' | 'pattern' | 'window' | 'step'>,
): number | undefined {
  const { operand, operator, gapMs, pattern, window, step } = condition;
  if (pattern) return undefined;
  const looksBack = window && !isOfTwoReadings(window.measure);
  const length = looksBack ? Math.max(window.length.stepMs, minSilenceMs) : 0;
  if (gapMs > 0 || looksBack) return Math.max(gapMs, length);
  if (operand.id !== secondsSinceLast || !atLeast.has(operator.id)) return undefined;
  return Math.max(0, step.number) * 1_000;
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
  if (source.RightReading && !(comparesReadings(operand) && rule.ruleTypeId !== ruleTypeId.aggregation))
    throw new RuleError(`${operand.name} can only be compared with a fixed value.`);
  const readsRight = source.RightReading && operator.right !== 'none' ? rightOf(source.RightReading, operator) : undefined;
  const right = readsRight ? '' : (source.RightOperand ?? '');
  if (operator.right !== 'none' && right === '' && !readsRight) throw new RuleError('Please enter a value.');
  const pattern = source.OccurrencePattern;
  const measures = operand.measure !== undefined && (operand.measure !== 'count' || rule.ruleTypeId === ruleTypeId.aggregation);
  const read = readerOf(operand, source, key, group);
  const compare = comparisonOf(operator.id);
  const parts = {
    // Without a right side in the event, the condition has nothing to compare.
    read: readsRight ? (event: RuleEvent, name: string) => (readsRight(event) === undefined ? undefined : read(event, name)) : read,
    field,
    test: readsRight && compare ? (value: Fact, event: RuleEvent) => compare(value, readsRight(event)) : operator.test(right),
    needsReading:
      readsRight !== undefined ||
      operand.place !== undefined ||
      ((operand.reading !== undefined || measures) && !readsNothing.has(operator.id)),
    gapMs: pattern?.Kind === 'NotSeenFor' ? pattern.Seconds * 1_000 : 0,
  };
  const step = compileCheck(parts, operator.id, right, readings, (operand.read ?? operand.baseline) !== undefined && !readsRight);
  const condition = {
    index,
    source,
    operand,
    operator,
    ...parts,
    right: readsRight,
    step,
    holds: (event: RuleEvent) => passes(step, event),
    pattern: patternOf(pattern),
    window: windowOf(operand, source, rule),
    wholeMs: wholeMsOf(operand, source),
    since: sinceOf(rule, key),
    key,
  };
  return { ...condition, silenceMs: silenceOf(condition) };
}

/** Groups the positions of the conditions. And binds tighter than Or; the type of the first condition is ignored. */
function groupsOf(conditions: readonly Condition[]): number[][] {
  const groups: number[][] = [];
  for (const [index, condition] of conditions.entries()) {
    const last = groups.at(-1);
    if (last && condition.Type === 'And') last.push(index);
    else groups.push([index]);
  }
  return groups;
}

/** A condition with memory is never a gate. */
function isGate(condition: CompiledCondition): boolean {
  return condition.operand.selects === true && !condition.pattern && condition.gapMs === 0;
}

function isState({ operand, pattern, gapMs }: CompiledCondition): boolean {
  return operand.place !== undefined && !pattern && gapMs === 0;
}

function isMember(condition: Condition): boolean {
  return operandOf(condition.LeftOperand)?.selects === true && (condition.OccurrencePattern ?? { Kind: 'EveryTime' }).Kind === 'EveryTime';
}

function silenceOfGroup(conditions: readonly CompiledCondition[], rule: RuleDefinition): number | undefined {
  if (rule.ruleTypeId !== ruleTypeId.history) return undefined;
  // Conditions on the state of another rule are left out, because they can be evaluated at any time.
  const others = conditions.filter((condition) => !isGate(condition) && !isState(condition));
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
  // Any packet concerns a group that a tick can satisfy; other groups only a packet that can change memory or has a reading.
  const readings =
    silenceMs !== undefined
      ? null
      : withMemory.length > 0
        ? withMemory.every(({ needsReading, operand }) => needsReading && operand.reading)
          ? withMemory.flatMap(readingOf)
          : null
        : narrowest(plain.flatMap(readingOf));
  const ofMany = rule.ruleTypeId === ruleTypeId.aggregation;
  return {
    gates: ofMany ? [] : gates,
    members: ofMany ? gates : [],
    withMemory,
    plain,
    steps: { gates: ofMany ? [] : gates.map(({ step }) => step), plain: plain.map(({ step }) => step) },
    rests: withMemory.length > 0 && withMemory.every(({ pattern, window }) => pattern?.restsUntilHeld === true && !window),
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
        .filter((source) => operandOf(source.LeftOperand)?.readMatches === activeMatch && source.Operator === operatorId.equals)
        .map((source) => (source.RightOperand ?? '').toLowerCase()),
    ),
    isAbout: ofMany
      ? ({ entity }, at) => members.every((member) => member.holds({ entity, packet: { timestamp: at, message: noMessage } }))
      : () => true,
  };
  const memberSources = ofMany ? sources.filter(isMember) : [];
  const conditions = sources.map((source, i) => {
    const index = places[i] as number;
    const plainKey = keyOfCondition(
      source,
      ofMany ? { members: memberSources, countBy: rule.countBy, countTag: rule.countTag } : undefined,
    );
    // Equal conditions get different keys, because each needs its own memory: the gates of two groups may accept different
    // entities.
    const count = (keys.get(plainKey) ?? 0) + 1;
    keys.set(plainKey, count);
    try {
      return compileCondition(source, index, group, count === 1 ? plainKey : nameOf(`${plainKey}.${count}`));
    } catch (error) {
      throw error instanceof RuleError ? new RuleError(`Condition ${index + 1}: ${error.message}`) : error;
    }
  });
  if (ofMany) members.push(...conditions.filter(isGate));
  return conditions;
}

const noMessage = {};
const noDependencies: readonly Dependency[] = [];

/**
 * Compiles a rule; throws `RuleError` when it cannot be evaluated. Rules that see the same events are compiled with one
 * `readings`, so that each value of an event is read once for all of these rules.
 */
export function compileRule<R extends RuleDefinition>(rule: R, readings = newReadings()): CompiledRule<R> {
  if (rule.conditions.length === 0) throw new RuleError('Condtions are required for rules.');
  const keys = new Map<string, number>();
  const parts = groupsOf(rule.conditions).map((places) => compileParts(rule, places, keys, readings));
  const groups = parts.map((conditions) => compileGroup(conditions, rule));
  const conditions = parts.flat();
  const depends = conditions.flatMap(({ operand: { place }, source }) =>
    place ? [{ place, ruleId: (source.RightOperand ?? '').toLowerCase() }] : [],
  );
  const silences = groups.map((group) => group.silenceMs).filter((silence) => silence !== undefined);
  const remembering = conditions.filter((condition) => condition.pattern || condition.window);
  // Gates come last: they nearly always hold, because the index has selected the rule by its gates.
  const resting =
    remembering.length > 0 ? undefined : groups.map(({ gates, plain }) => [...plain, ...gates].map((condition) => condition.step));
  const isSimple = resting?.length === 1 && !rule.timeConditions && (rule.subscriptionId ?? null) === null;
  return {
    rule,
    ruleId: rule.ruleId,
    tenantId: rule.tenantId,
    subscriptionId: rule.subscriptionId ?? null,
    groups,
    conditions,
    remembering,
    readings,
    depends: depends.length > 0 ? depends : noDependencies,
    resting,
    simple: isSimple ? resting[0] : undefined,
    pattern: patternCheckOf(groups, remembering),
    inTimeWindow: rule.timeConditions ? compileTimeWindow(rule.timeConditions) : undefined,
    silenceMs: silences.length > 0 ? Math.min(...silences) : undefined,
    hasVersions: false,
  };
}

/** Compiles a rule of the record; undefined when it cannot be evaluated. */
export function compiledOrNone<R extends RuleDefinition>(rule: R): CompiledRule<R> | undefined {
  try {
    return compileRule(rule);
  } catch {
    return undefined;
  }
}
