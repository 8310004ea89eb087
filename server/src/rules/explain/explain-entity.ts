/** Explains what all rules of a tenant did with one packet of an entity, or with its silence, at once. */
import {
  explainedRules,
  type EntityExplanation,
  type ExplainedEvent,
  type ExplainedOutcome,
  type RuleOfEntity,
} from '@cloudfit/contract/actions/explain.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { compiledOrNone, ruleTypeId, type CompiledRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import { explainConditions, whatFailed } from '@cloudfit/contract/rules/explain-trace.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Ctx } from '../../context/ctx.ts';
import { circumstancesIn } from '../past/as-of.ts';
import type { CompiledRules } from '../run/compiled-rules.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { Entity } from '../run/entity.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { get } from '../../resources/get.ts';
import { beforeRollout } from '../run/rollout.ts';
import type { EntityState } from '../run/evaluate-entity.ts';
import { orderTime, withEvaluatedTime } from '../run/order/packet-times.ts';
import { groupsOfEntity } from '../run/count-groups.ts';
import { clockReasons } from './clock.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { iso, type PastPacket } from '../past/past-packets.ts';
import { readBeat } from '../run/beats.ts';
import { packetEvent, tickEvent } from '../run/circumstances.ts';
import { consequencesOf, noConsequences } from './consequences.ts';
import { groupReasons } from './group-reasons.ts';
import { byInterest, judge, type JudgedPacket, type Judgement } from './judge-rules.ts';
import { packetsUpTo } from './replay-packet.ts';
import { explainMaintenance } from './explain-maintenance.ts';
import { nameRows } from './name-rows.ts';
import { latenessText } from './lateness.ts';
import { newerPacketThan } from './newer-packet.ts';
import { evaluationsOfPacket, matchesBetween, type ExplainedMatch } from './on-record.ts';
import { entityHistory, exceptionHistory, fitsEver, underException, type PastException } from '../past/exceptions.ts';
import { exceptionReasons } from './exception-reasons.ts';
import { definitionOf, rolledOutTo, type RecordedRule, type WireRule } from '../past/rule-versions.ts';
import { asOfTenant } from '../past/rules-of-many.ts';
import { summaryOf, tallied } from './summary.ts';
import { whoDisabled } from './who-changed.ts';

type CompiledIngestRule = CompiledRule<IngestRule>;

/**
 * The maximum number of disabled rules (the latest changed), and of rules changed after the explained time, that are examined.
 */
const othersAtMost = 500;

interface ChangedRule {
  ruleId: string;
  /** The rule before its first change after the time; null when that change created the rule. */
  before: RecordedRule | null;
}

/** Returns the rules of the tenant that were changed after a time, each as it was at that time. */
async function changedSince(ctx: Ctx, tenantId: string, since: string): Promise<Map<string, WireRule | null>> {
  const rows = await ctx.db.query<ChangedRule>({
    name: 'explain-changed-since',
    text: `select distinct on (entity_id) entity_id as "ruleId", before from audit
where (tenant_id = $1 or tenant_id is null) and entity = 'rules' and verb in ('create', 'update', 'move', 'delete') and at > $2::timestamptz order by entity_id, audit_id limit ${othersAtMost}`,
    values: [tenantId, since],
  });
  const ofTenant = await asOfTenant(
    ctx,
    tenantId,
    rows.map(({ before }) => before),
  );
  return new Map(rows.map(({ ruleId }, at) => [ruleId, ofTenant[at] ?? null]));
}

async function disabledRules(ctx: Ctx, tenantId: string): Promise<RuleDefinition[]> {
  return ctx.db.query<Omit<RuleDefinition, 'since' | 'watchedSince' | 'recovers' | 'countBy' | 'countTag'>>({
    name: 'explain-disabled-rules',
    text: `select rule_id as "ruleId", name, rule_type_id as "ruleTypeId", $1::uuid as "tenantId", subscription_id as "subscriptionId", conditions,
  time_conditions as "timeConditions" from rule
where rule_is_for(tenant_id, tenant_group_id, $1) and not enabled and rule_type_id in (${ruleTypeId.ingestion}, ${ruleTypeId.history}) order by modified desc limit ${othersAtMost}`,
    values: [tenantId],
  });
}

async function latestState(ctx: Ctx, entityId: string, packetId: string): Promise<EntityState | null> {
  const [row] = await ctx.db.query<{ state: EntityState | null }>({
    name: 'explain-latest-state',
    text: 'select rule_state as state from latest_packet where entity_id = $1 and packet_id = $2',
    values: [entityId, packetId],
  });
  return row?.state ?? null;
}

function compiled(definition: RuleDefinition): CompiledIngestRule[] {
  return [compiledOrNone(definition) as CompiledIngestRule | undefined].filter((rule) => rule !== undefined);
}

