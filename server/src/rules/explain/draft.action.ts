/** How an unsaved rule would have evaluated a recorded packet. */
import { explainDraft } from '@cloudfit/contract/actions/explain.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { may } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { entityOf } from './explain.action.ts';
import { explainAt } from './explain-at.ts';

const view = permission('Rules', 'view');

/** An id that no rule has, so that nothing on record is mistaken for the draft's. */
const noRule = '00000000-0000-0000-0000-000000000000';

const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);

export const explainDraftAction = implement(explainDraft, async (ctx, { rule, entityId, at }) => {
  if (!may(ctx, view, rule.tenantId)) throw notFound('Tenant');
  const problems = validateRule(rule).map(({ target, message }) => ({ target: `rule.${target}`, message }));
  if (!ofPackets.has(rule.ruleTypeId))
    problems.push({ target: 'rule.ruleTypeId', message: 'Only rules of the types Ingestion and History can be tested on one packet.' });
  if (problems.length > 0) throw validationFailed(problems);
  const entity = await entityOf(ctx, entityId);
  if (!entity || entity.tenantId !== rule.tenantId) throw notFound('Entity');
  // The draft is in force since 1970, so that it can be evaluated for any packet.
  const draft = {
    ...rule,
    subscriptionId: rule.subscriptionId ?? null,
    timeConditions: rule.timeConditions ?? null,
    ruleId: noRule,
    enabled: true,
    created: new Date(0).toISOString(),
  };
  const explanation = await explainAt(ctx, {
    ruleId: noRule,
    tenantId: rule.tenantId,
    rule: draft,
    entityId,
    entity,
    at: Date.parse(at),
  });
  // A draft has no matches on record, so it is unknown whether the packet would have opened a match or repeated one.
  const isHit = explanation.outcome === 'hit' || explanation.outcome === 'repeated';
  return isHit ? { ...explanation, outcome: 'hit' as const, summary: 'The rule would have matched.', reasons: [] } : explanation;
});
