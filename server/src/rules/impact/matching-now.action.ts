/** Counts the entities that satisfy a rule while it is being written, by their latest packets. */
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { matchingNow, matchingOfTenants, type BacktestRule, type MatchingNow } from '@cloudfit/contract/actions/backtest.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { packetsOfTenants } from '@cloudfit/contract/limits.ts';
import { compileRule, ruleTypeId, type CompiledCondition, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, inScope } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { operandOf, type Operand } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { takeTurns } from '../../platform/turns.ts';
import { implement } from '../../resources/action.ts';
import type { Entity } from '../run/entity.ts';
import { exceptionsAt, triedExceptions } from '../past/exceptions.ts';
import { definitionOf } from '../past/rule-versions.ts';
import { triedWithExceptions, type StoredException } from '../run/exceptions.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { inForce } from '../run/rollout.ts';
import { circumstancesIn } from '../past/as-of.ts';
import { noCircumstances, packetEvent, tickEvent, tickFor, type Circumstances } from '../run/circumstances.ts';
import { latestOfTenant } from './latest-of-tenant.ts';

/** An id that no rule has, for the draft. */
const draftId = '00000000-0000-0000-0000-000000000000';
const shownFirst = 5;
const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);
/** Patterns that count how often a condition holds. */
const repeats = new Set<string>(['TimesInRow', 'TimesWithin', 'EveryTimeDuring']);

const isRepeated = ({ OccurrencePattern }: Condition): boolean => repeats.has(OccurrencePattern?.Kind ?? '');

/** Whether the condition needs more than the latest packet. */
function needsHistory({ LeftOperand, OccurrencePattern }: Condition): boolean {
  const operand = operandOf(LeftOperand);
  return OccurrencePattern?.Kind === 'Changed' || operand?.measure !== undefined || operand?.baseline !== undefined;
}

/** Whether the event has a field that a condition reads by name. Windows and baselines read metrics. */
function has(operand: Operand, field: string, event: RuleEvent): boolean {
  const part = operand.reading ?? (operand.measure || operand.baseline ? 'Metrics' : undefined);
  if (part === undefined) return operand.read?.(event, field) !== undefined;
  const values = event.packet.message[part];
  return typeof values === 'object' && values !== null && Object.hasOwn(values, field);
}

/** The fields that a condition reads on both sides. */
function fieldsOf({ LeftOperand, LeftOperandFieldName, RightReading }: Condition): { operand: Operand; field: string }[] {
  const sides = [
    { operand: operandOf(LeftOperand), field: LeftOperandFieldName },
    { operand: operandOf(RightReading?.Operand ?? -1), field: RightReading?.FieldName },
  ];
  return sides.flatMap(({ operand, field }) => (operand?.needsFieldName && field ? [{ operand, field }] : []));
}

function unreportedOf(rule: CompiledRule, events: readonly RuleEvent[]): MatchingNow['unreported'] {
  return rule.groups.flatMap((group) => {
    const concernedEvents = events.filter((event) => group.gates.filter(isNoField).every((gate) => gate.holds(event)));
    if (concernedEvents.length === 0) return [];
    return [...group.gates, ...group.withMemory, ...group.plain].flatMap(({ index, source }) =>
      fieldsOf(source)
        .filter(({ operand, field }) => !concernedEvents.some((event) => has(operand, field, event)))
        .map(({ operand, field }) => ({ condition: index, field: `${operand.name} ${field}` })),
    );
  });
}

/** The first device of which the device itself and one of its operations report all fields of a group of conditions. */
function twiceIn(rule: CompiledRule, events: readonly RuleEvent[]): MatchingNow['twice'] {
  for (const group of rule.groups) {
    const fields = [...group.gates, ...group.withMemory, ...group.plain].flatMap(({ source }) => fieldsOf(source));
    if (fields.length === 0) continue;
    const reporting = events.filter(
      (event) =>
        group.gates.filter(isNoField).every((gate) => gate.holds(event)) &&
        fields.every(({ operand, field }) => has(operand, field, event)),
    );
    const devices = new Set(reporting.filter(({ entity }) => entity.kind === 'device').map(({ entity }) => entity.id));
    const double = reporting.find(({ entity }) => entity.kind === 'operation' && devices.has(entity.device?.id ?? ''));
    if (double)
      return {
        device: double.entity.device?.name ?? '',
        operation: double.entity.operation?.label || (double.entity.operation?.name ?? ''),
      };
  }
  return null;
}

const isNoField = ({ operand }: CompiledCondition): boolean => !operand.needsFieldName;

function definitionOfDraft(draft: BacktestRule): IngestRule {
  return definitionOf({
    ...draft,
    ruleId: draftId,
    enabled: true,
    created: '',
    subscriptionId: draft.subscriptionId ?? null,
    timeConditions: draft.timeConditions ?? null,
    conditions: draft.conditions.map((condition) => (isRepeated(condition) ? { ...condition, OccurrencePattern: null } : condition)),
  });
}

function requireCountable(draft: Omit<BacktestRule, 'tenantId'>): void {
  const problems = validateRule(draft).map(({ target, message }) => ({ target: `rule.${target}`, message }));
  if (!ofPackets.has(draft.ruleTypeId))
    problems.push({ target: 'rule.ruleTypeId', message: 'Only rules of the types Ingestion and History read packets.' });
  if (problems.length > 0) throw validationFailed(problems);
}