const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);

/** The present row of a rule, as the tenant has it; undefined when it was deleted. */
async function ruleRow(ctx: Ctx, ruleId: string, tenantId: string): Promise<WireRule | undefined> {
  const row = await get(ctx, servedRules, ruleId).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'NotFound') throw error;
    return undefined;
  });
  const [rule] = await asOfTenant(ctx, tenantId, [row ?? null]);
  return rule ?? undefined;
}

function campaignReasons(campaigns: ReadonlyMap<string, string>, ruleId: string, { why }: ExplanationWords): string[] {
  const campaign = campaigns.get(ruleId);
  return campaign === undefined ? [] : [why.byCampaign(campaign)];
}

/** The exceptions of the tenant's rules that held for the entity at a time, and those that hold now, by rule. */
async function exceptionsFor(ctx: Ctx, entity: Entity, at: number) {
  const entities = await entityHistory(ctx, entity, at);
  const history = await exceptionHistory(ctx, { tenantId: entity.tenantId, ruleId: null, since: at }, fitsEver(entities));
  const chosen = (time: number) => {
    const byRule = Map.groupBy(history.at(time), ({ ruleId }) => ruleId);
    return new Map([...byRule].map(([ruleId, exceptions]) => [ruleId, exceptionChooser(exceptions)(entities.at(time))]));
  };
  return { before: chosen(at), now: chosen(ctx.now().getTime()) };
}

interface RulesOfThen {
  enabled: CompiledIngestRule[];
  disabled: CompiledIngestRule[];
  campaigns: ReadonlyMap<string, string>;
  exceptions: ReadonlyMap<string, PastException | undefined>;
}

/** The rules about packets, enabled or disabled, as they were at a time. */
async function rulesAt(ctx: Ctx, rules: CompiledRules, entity: Entity, since: string): Promise<RulesOfThen> {
  const { tenantId } = entity;
  const at = Date.parse(since);
  const [changed, off, rolledOut, exceptions] = await Promise.all([
    changedSince(ctx, tenantId, since),
    disabledRules(ctx, tenantId),
    rolledOutTo(ctx, entity, null),
    exceptionsFor(ctx, entity, at),
  ]);
  const then = rolledOut.filter(({ begun, until }) => Date.parse(begun) <= at && (until === null || at < Date.parse(until)));
  const campaigns = new Map(then.map(({ ruleId, campaign }) => [ruleId, campaign]));
  // Rules that exceptions made otherwise than they are now, or that did not hold by one, are read from their rows.
  const byRow = [...new Set([...exceptions.before.keys(), ...exceptions.now.keys()])].filter((ruleId) => {
    const exception = exceptions.before.get(ruleId);
    return !changed.has(ruleId) && !campaigns.has(ruleId) && (exception !== exceptions.now.get(ruleId) || exception?.isOff);
  });
  const otherwise = new Set([...changed.keys(), ...campaigns.keys(), ...byRow]);
  const enabled: CompiledIngestRule[] = [];
  for (const rule of [rules.ingestion(), rules.dependent()].flatMap((index) => [...index.ofTenant(tenantId)])) {
    if (otherwise.has(rule.ruleId) || rule.rule.recovers !== undefined) continue;
    const version = beforeRollout(rule, entity);
    if (version) enabled.push(version);
  }
  const disabled = off.filter(({ ruleId }) => !otherwise.has(ruleId)).flatMap(compiled);
  const add = (stored: WireRule | null | undefined) => {
    if (!stored || !ofPackets.has(stored.ruleTypeId)) return;
    const rule = underException(stored, exceptions.before.get(stored.ruleId));
    (rule.enabled ? enabled : disabled).push(...compiled(definitionOf(rule)));
  };
  for (const [ruleId, before] of changed) if (!campaigns.has(ruleId)) add(before);
  for (const ruleId of byRow) add(await ruleRow(ctx, ruleId, tenantId));
  for (const { ruleId, definition } of then) {
    const before = changed.get(ruleId) ?? (await ruleRow(ctx, ruleId, tenantId));
    if (before) add({ ...before, ...definition, enabled: true });
  }
  return { enabled, disabled, campaigns, exceptions: exceptions.before };
}

/** Evaluates a disabled rule. A rule that would not have held is not listed. */
function ofDisabled(rule: CompiledIngestRule, circumstances: JudgedPacket, words: ExplanationWords): Judgement {
  const judged = judge(rule, { ...circumstances, recordOf: () => undefined, matchOf: () => undefined }, words);
  const wouldHold = judged.outcome === 'hit';
  return {
    ...judged,
    outcome: 'disabled',
    nearness: wouldHold ? 1 : -1,
    reasons: [words.why.wouldHold],
  };
}

