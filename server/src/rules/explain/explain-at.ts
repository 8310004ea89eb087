/** Composes an explanation from the evaluation, the names of rows and the consequences. */
import type { ExplainedOutcome, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { compiledOrNone } from '@cloudfit/contract/rules/compile.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import { explainConditions, whatFailed } from '@cloudfit/contract/rules/explain-trace.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { flappingText } from '../../automation/units/flapping.ts';
import type { Ctx } from '../../context/ctx.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { iso } from '../past/past-packets.ts';
import { consequencesOf, noConsequences } from './consequences.ts';
import { clockReasons } from './clock.ts';
import { exceptionReasons } from './exception-reasons.ts';
import { groupReasons } from './group-reasons.ts';
import { find, type ExplainQuestion } from './find.ts';
import { heldBy, explainMaintenance } from './explain-maintenance.ts';
import { nameRows } from './name-rows.ts';
import { matchById, type ExplainedMatch } from './on-record.ts';
import { latenessText } from './lateness.ts';
import { newerPacketThan } from './newer-packet.ts';
import { definitionOf, ruleVersions, versionAt, type WireRule } from '../past/rule-versions.ts';
import { whoDisabled } from './who-changed.ts';

const noMaintenance: Explanation['maintenance'] = { inMaintenance: false, rules: [], windows: [], until: null };

const led = new Set<ExplainedOutcome>(['hit', 'repeated', 'late', 'suppressed']);

/** Whether the rule looks at selections, whose members of the past nobody has stored. */
const readsSelections = (conditions: readonly Condition[]) =>
  conditions.some(({ LeftOperand }) => LeftOperand === operandId.deviceSelection);

/** Says when recovery conditions, or the end of a silence, ended the match, or when they end it, if it must be clear for a time. */
function recoveryText(
  { recovered, expires, closed }: ExplainedMatch,
  rule: WireRule | null | undefined,
  { why }: ExplanationWords,
): string {
  const hasConditions = (rule?.recoveryConditions?.length ?? 0) > 0;
  if (closed !== null && Date.parse(expires) === Date.parse(recovered ?? ''))
    return (hasConditions ? why.recoveryEnded : why.reportEnded)(recovered ?? '');
  const [ends, ended] = hasConditions ? [why.recoveryEnds, why.recoveryHadEnded] : [why.reportEnds, why.reportHadEnded];
  return (closed === null ? ends : ended)(recovered ?? '', expires);
}

/** Explains what a rule did with an entity at a time. The caller must have checked that the person may see rule and entity. */
export async function explainAt(ctx: Ctx, question: ExplainQuestion): Promise<Explanation> {
  const words = ruleWordsFor(ctx);
  const { why } = words;
  const versions = await ruleVersions(ctx, question.ruleId, question.rule, question.entity, question.tenantId);
  const { finding, event, eventAt, packet, versionTime, match: matchThen } = await find(ctx, question, versions);
  const openedMatch = question.opened && (await matchById(ctx.db, question.opened.ruleMatchId));
  const match = openedMatch ?? (led.has(finding.outcome) ? matchThen : undefined);
  const version = versionAt(versions, versionTime);
  const rule = version?.rule ?? question.rule;
  const nameOf = rule ? await nameRows(ctx, rule.conditions, question.tenantId) : undefined;
  const conditions = finding.trace && rule ? explainConditions(finding.trace, rule.conditions, words, nameOf) : [];
  const judged = rule ? compiledOrNone({ ...definitionOf(rule), ruleId: question.ruleId }) : undefined;
  const maintenance = question.entity
    ? await explainMaintenance(ctx, question.entity, packet?.timestamp ?? question.at, judged)
    : noMaintenance;
  const waits = match?.heldSince && (maintenance.rules.length > 0 || maintenance.windows.length > 0);
  const holder = heldBy(maintenance, words);
  const waiting = maintenance.until ? why.heldActionsUntil(holder, maintenance.until) : why.heldActions(holder);
  const isOff = finding.outcome === 'disabled' || finding.outcome === 'absent' || question.rule?.enabled !== true;
  const disabled = isOff ? (await whoDisabled(ctx, [question.ruleId], iso(question.at))).get(question.ruleId) : undefined;
  const mayBeLate = packet && (finding.outcome === 'stale' || Number.isFinite(packet.evaluated));
  const newer = mayBeLate ? await newerPacketThan(ctx.db, packet) : undefined;
  const consequences = match ? (await consequencesOf(ctx, [match.ruleMatchId], question.tenantId)).get(match.ruleMatchId) : undefined;
  const flaps = match && (await flappingText(ctx.db, question.ruleId, question.entityId, new Date(match.firstMatch), words));
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
    summary: why.outcomes[finding.outcome],
    reasons: [
      ...(version?.campaign ? [why.byCampaign(version.campaign)] : []),
      ...exceptionReasons(version?.exception, words),
      ...(rule && readsSelections(rule.conditions) && finding.basis !== 'recorded' ? [why.selectionsNow] : []),
      ...(packet ? clockReasons(packet, words) : []),
      ...(packet && newer && rule ? [latenessText(packet, newer, definitionOf(rule), finding.outcome !== 'stale', words)] : []),
      ...(match?.recovered ? [recoveryText(match, rule, words)] : []),
      ...(waits ? [waiting] : []),
      ...(flaps ? [flaps] : []),
      ...ofGroup,
      ...finding.reasons,
      ...(finding.trace && finding.outcome === 'miss' ? whatFailed(finding.trace, conditions, words) : []),
    ],
    basis: finding.basis,
    rule: rule && {
      ruleTypeId: rule.ruleTypeId,
      enabled: rule.enabled,
      since: iso(version?.rule ? version.from : Date.parse(rule.created)),
      conditions: describeRule(rule.conditions, words, nameOf),
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