/** What a rule concerns at one tenant. */
interface CountedPackets {
  /** The rule without exceptions. */
  plain: CompiledRule<IngestRule>;
  /** The latest packets that it concerns. */
  events: RuleEvent[];
  /** Whose latest packets satisfy it; none if these cannot answer. */
  matching: Entity[];
  read: number;
  truncated: boolean;
}

/** Counts at the tenant of the draft. */
async function countedAt(ctx: Ctx, draft: BacktestRule, exceptions: readonly StoredException[]): Promise<CountedPackets> {
  const definition = definitionOfDraft(draft);
  const plain = compileRule(definition);
  const rule = triedWithExceptions(definition, exceptions);
  if (!rule) return { plain, events: [], matching: [], read: 0, truncated: false };
  const { latest, truncated } = await latestOfTenant(ctx.db, draft.tenantId);
  const now = ctx.now().getTime();
  const entities = latest.map(({ entity }) => entity);
  const needsMore = draft.conditions.some(needsHistory);
  // For all that is counted here, whether other rules match means now.
  const { gaps, matchingAt } = needsMore ? noCircumstances : await circumstancesIn(ctx.db, [rule], entities, { from: now, to: now });
  const around: Circumstances = { gaps, matchingAt: matchingAt && ((entity) => matchingAt(entity, now)) };

  const holds = (event: RuleEvent, entity: Entity): boolean => {
    const version = inForce(rule, entity);
    if (!version) return false;
    if (evaluate(version, event, undefined).outcome === 'hit') return true;
    const tick = tickFor(version, tickEvent(around, entity, event.packet.timestamp, now), undefined);
    return tick !== undefined && evaluate(version, tick, undefined).outcome === 'hit';
  };
  const concernedEvents: RuleEvent[] = [];
  const matching: Entity[] = [];
  const turn = takeTurns();
  for (const { entity, at, message } of latest) {
    // Thousands of evaluations at once would delay the packets that this process receives.
    await turn();
    const event = packetEvent(around, entity, { timestamp: at, message }, undefined);
    if (
      !inScope(plain, event) ||
      !inForce(rule, entity) ||
      !plain.groups.some((group) => group.gates.filter(isNoField).every((gate) => gate.holds(event)))
    )
      continue;
    concernedEvents.push(event);
    if (!needsMore && holds(event, entity)) matching.push(entity);
  }
  return { plain, events: concernedEvents, matching, read: latest.length, truncated };
}

export const matchingNowAction = implement(matchingNow, async (ctx, { rule: draft, ruleId }) => {
  if (!may(ctx, 'CloudFit.CFS.Rules:view', draft.tenantId)) throw notFound('Tenant');
  requireCountable(draft);
  const exceptions = await triedExceptions(ctx.db, ruleId, draft.tenantId);
  const { plain, events, matching, truncated } = await countedAt(ctx, draft, exceptions);
  matching.sort((a, b) => compareNames(a.name, b.name));
  return {
    entities: events.length,
    matching: draft.conditions.some(needsHistory) ? null : matching.length,
    first: matching.slice(0, shownFirst).map(({ id, name }) => ({ id, name })),
    ignoresRepeats: draft.conditions.some(isRepeated),
    unreported: unreportedOf(plain, events),
    twice: twiceIn(plain, events),
    truncated,
  };
});

const tenantsOf = `select tenant_id as "tenantId", name from tenant
where enabled and tenant_id in (select tenants_of_rule(null, $1)) order by lower(name), tenant_id`;

export const matchingOfTenantsAction = implement(matchingOfTenants, async (ctx, { rule, tenantGroupId = null, ruleId }) => {
  requireCountable(rule);
  const all = await ctx.db.query<{ tenantId: string; name: string }>({
    name: 'matching-tenants',
    text: tenantsOf,
    values: [tenantGroupId],
  });
  const viewed = all.filter(({ tenantId }) => may(ctx, 'CloudFit.CFS.Rules:view', tenantId));
  const counts: { tenantId: string; name: string; entities: number; matching: number }[] = [];
  let [read, truncated] = [0, false];
  for (const { tenantId, name } of viewed) {
    if (read >= packetsOfTenants) {
      truncated = true;
      break;
    }
    const counted = await countedAt(ctx, { ...rule, tenantId }, await exceptionsAt(ctx.db, ruleId, tenantId));
    counts.push({ tenantId, name, entities: counted.events.length, matching: counted.matching.length });
    read += counted.read;
    truncated ||= counted.truncated;
  }
  const sumOf = (part: 'entities' | 'matching') => counts.reduce((sum, count) => sum + count[part], 0);
  const withMatches = counts.filter(({ matching }) => matching > 0);
  return {
    tenants: counts.length,
    tenantsMatching: withMatches.length,
    entities: sumOf('entities'),
    matching: rule.conditions.some(needsHistory) ? null : sumOf('matching'),
    largest: withMatches.toSorted((a, b) => b.matching - a.matching).slice(0, shownFirst),
    truncated,
  };
});