interface OtherRow {
  ruleId: string;
  name: string;
  ruleTypeId: number;
}

/** Reads the rules that matched for the entity, its device, subscription or groups, but were not evaluated for the packet. */
async function otherRules(ctx: Ctx, ids: readonly string[], tenantId: string): Promise<OtherRow[]> {
  if (ids.length === 0) return [];
  return ctx.db.query<OtherRow>({
    name: 'explain-other-rules',
    text: `select rule_id as "ruleId", name, rule_type_id as "ruleTypeId" from rule where rule_id = any($1::uuid[]) and rule_is_for(tenant_id, tenant_group_id, $2)`,
    values: [ids, tenantId],
  });
}

type ListedRule = Omit<RuleOfEntity, 'actions' | 'workUnits'>;

const otherEvents = new Map<number, readonly [ExplainedEvent, 'aboutSubscription' | 'aboutDevice']>([
  [ruleTypeId.aggregation, ['count', 'aboutSubscription']],
  [ruleTypeId.correlation, ['match', 'aboutDevice']],
]);

function otherListed(
  { ruleId, name, ruleTypeId: typeId }: OtherRow,
  match: ExplainedMatch,
  at: number,
  { why }: ExplanationWords,
): ListedRule {
  const outcome = Date.parse(match.firstMatch) >= at - 5_000 ? 'hit' : 'repeated';
  const [event, about] = otherEvents.get(typeId) ?? (['silence', 'neverReported'] as const);
  return {
    ruleId,
    ruleName: name,
    ruleTypeId: typeId,
    outcome,
    event,
    basis: 'recorded',
    summary: why.outcomes[outcome],
    reasons: [why[about]],
    nearly: false,
    conditions: '',
    disabled: null,
    match,
  };
}

interface EntityQuestion {
  at: number;
  /** The packet to explain; by default the latest packet at that time. */
  packet: PastPacket | undefined;
}

/** The subjects of matches that concern the entity: itself, its device, its subscription and the groups that are counted. */
function subjectsOf(entity: Entity): string[] {
  return [
    ...new Set([entity.id, entity.device?.id, entity.subscriptionId, ...groupsOfEntity(entity)].filter((id) => typeof id === 'string')),
  ];
}

async function circumstancesOf(
  ctx: Ctx,
  entity: Entity,
  at: number,
  packet: PastPacket,
  before: PastPacket | undefined,
  rules: Promise<readonly CompiledRule[]>,
): Promise<{ circumstances: JudgedPacket; newer: EntityExplanation['newerPacket']; matches: ReadonlyMap<string, ExplainedMatch> }> {
  const judged = withEvaluatedTime(packet);
  const since = orderTime(packet);
  const previousAt = before && orderTime(before);
  const [recorded, matches, newer, state, around] = await Promise.all([
    evaluationsOfPacket(ctx.db, packet.packetId),
    matchesBetween(ctx.db, subjectsOf(entity), iso(judged.timestamp), iso(Math.max(at, judged.timestamp))),
    newerPacketThan(ctx.db, packet),
    latestState(ctx, entity.id, packet.packetId),
    rules.then((all) => circumstancesIn(ctx.db, all, [entity], { from: Math.min(previousAt ?? since, judged.timestamp), to: at })),
  ]);
  const circumstances: JudgedPacket = {
    event: packetEvent(around, entity, judged, previousAt),
    tick: at > since && entity.enabled ? tickEvent(around, entity, since, at) : undefined,
    beatMs: await readBeat(ctx.db, { id: entity.id, at: since }, around.gaps),
    memoryOf: (ruleId) => state?.memory?.[ruleId],
    isStale: typeof packet.evaluated === 'number' ? packet.evaluated === -Infinity : newer !== undefined,
    sent: packet,
    newer,
    recordOf: (ruleId) => recorded.get(ruleId),
    matchOf: (ruleId) => matches.get(ruleId),
  };
  return { circumstances, newer: newer ?? null, matches };
}

/**
 * Explains all rules for one packet or the silence after it. The caller must have checked that the person may see rules of the
 * entity's tenant.
 */
