/** Puts an explanation together: recorded facts first, and what is not on record evaluated again. */
import type { ExplainedOutcome, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { ruleTypes } from '@cloudfit/contract/enums.ts';
import { compileRule, ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import { RuleError } from '@cloudfit/contract/rules/errors.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import { explainConditions, whatFailed } from '@cloudfit/contract/rules/explain-trace.ts';
import type { Trace } from '@cloudfit/contract/rules/trace.ts';
import type { Ctx } from '../../ctx.ts';
import type { Entity } from '../entities.ts';
import { iso } from '../past-packets.ts';
import { consequencesOf } from './consequences.ts';
import { lookAgain, type Look } from './look-again.ts';
import { maintenanceRulesAt } from './maintenance-then.ts';
import { keptOfPacket, keptUpTo, matchAround, matchById, traceIn, type Kept } from './on-record.ts';
import { definitionOf, ruleVersions, versionAt, type RuleVersion, type WireRule } from './rule-versions.ts';

export interface Asked {
  ruleId: string;
  tenantId: string;
  /** The rule now; null when it is gone. */
  rule: WireRule | null;
  entityId: string;
  /** Undefined when it is gone or no entity: then only the record speaks. */
  entity: Entity | undefined;
  /** Epoch milliseconds. */
  at: number;
  /** Of a match that is asked about, with the cause that opened it. */
  opened?: { ruleMatchId: string; correlationId: string };
}

interface Finding {
  outcome: ExplainedOutcome;
  basis: Explanation['basis'];
  trace?: Trace | undefined;
  reasons: string[];
}

const texts: Record<ExplainedOutcome, string> = {
  hit: 'The rule held and opened a match.',
  repeated: 'The rule held and was counted in the match that was open.',
  late: 'The rule held, but the packet came so late that its match was over: its actions were not run.',
  suppressed: 'The rule held and opened a match; its actions were not run because of maintenance.',
  miss: 'The rule did not hold.',
  outsideTime: 'The conditions held, but not within the time limitations of the rule.',
  stale: 'The packet was older than the latest one when it came, so it was stored and not evaluated.',
  failed: 'The rule could not be evaluated.',
  disabled: 'The rule was disabled at that time.',
  absent: 'The rule was not there at that time.',
  outOfScope: 'The entity belongs to another tenant or subscription than the rule.',
  noPacket: 'The entity had not sent a packet by then.',
  notEvaluated: 'Nothing is on record of this rule and entity by then.',
};

const asRecorded: Record<string, ExplainedOutcome> = {
  hit: 'hit',
  late: 'late',
  suppressed: 'suppressed',
  miss: 'miss',
  stale: 'stale',
  failed: 'failed',
};

function errorIn(detail: unknown): string[] {
  const error = typeof detail === 'object' && detail !== null && 'error' in detail ? detail.error : undefined;
  return typeof error === 'string' ? [error] : [];
}

function missOf(trace: Trace): ExplainedOutcome {
  return trace.inScope && trace.inTimeWindow === false && trace.groups.some(Boolean) ? 'outsideTime' : 'miss';
}

function fromRecord(kept: Kept): Finding {
  const trace = traceIn(kept.detail);
  const outcome = asRecorded[kept.outcome] ?? 'notEvaluated';
  return { outcome: outcome === 'miss' && trace ? missOf(trace) : outcome, basis: 'recorded', trace, reasons: errorIn(kept.detail) };
}

function notInForce({ rule }: RuleVersion | { rule: null }): Finding | undefined {
  if (!rule) return { outcome: 'absent', basis: 'none', reasons: [] };
  return rule.enabled ? undefined : { outcome: 'disabled', basis: 'none', reasons: [] };
}

function inReach(rule: WireRule, entity: Entity): boolean {
  return rule.tenantId === entity.tenantId && (!rule.subscriptionId || rule.subscriptionId === entity.subscriptionId);
}

function fromLook(look: Look, matched: boolean, opened: boolean): Finding {
  const reasons = look.cut ? ['Looked back at the last 2,000 packets only: what a pattern remembers may reach further.'] : [];
  const basis = 'evaluatedAgain';
  if (look.stale) return { outcome: 'stale', basis, reasons };
  if (look.error !== undefined || !look.trace) return { outcome: 'failed', basis, reasons: look.error ? [look.error] : reasons };
  const { trace } = look;
  if (trace.outcome !== 'hit') return { outcome: trace.inScope ? missOf(trace) : 'outOfScope', basis, trace, reasons };
  if (!matched) reasons.push('Its match is not on record: the rule may have been changed in the same moment.');
  return { outcome: opened ? 'hit' : 'repeated', basis, trace, reasons };
}

/** A maintenance rule looks at the time alone, not at packets. */
function ofMaintenanceRule(rule: WireRule, entity: Entity, at: number): Finding {
  const event = { entity, packet: { timestamp: at, message: {} } };
  try {
    const { trace } = evaluate(compileRule(definitionOf(rule)), event, undefined, { trace: true });
    const outcome = trace?.outcome === 'hit' ? 'hit' : trace ? missOf(trace) : 'miss';
    return { outcome, basis: 'evaluatedAgain', trace, reasons: outcome === 'hit' ? ['It holds the entity in maintenance.'] : [] };
  } catch (error) {
    // As it was stored then it cannot be evaluated now: why is the answer.
    if (!(error instanceof RuleError)) throw error;
    return { outcome: 'failed', basis: 'evaluatedAgain', reasons: [error.message] };
  }
}

async function ofPackets(ctx: Ctx, asked: Asked, versions: RuleVersion[], entity: Entity) {
  const look = await lookAgain(ctx.db, entity, versions, { at: asked.at, packetId: asked.opened?.correlationId });
  if (!look) return { finding: notInForce(versionAt(versions, asked.at) ?? { rule: null }) ?? none('noPacket'), versionTime: asked.at };
  const { packet } = look;
  const kept = await keptOfPacket(ctx.db, asked.ruleId, packet.packetId);
  const match = kept?.ruleMatchId
    ? await matchById(ctx.db, kept.ruleMatchId)
    : await matchAround(ctx.db, asked.ruleId, entity.id, iso(packet.timestamp));
  const version = versionAt(versions, packet.received) ?? { rule: null };
  const finding = kept
    ? fromRecord(kept)
    : (notInForce(version) ??
      (version.rule && !inReach(version.rule, entity)
        ? none('outOfScope')
        : fromLook(look, match !== undefined, match !== undefined && Date.parse(match.firstMatch) === packet.timestamp)));
  return { finding, match, packet, versionTime: packet.received };
}

function none(outcome: ExplainedOutcome): Finding {
  return { outcome, basis: 'none', reasons: [] };
}

const led = new Set<ExplainedOutcome>(['hit', 'repeated', 'late', 'suppressed']);

async function find(ctx: Ctx, asked: Asked, versions: RuleVersion[]) {
  const version = versionAt(versions, asked.at) ?? versions.at(-1);
  const type = version?.rule?.ruleTypeId ?? asked.rule?.ruleTypeId;
  if (asked.entity && type === ruleTypeId.ingestion) return ofPackets(ctx, asked, versions, asked.entity);
  const versionTime = asked.at;
  if (asked.entity && version?.rule && type === ruleTypeId.maintenance) {
    const reach = inReach(version.rule, asked.entity) ? undefined : none('outOfScope');
    return { finding: notInForce(version) ?? reach ?? ofMaintenanceRule(version.rule, asked.entity, asked.at), versionTime };
  }
  const kept = asked.opened
    ? await keptOfPacket(ctx.db, asked.ruleId, asked.opened.correlationId)
    : await keptUpTo(ctx.db, asked.ruleId, asked.entityId, iso(asked.at));
  const label = ruleTypes.find((one) => one.value === type)?.label ?? 'an unknown type';
  const silent = { ...none('notEvaluated'), reasons: [`Of rules of type ${label} only what was recorded can be told.`] };
  const finding = kept ? fromRecord(kept) : ((version && notInForce(version)) ?? silent);
  return { finding, match: kept?.ruleMatchId ? await matchById(ctx.db, kept.ruleMatchId) : undefined, versionTime };
}

/** The caller has made sure that rule and entity are in reach. */
export async function explainAt(ctx: Ctx, asked: Asked): Promise<Explanation> {
  const versions = await ruleVersions(ctx, asked.ruleId, asked.rule);
  const found = await find(ctx, asked, versions);
  const { finding, versionTime } = found;
  const packet = 'packet' in found ? found.packet : undefined;
  const own = asked.opened && (await matchById(ctx.db, asked.opened.ruleMatchId));
  const match = own ?? ('match' in found && led.has(finding.outcome) ? found.match : undefined);
  const version = versionAt(versions, versionTime);
  const rule = version?.rule ?? asked.rule;
  const conditions = finding.trace && rule ? explainConditions(finding.trace, rule.conditions) : [];
  const maintenance = asked.entity ? await maintenanceRulesAt(ctx, asked.entity, packet?.timestamp ?? asked.at) : [];
  return {
    ruleId: asked.ruleId,
    ruleName: rule?.name ?? null,
    entityId: asked.entityId,
    entityName: asked.entity?.name ?? null,
    at: iso(asked.at),
    outcome: finding.outcome,
    summary: texts[finding.outcome],
    reasons: [...finding.reasons, ...(finding.trace && finding.outcome === 'miss' ? whatFailed(finding.trace, conditions) : [])],
    basis: finding.basis,
    rule: rule && {
      ruleTypeId: rule.ruleTypeId,
      enabled: rule.enabled,
      since: iso(version?.rule ? version.from : Date.parse(rule.created)),
      conditions: describeRule(rule.conditions),
      changedSince: version !== undefined && version !== versions.at(-1),
    },
    packet: packet
      ? { packetId: packet.packetId, timestamp: iso(packet.timestamp), received: iso(packet.received), message: packet.message }
      : null,
    conditions,
    inTimeWindow: finding.trace?.inTimeWindow ?? null,
    maintenance: { inMaintenance: match?.inMaintenance ?? maintenance.length > 0, rules: maintenance },
    match: match ?? null,
    ...(match ? await consequencesOf(ctx, match.ruleMatchId, asked.tenantId) : { actions: [], workUnits: [] }),
  };
}
