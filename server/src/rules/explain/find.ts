/** Finds the evaluation of a subject by a rule at a time: in the record, or else by evaluating the same event again. */
import type { ExplainedEvent } from '@cloudfit/contract/actions/explain.ts';
import { ruleTypes } from '@cloudfit/contract/enums.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Entity } from '../run/entity.ts';
import { orderTime, withEvaluatedTime } from '../run/order/packet-times.ts';
import { iso, type PastPacket } from '../past/past-packets.ts';
import { circumstancesIn } from '../past/as-of.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { readBeat } from '../run/beats.ts';
import { tickEvent, tickFor } from '../run/circumstances.ts';
import { fromLook, fromRecord, fromTrace, isInScope, none, notInForce, ofMaintenanceRule, endedBy, type Finding } from './findings.ts';
import { lastStep, stepOf } from './last-step.ts';
import { replayPacket, type ReplayedPacket } from './replay-packet.ts';
import {
  evaluationOfPacket,
  evaluationUpTo,
  matchAround,
  matchById,
  matchOpenAt,
  matchRecoveredAt,
  type ExplainedMatch,
} from './on-record.ts';
import { pastEvents } from './past-events.ts';
import { compiler, versionAt, type RuleVersion, type WireRule } from '../past/rule-versions.ts';

export interface ExplainQuestion {
  ruleId: string;
  tenantId: string;
  /** The present row of the rule; null when it was deleted. */
  rule: WireRule | null;
  entityId: string;
  /** The entity; undefined when it was deleted or the caller may not see it. Without it, only the record is used. */
  entity: Entity | undefined;
  /** Epoch milliseconds. */
  at: number;
  /** The match to explain, with the cause that opened it. */
  opened?: { ruleMatchId: string; correlationId: string };
}

interface ExplainAnswer {
  finding: Finding;
  event: ExplainedEvent | null;
  eventAt: number | null;
  match?: ExplainedMatch | undefined;
  packet?: PastPacket | undefined;
  /** The time at which the evaluated version of the rule was in force. */
  versionTime: number;
}

async function ofPackets(ctx: Ctx, question: ExplainQuestion, versions: RuleVersion[], entity: Entity): Promise<ExplainAnswer> {
  const words = ruleWordsFor(ctx);
  const look = await replayPacket(ctx.db, entity, versions, { at: question.at, packetId: question.opened?.correlationId });
  const now = versionAt(versions, question.at) ?? { rule: null };
  if (!look) {
    const match = await matchOpenAt(ctx.db, question.ruleId, entity.id, iso(question.at));
    const finding: Finding = match ? { outcome: 'hit', basis: 'recorded', reasons: [words.why.neverReported] } : none('noPacket');
    return {
      finding: notInForce(now) ?? finding,
      match,
      event: match ? 'silence' : null,
      eventAt: match ? question.at : null,
      versionTime: question.at,
    };
  }
  const silence = question.opened ? undefined : await ofSilence(ctx, question, now, entity, look);
  if (silence) return silence;
  const { packet } = look;
  const judgedAt = withEvaluatedTime(packet).timestamp;
  const recorded = await evaluationOfPacket(ctx.db, question.ruleId, packet.packetId);
  const match = recorded?.ruleMatchId
    ? await matchById(ctx.db, recorded.ruleMatchId)
    : await matchAround(ctx.db, question.ruleId, entity.id, iso(judgedAt));
  const version = versionAt(versions, packet.received) ?? { rule: null };
  const finding = recorded
    ? fromRecord(recorded, words)
    : (notInForce(version) ??
      (version.rule && !isInScope(version.rule, entity)
        ? none('outOfScope')
        : fromLook(look, match, match !== undefined && Date.parse(match.firstMatch) === judgedAt, words)));
  const recovers =
    finding.outcome === 'miss'
      ? (await matchRecoveredAt(ctx.db, question.ruleId, entity.id, iso(judgedAt))) !== undefined
      : match?.recovered && Date.parse(match.recovered) === judgedAt;
  if (recovers) finding.reasons = [endedBy(version.rule?.recoveryConditions, words), ...finding.reasons];
  return { finding, match, packet, versionTime: packet.received, event: 'packet', eventAt: packet.timestamp };
}

/** Returns the answer for the silence since the packet; undefined if the silence was too short or the rule is not about it. */
async function ofSilence(
  ctx: Ctx,
  { ruleId, at }: ExplainQuestion,
  { rule }: RuleVersion | { rule: null },
  entity: Entity,
  { packet, state }: ReplayedPacket,
): Promise<ExplainAnswer | undefined> {
  const compiled = rule?.enabled && isInScope(rule, entity) ? compiler()(rule) : undefined;
  const since = orderTime(packet);
  if (typeof compiled !== 'object' || compiled.silenceMs === undefined || at - since <= compiled.silenceMs) return undefined;
  const { gaps, matchingAt } = await circumstancesIn(ctx.db, [compiled], [entity], { from: since, to: at });
  const beatMs = await readBeat(ctx.db, { id: entity.id, at: since }, gaps);
  const tick = tickFor(compiled, tickEvent({ gaps, matchingAt }, entity, since, at), beatMs);
  if (!tick) return undefined;
  const { trace } = evaluate(compiled, tick, state, { trace: true });
  const match = await matchOpenAt(ctx.db, ruleId, entity.id, iso(at));
  const words = ruleWordsFor(ctx);
  const finding = fromTrace({ trace }, match, match === undefined || Date.parse(match.firstMatch) >= at - 5_000, words);
  const away = gaps.length > 0 ? [words.why.outagesDoNotCount] : [];
  return {
    finding: { ...finding, reasons: [...finding.reasons, ...away] },
    match,
    packet,
    versionTime: at,
    event: 'silence',
    eventAt: at,
  };
}

