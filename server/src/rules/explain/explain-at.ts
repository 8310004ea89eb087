/** Composes an explanation from the evaluation, the names of rows and the consequences. */
import type { ExplainedOutcome, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { compiledOrNone } from '@cloudfit/contract/rules/compile.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import { explainConditions, whatFailed } from '@cloudfit/contract/rules/explain-trace.ts';
import { flappingText } from '../../automation/units/flapping.ts';
import type { Ctx } from '../../context/ctx.ts';
import { iso } from '../past/past-packets.ts';
import { consequencesOf, noConsequences } from './consequences.ts';
import { clockReasons } from './clock.ts';
import { groupReasons } from './group-reasons.ts';
import { find, type ExplainQuestion } from './find.ts';
import { heldBy, explainMaintenance } from './explain-maintenance.ts';
import { nameRows } from './name-rows.ts';
import { matchById, type ExplainedMatch } from './on-record.ts';
import { latenessText } from './lateness.ts';
import { newerPacketThan } from './newer-packet.ts';
import { definitionOf, ruleVersions, versionAt, type WireRule } from '../past/rule-versions.ts';
import { whoDisabled } from './who-changed.ts';

/** A sentence for each outcome. */
export const texts: Record<ExplainedOutcome, string> = {
  hit: 'The rule held and opened a match.',
  repeated: 'The rule held and was counted in the match that was open.',
  late: 'The rule held, but the packet came so late that its match was over: its actions were not run.',
  suppressed: 'The rule held and opened a match; its actions wait for the end of a maintenance, or ended with the match in it.',
  miss: 'The rule did not hold.',
  outsideTime: 'The conditions held, but not within the time limitations of the rule.',
  stale: 'The packet was older than the latest one when it came, so it was stored and not evaluated.',
  failed: 'The rule could not be evaluated.',
  disabled: 'The rule was disabled at that time.',
  absent: 'The rule was not there at that time.',
  outOfScope: 'The entity belongs to another tenant or subscription than the rule.',
  noPacket: 'The entity had not sent a packet by then.',
  notEvaluated: 'Nothing is on record for this rule and entity by then.',
};

/** Says that a version was evaluated that was not in force for all devices. */
export const judgedBy = (campaign: string) =>
  `Evaluated by the new version that the campaign ${campaign} had brought into force for this device.`;

const noMaintenance: Explanation['maintenance'] = { inMaintenance: false, rules: [], windows: [], until: null };

const led = new Set<ExplainedOutcome>(['hit', 'repeated', 'late', 'suppressed']);

/** Says when recovery conditions, or the end of a silence, ended the match, or when they end it, if it must be clear for a time. */
function recoveryText({ recovered, expires, closed }: ExplainedMatch, rule: WireRule | null | undefined): string {
  const hasConditions = (rule?.recoveryConditions?.length ?? 0) > 0;
  if (closed !== null && Date.parse(expires) === Date.parse(recovered ?? ''))
    return hasConditions
      ? `Its recovery conditions ended the match at ${recovered}.`
      : `The entity reported again, which ended the match at ${recovered}.`;
  const since = hasConditions ? `Its recovery conditions hold since ${recovered}` : `The entity reports again since ${recovered}`;
  return closed === null
    ? `${since}: the match ends at ${expires}, unless it matches again before.`
    : `${since}: the match ended at ${expires}.`;
}

/** Explains what a rule did with an entity at a time. The caller must have checked that the person may see rule and entity. */
export async function explainAt(ctx: Ctx, question: ExplainQuestion): Promise<Explanation> {
  const versions = await ruleVersions(ctx, question.ruleId, question.rule, question.entity, question.tenantId);
  const { finding, event, eventAt, packet, versionTime, match: matchThen } = await find(ctx, question, versions);
  const openedMatch = question.opened && (await matchById(ctx.db, question.opened.ruleMatchId));
  const match = openedMatch ?? (led.has(finding.outcome) ? matchThen : undefined);
  const version = versionAt(versions, versionTime);
  const rule = version?.rule ?? question.rule;
  const nameOf = rule ? await nameRows(ctx, rule.conditions, question.tenantId) : undefined;
  const conditions = finding.trace && rule ? explainConditions(finding.trace, rule.conditions, nameOf) : [];
  const judged = rule ? compiledOrNone({ ...definitionOf(rule), ruleId: question.ruleId }) : undefined;
  const maintenance = question.entity
    ? await explainMaintenance(ctx, question.entity, packet?.timestamp ?? question.at, judged)
    : noMaintenance;
  const waits = match?.heldSince && (maintenance.rules.length > 0 || maintenance.windows.length > 0);
  const isOff = finding.outcome === 'disabled' || finding.outcome === 'absent' || question.rule?.enabled !== true;
  const disabled = isOff ? (await whoDisabled(ctx, [question.ruleId], iso(question.at))).get(question.ruleId) : undefined;
  const mayBeLate = packet && (finding.outcome === 'stale' || Number.isFinite(packet.evaluated));
  const newer = mayBeLate ? await newerPacketThan(ctx.db, packet) : undefined;
  const consequences = match ? (await consequencesOf(ctx, [match.ruleMatchId], question.tenantId)).get(match.ruleMatchId) : undefined;
  const flaps = match && (await flappingText(ctx.db, question.ruleId, question.entityId, new Date(match.firstMatch)));
  const ofGroup = match ? ((await groupReasons(ctx, [match.ruleMatchId], question.tenantId)).get(match.ruleMatchId) ?? []) : [];
  return {
    ruleId: question.ruleId,
    ruleName: rule?.name ?? null,
    entityId: question.entityId,
    entityName: question.entity?.name ?? null,
    at: iso(question.at),
    outcome: finding.outcome,
    event,
    eventAt: eventAt === null ? null : iso(eventAt),
    summary: texts[finding.outcome],
    reasons: [
      ...(version?.campaign ? [judgedBy(version.campaign)] : []),
      ...(packet ? clockReasons(packet) : []),
      ...(packet && newer && rule ? [latenessText(packet, newer, definitionOf(rule), finding.outcome !== 'stale')] : []),
      ...(match?.recovered ? [recoveryText(match, rule)] : []),
      ...(waits ? [`Its actions were ${heldBy(maintenance)}${maintenance.until ? ` until ${maintenance.until}` : ''}.`] : []),
      ...(flaps ? [flaps] : []),
      ...ofGroup,
      ...finding.reasons,
      ...(finding.trace && finding.outcome === 'miss' ? whatFailed(finding.trace, conditions) : []),
    ],
    basis: finding.basis,
    rule: rule && {
      ruleTypeId: rule.ruleTypeId,
      enabled: rule.enabled,
      since: iso(version?.rule ? version.from : Date.parse(rule.created)),
      conditions: describeRule(rule.conditions, nameOf),
      changedSince: version !== undefined && version !== versions.at(-1),
    },
    disabled: disabled ?? null,
    packet: packet
      ? { packetId: packet.packetId, timestamp: iso(packet.timestamp), received: iso(packet.received), message: packet.message }
      : null,
    newerPacket: (finding.outcome === 'stale' ? newer : undefined) ?? null,
    conditions,
    inTimeWindow: finding.trace?.inTimeWindow ?? null,
    maintenance: { ...maintenance, inMaintenance: match?.inMaintenance ?? maintenance.inMaintenance },
    match: match ?? null,
    ...(consequences ?? noConsequences),
  };
}
