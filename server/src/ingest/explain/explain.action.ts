/** Why a rule matched, or why it did not. */
import { explainMatch, explainRule } from '@cloudfit/contract/actions/explain.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../ctx.ts';
import { servedRuleMatches, servedRules } from '../../features/rules/rules.served.ts';
import { implement, type Implemented } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { readEntities, type Entity } from '../entities.ts';
import { explainAt } from './explain-at.ts';
import type { WireRule } from './rule-versions.ts';

const view = permission('Rules', 'view');

/** Undefined when it is gone, or in a tenant whose rules the caller may not see. */
async function entityOf(ctx: Ctx, id: string): Promise<Entity | undefined> {
  const [entity] = await readEntities(ctx.db, [id]);
  return entity && may(ctx, view, entity.tenantId) ? entity : undefined;
}

async function ruleOrNone(ctx: Ctx, id: string, tenantId: string): Promise<WireRule | null> {
  const [row] = await ctx.db.query<{ rule_id: string }>({
    text: 'select rule_id from rule where rule_id = $1 and tenant_id = $2',
    values: [id, tenantId],
  });
  return row ? ((await get(ctx, servedRules, id)) as unknown as WireRule) : null;
}

const ofRule = implement(explainRule, async (ctx, { id, entityId, at }) => {
  const rule = (await get(ctx, servedRules, id)) as unknown as WireRule;
  const entity = await entityOf(ctx, entityId);
  if (!entity) throw notFound('Entity');
  const time = at === undefined ? ctx.now().getTime() : Date.parse(at);
  return explainAt(ctx, { ruleId: rule.ruleId, tenantId: rule.tenantId, rule, entityId: entity.id, entity, at: time });
});

interface WireMatch {
  ruleMatchId: string;
  ruleId: string;
  tenantId: string;
  subjectId: string;
  firstMatch: string;
  correlationId: string;
}

const ofMatch = implement(explainMatch, async (ctx, { id }) => {
  const match = (await get(ctx, servedRuleMatches, id)) as unknown as WireMatch;
  const { ruleMatchId, ruleId, tenantId, subjectId, correlationId } = match;
  return explainAt(ctx, {
    ruleId,
    tenantId,
    rule: await ruleOrNone(ctx, ruleId, tenantId),
    entityId: subjectId,
    entity: await entityOf(ctx, subjectId),
    at: Date.parse(match.firstMatch),
    opened: { ruleMatchId, correlationId },
  });
});

export const explainActions: readonly Implemented[] = [ofRule, ofMatch];