const eventOf: Partial<Record<number, ExplainedEvent>> = {
  [ruleTypeId.correlation]: 'match',
  [ruleTypeId.workUnit]: 'workUnit',
  [ruleTypeId.aggregation]: 'count',
};

const nothingBy: Partial<Record<number, 'noMatchEvent' | 'noUnitEvent' | 'noSums'>> = {
  [ruleTypeId.correlation]: 'noMatchEvent',
  [ruleTypeId.workUnit]: 'noUnitEvent',
  [ruleTypeId.aggregation]: 'noSums',
};

/** Returns the answer for rule types whose subjects send no packets; undefined without an event on record. */
async function ofEvents(
  ctx: Ctx,
  question: ExplainQuestion,
  versions: RuleVersion[],
  rule: WireRule,
  entity: Entity,
): Promise<ExplainAnswer | undefined> {
  const { at } = question;
  const event = eventOf[rule.ruleTypeId] ?? null;
  const compiled = compiler()(rule);
  if (typeof compiled === 'string')
    return {
      finding: { outcome: 'failed', basis: 'evaluatedAgain', reasons: [ruleWordsFor(ctx).message(compiled)] },
      event: null,
      eventAt: null,
      versionTime: at,
    };
  const events = await pastEvents(ctx.db, compiled, entity, at);
  const look = lastStep((events ?? []).map(stepOf), versions);
  if (!look) return undefined;
  const match = await matchOpenAt(ctx.db, question.ruleId, entity.id, iso(look.at + 2_000));
  // `firstMatch` and `look.at` can differ slightly.
  const opened = match === undefined || Math.abs(Date.parse(match.firstMatch) - look.at) < 2_000;
  const version = versionAt(versions, look.at) ?? { rule: null };
  const finding = notInForce(version) ?? (isInScope(rule, entity) ? fromTrace(look, match, opened, ruleWordsFor(ctx)) : none('outOfScope'));
  return { finding, match, event, eventAt: look.at, versionTime: look.at };
}

/** Returns the answer that uses only the record. */
async function ofRecord(
  ctx: Ctx,
  question: ExplainQuestion,
  typeId: number | undefined,
  fallback: Finding | undefined,
): Promise<ExplainAnswer> {
  const recorded = question.opened
    ? await evaluationOfPacket(ctx.db, question.ruleId, question.opened.correlationId)
    : await evaluationUpTo(ctx.db, question.ruleId, question.entityId, iso(question.at));
  const words = ruleWordsFor(ctx);
  const { why, choice } = words;
  const label = ruleTypes.find((ruleType) => ruleType.value === typeId)?.label;
  const nothing = nothingBy[typeId ?? 0];
  const silent =
    fallback ?? none('notEvaluated', nothing ? why[nothing] : why.onlyRecord(label === undefined ? why.unknownType : choice(label)));
  const finding = recorded ? fromRecord(recorded, words) : silent;
  const trace = finding.trace;
  return {
    finding,
    match: recorded?.ruleMatchId ? await matchById(ctx.db, recorded.ruleMatchId) : undefined,
    versionTime: question.at,
    event: recorded ? (eventOf[typeId ?? 0] ?? 'silence') : null,
    eventAt: trace?.at ?? (recorded ? Date.parse(recorded.at) : null),
  };
}

export async function find(ctx: Ctx, question: ExplainQuestion, versions: RuleVersion[]): Promise<ExplainAnswer> {
  const { entity, at, opened } = question;
  const version = versionAt(versions, at) ?? versions.at(-1);
  const rule = version?.rule ?? null;
  const typeId = rule?.ruleTypeId ?? question.rule?.ruleTypeId;
  const unforced = version && notInForce(version);
  if (entity && typeId === ruleTypeId.ingestion) return ofPackets(ctx, question, versions, entity);
  if (entity && typeId === ruleTypeId.history) {
    const packet = opened && (await replayPacket(ctx.db, entity, versions, { at, packetId: opened.correlationId }))?.packet;
    // A match that silence opened has no packet of its own.
    return opened && packet?.packetId !== opened.correlationId
      ? ofRecord(ctx, question, typeId, unforced)
      : ofPackets(ctx, question, versions, entity);
  }
  if (entity && rule && typeId === ruleTypeId.maintenance) {
    const outside = isInScope(rule, entity) ? undefined : none('outOfScope');
    return {
      finding: unforced ?? outside ?? ofMaintenanceRule(rule, entity, at, ruleWordsFor(ctx)),
      versionTime: at,
      event: 'time',
      eventAt: at,
    };
  }
  const again = opened || !entity || !rule || unforced ? undefined : await ofEvents(ctx, question, versions, rule, entity);
  return again ?? ofRecord(ctx, question, typeId, unforced);
}
