/** Counts the entities that satisfy a rule as it is being written, on their latest packets. */
import { matchingNow, type BacktestRule, type MatchingNow } from '@cloudfit/contract/actions/backtest.ts';
import { latestPacketsRead } from '@cloudfit/contract/limits.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { compileRule, ruleTypeId, type CompiledCondition, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { allHold, inScope } from '@cloudfit/contract/rules/observe.ts';
import { operandOf, type Operand } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { readEntities, type Entity } from '../entities.ts';
import { gapsBetween } from '../pulse.ts';
import { dependenciesOf, readStates } from '../rule-states.ts';

/** The id of no rule. */
const draftId = '00000000-0000-0000-0000-000000000000';
const shownFirst = 5;
const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);
/** Patterns that count how often a condition holds. */
const repeats = new Set<string>(['TimesInRow', 'TimesWithin', 'EveryTimeDuring']);

const isRepeated = ({ OccurrencePattern }: Condition): boolean => repeats.has(OccurrencePattern?.Kind ?? '');

/** Whether the latest packet alone cannot answer the condition. */
function needsHistory({ LeftOperand, OccurrencePattern }: Condition): boolean {
  const operand = operandOf(LeftOperand);
  return OccurrencePattern?.Kind === 'Changed' || operand?.measure !== undefined || operand?.baseline !== undefined;
}

interface LatestMessage {
  id: string;
  at: number;
  message: PacketMessage;
}

function readLatestPackets(ctx: Ctx, tenantId: string): Promise<LatestMessage[]> {
  return ctx.db.query<LatestMessage>({
    name: 'matching-now-packets',
    text: `select entity_id as id, (extract(epoch from timestamp) * 1000)::float8 as at, message
from latest_packet where tenant_id = $1 order by entity_id limit $2`,
    values: [tenantId, latestPacketsRead + 1],
  });
}

/** Whether the event has a field that a condition reads by name. Windows and baselines look at metrics. */
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
    const concerned = events.filter((event) => allHold(group.gates.filter(isNoField), event));
    if (concerned.length === 0) return [];
    return [...group.gates, ...group.withMemory, ...group.plain].flatMap(({ index, source }) =>
      fieldsOf(source)
        .filter(({ operand, field }) => !concerned.some((event) => has(operand, field, event)))
        .map(({ operand, field }) => ({ condition: index, field: `${operand.name} ${field}` })),
    );
  });
}

const isNoField = ({ operand }: CompiledCondition): boolean => !operand.needsFieldName;

function compiledDraft(draft: BacktestRule): CompiledRule {
  return compileRule({
    ...draft,
    ruleId: draftId,
    subscriptionId: draft.subscriptionId ?? null,
    timeConditions: draft.timeConditions ?? null,
    conditions: draft.conditions.map((one) => (isRepeated(one) ? { ...one, OccurrencePattern: null } : one)),
  });
}

export const matchingNowAction = implement(matchingNow, async (ctx, { rule: draft }) => {
  if (!may(ctx, 'CloudFit.CFS.Rules:view', draft.tenantId)) throw notFound('Tenant');
  const problems = validateRule(draft).map(({ target, message }) => ({ target: `rule.${target}`, message }));
  if (!ofPackets.has(draft.ruleTypeId))
    problems.push({ target: 'rule.ruleTypeId', message: 'Only rules of the types Ingestion and History look at packets.' });
  if (problems.length > 0) throw validationFailed(problems);
  const rule = compiledDraft(draft);
  const rows = await readLatestPackets(ctx, draft.tenantId);
  const truncated = rows.length > latestPacketsRead;
  const packets = new Map(rows.slice(0, latestPacketsRead).map((row) => [row.id, row]));
  const entities = await readEntities(ctx.db, [...packets.keys()]);
  const now = ctx.now().getTime();
  const depends = dependenciesOf([rule]);
  const matchingAt = depends.length > 0 ? await readStates(ctx.db, depends, entities, now) : undefined;
  const oldest = Math.min(now, ...rows.map((row) => row.at));
  const gaps = rule.silenceMs === undefined ? [] : await gapsBetween(ctx.db, oldest, now);

  const concerned: { entity: Entity; at: number; event: RuleEvent }[] = [];
  for (const entity of entities) {
    const packet = packets.get(entity.id);
    if (!packet || !entity.enabled) continue;
    const event = { entity, packet: { timestamp: packet.at, message: packet.message }, matching: matchingAt?.(entity, now) };
    if (inScope(rule, event) && rule.groups.some((group) => allHold(group.gates.filter(isNoField), event)))
      concerned.push({ entity, at: packet.at, event });
  }
  const holds = ({ entity, at, event }: (typeof concerned)[number]): boolean => {
    if (evaluate(rule, event, undefined).outcome === 'hit') return true;
    if (rule.silenceMs === undefined) return false;
    const tick = { ...event, kind: 'tick' as const, entity, packet: { timestamp: now, message: {} }, previous: { timestamp: at }, gaps };
    return evaluate(rule, tick, undefined).outcome === 'hit';
  };
  const matching = draft.conditions.some(needsHistory)
    ? undefined
    : concerned.filter(holds).toSorted((a, b) => a.entity.name.localeCompare(b.entity.name));
  return {
    entities: concerned.length,
    matching: matching?.length ?? null,
    first: (matching ?? []).slice(0, shownFirst).map(({ entity: { id, name } }) => ({ id, name })),
    ignoresRepeats: draft.conditions.some(isRepeated),
    unreported: unreportedOf(
      rule,
      concerned.map(({ event }) => event),
    ),
    truncated,
  };
});