export async function explainEntityAt(
  ctx: Ctx,
  rules: CompiledRules,
  entity: Entity,
  question: EntityQuestion,
): Promise<EntityExplanation> {
  const { at } = question;
  const words = ruleWordsFor(ctx);
  const packets = await packetsUpTo(ctx.db, entity.id, question.packet ? orderTime(question.packet) : at, 2);
  const packet = question.packet ?? packets.at(-1);
  const before = packets.findLast((item) => item.packetId !== packet?.packetId);
  const rulesOfThen = rulesAt(ctx, rules, entity, iso(packet?.received ?? at));
  const allOfThen = rulesOfThen.then(({ enabled, disabled }) => [...enabled, ...disabled]);
  const [then, maintenance, around] = await Promise.all([
    rulesOfThen,
    explainMaintenance(ctx, entity, at),
    packet ? circumstancesOf(ctx, entity, at, packet, before, allOfThen) : undefined,
  ]);

  const counts: Partial<Record<ExplainedOutcome, number>> = {};
  const count = (outcome: ExplainedOutcome, number = 1) => (counts[outcome] = (counts[outcome] ?? 0) + number);
  let judgements: Judgement[] = [];
  if (around) {
    judgements = then.enabled.map((rule) => judge(rule, around.circumstances, words));
    for (const { outcome } of judgements) count(outcome);
    const disabled = then.disabled.map((rule) => ofDisabled(rule, around.circumstances, words));
    judgements.push(...disabled);
    if (disabled.length > 0) count('disabled', disabled.length);
  } else if (then.enabled.length > 0) count('noPacket', then.enabled.length);

  const judgedIds = new Set(judgements.map(({ rule }) => rule.ruleId));
  const matches = around?.matches ?? (await matchesBetween(ctx.db, subjectsOf(entity), iso(at), iso(at)));
  const otherIds = [...matches.keys()].filter((ruleId) => !judgedIds.has(ruleId));
  const interesting = judgements.filter(({ nearness, match }) => nearness >= 0 || match !== undefined);
  const listed = interesting.sort(byInterest).slice(0, explainedRules);
  const [others, disabledBy, nameOf] = await Promise.all([
    otherRules(ctx, otherIds, entity.tenantId),
    whoDisabled(
      ctx,
      listed.filter(({ outcome }) => outcome === 'disabled').map(({ rule }) => rule.ruleId),
      iso(packet?.received ?? at),
    ),
    nameRows(
      ctx,
      listed.flatMap(({ rule }) => rule.rule.conditions),
      entity.tenantId,
    ),
  ]);
  const ofPacket = listed.map(({ rule, outcome, event, basis, match, reasons, trace: traceOfIt }): ListedRule => {
    const { conditions, name, ruleTypeId: typeId } = rule.rule;
    const trace = outcome === 'miss' ? traceOfIt() : undefined;
    return {
      ruleId: rule.ruleId,
      ruleName: name,
      ruleTypeId: typeId,
      outcome,
      event,
      basis,
      summary: words.why.outcomes[outcome],
      reasons: [
        ...campaignReasons(then.campaigns, rule.ruleId, words),
        ...exceptionReasons(then.exceptions.get(rule.ruleId), words),
        ...reasons,
        ...(trace ? whatFailed(trace, explainConditions(trace, conditions, words, nameOf), words) : []),
      ],
      nearly: trace?.conditions.some((condition) => condition.held && !condition.satisfied) ?? false,
      conditions: describeRule(conditions, words, nameOf),
      disabled: disabledBy.get(rule.ruleId) ?? null,
      match: match ?? null,
    };
  });
  const ofOthers = others.flatMap((row) => {
    const match = matches.get(row.ruleId);
    return match ? [otherListed(row, match, at, words)] : [];
  });
  for (const { outcome } of ofOthers) count(outcome);
  const all = [...ofOthers, ...ofPacket].slice(0, explainedRules);
  const matchIds = all.flatMap(({ match }) => (match ? [match.ruleMatchId] : []));
  const consequences = await consequencesOf(ctx, matchIds, entity.tenantId);
  const groups = await groupReasons(ctx, matchIds, entity.tenantId);
  const explained = all.map((rule) => {
    const id = rule.match?.ruleMatchId ?? '';
    return { ...rule, reasons: [...(groups.get(id) ?? []), ...rule.reasons], ...(consequences.get(id) ?? noConsequences) };
  });
  const actions = tallied(explained);
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const explanation = {
    entityId: entity.id,
    entityName: entity.name,
    entityKind: entity.kind,
    tenantId: entity.tenantId,
    at: iso(at),
    packet: packet
      ? { packetId: packet.packetId, timestamp: iso(packet.timestamp), received: iso(packet.received), message: packet.message }
      : null,
    newerPacket: (packet && Number.isFinite(packet.evaluated) ? undefined : around?.newer) ?? null,
    silentSeconds: packet ? Math.max(0, Math.round((at - packet.timestamp) / 1_000)) : null,
    maintenance,
    reasons: [
      ...(packet ? clockReasons(packet, words) : []),
      ...(packet && around?.newer && Number.isFinite(packet.evaluated) ? [latenessText(packet, around.newer, {}, true, words)] : []),
      ...(entity.enabled ? [] : [words.why.entityDisabled]),
    ],
    actions,
    counts,
    rules: explained,
    leftOut: Math.max(0, total - explained.length),
  };
  return { ...explanation, summary: summaryOf(explanation, words) };
}
