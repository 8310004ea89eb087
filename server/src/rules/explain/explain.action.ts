/** Explains why a rule, or any rule of an entity's tenant, matched or did not match. */
import { explainDraft, explainEntity, explainMatch, explainRule } from '@cloudfit/contract/actions/explain.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { servedRuleMatches, servedRules } from '../../features/rules/rules.served.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { implement, type ImplementedAction, type ImplementedCall } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { subjectOf } from '../run/correlate.job.ts';
import { countedFor } from '../run/count-groups.ts';
import { subscriptionEntity } from '../run/count-many.ts';
import { readEntities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import { subjectOfWorkUnit, workUnitOfSubject } from '../../features/work-units/subject.ts';
import type { CompiledRules } from '../run/compiled-rules.ts';
import { exceptionReasons } from './exception-reasons.ts';
import { explainAt } from './explain-at.ts';
import { explainEntityAt } from './explain-entity.ts';
import { rulesThereActions } from './rules-there.ts';
import { packetById } from './replay-packet.ts';
import type { RecordedRule, WireRule } from '../past/rule-versions.ts';
import { triedExceptions, underException } from '../past/exceptions.ts';
import { asOfTenant } from '../past/rules-of-many.ts';

const view = permission('Rules', 'view');

/** Returns an entity; undefined when the entity was deleted, or when the caller may not see rules of its tenant. */
async function entityOf(ctx: Ctx, id: string): Promise<Entity | undefined> {
  const [entity] = await readEntities(ctx.db, [id]);
  return entity && may(ctx, view, entity.tenantId) ? entity : undefined;
}

async function ruleOrNone(ctx: Ctx, id: string, tenantId: string): Promise<WireRule | null> {
  const [row] = await ctx.db.query<{ rule_id: string }>({
    text: 'select rule_id from rule where rule_id = $1 and rule_is_for(tenant_id, tenant_group_id, $2)',
    values: [id, tenantId],
  });
  const [rule = null] = row ? await asOfTenant(ctx, tenantId, [await get(ctx, servedRules, id)]) : [];
  return rule;
}

/**
 * Returns a rule as it was when it was deleted; undefined when it still exists, never existed, or the caller may not see it.
 */
async function deletedRule(ctx: Ctx, id: string): Promise<RecordedRule | undefined> {
  const [row] = await ctx.db.query<{ before: RecordedRule | null }>({
    name: 'explain-deleted-rule',
    text: `select before from audit a where entity = 'rules' and entity_id = $1 and verb = 'delete' and not exists (select from rule r where r.rule_id = $1::uuid)
order by audit_id desc limit 1`,
    values: [id],
  });
  return row?.before && may(ctx, view, row.before.tenantId ?? undefined) ? row.before : undefined;
}

async function subscriptionOf(ctx: Ctx, id: string): Promise<Entity | undefined> {
  const [row] = await ctx.db.query<Parameters<typeof subscriptionEntity>[0]>({
    text: 'select subscription_id, tenant_id, name from subscription where subscription_id = $1',
    values: [id],
  });
  return row && may(ctx, view, row.tenant_id) ? subscriptionEntity(row) : undefined;
}

/** Returns the subject of a work unit; throws when the caller may not view the unit. */
async function unitOf(ctx: Ctx, workUnitId: number): Promise<Entity> {
  const { tenantId, title } = await get(ctx, servedOf(workUnits), workUnitId);
  return { id: subjectOfWorkUnit(workUnitId), kind: 'workUnit', tenantId, name: title, enabled: true };
}

/** The subject of the rule's matches for the entity or unit that the caller named. */
async function subjectFor(
  ctx: Ctx,
  { ruleTypeId: typeId, countBy = 'Subscription', countTag }: Pick<RecordedRule, 'ruleTypeId' | 'countBy' | 'countTag'>,
  entityId: string | undefined,
  workUnitId: number | undefined,
): Promise<Entity | undefined> {
  if (typeId === ruleTypeId.workUnit) {
    const number = workUnitId ?? (entityId === undefined ? undefined : workUnitOfSubject(entityId));
    return number === undefined ? undefined : unitOf(ctx, number);
  }
  if (entityId === undefined) return undefined;
  const entity = await entityOf(ctx, entityId);
  if (typeId === ruleTypeId.aggregation && countBy !== 'Subscription')
    return entity?.kind === 'group' ? entity : entity && entityOf(ctx, countedFor({ countBy, countTag }, entity)[0] ?? entityId);
  if (typeId === ruleTypeId.aggregation) return subscriptionOf(ctx, entity?.subscriptionId ?? entityId);
  return typeId === ruleTypeId.correlation && entity ? entityOf(ctx, subjectOf(entity)) : entity;
}

const ofRule = implement(explainRule, async (ctx, { id, entityId, workUnitId, at }) => {
  const deleted = await deletedRule(ctx, id);
  const stored: RecordedRule = deleted ?? (await get(ctx, servedRules, id));
  if ((stored.ruleTypeId === ruleTypeId.workUnit ? (workUnitId ?? entityId) : entityId) === undefined)
    throw validationFailed([
      {
        target: stored.ruleTypeId === ruleTypeId.workUnit ? 'workUnitId' : 'entityId',
        message: 'Send the id of the entity, subscription or work unit that the explanation is about.',
      },
    ]);
  const entity = await subjectFor(ctx, stored, entityId, workUnitId);
  if (!entity) throw notFound('Entity');
  // Of a rule of many tenants, how it is for the tenant of the entity.
  const tenantId = stored.tenantId ?? entity.tenantId;
  const [rule] = await asOfTenant(ctx, tenantId, [stored]);
  if (!rule) throw notFound('Entity');
  const time = at === undefined ? ctx.now().getTime() : Date.parse(at);
  return explainAt(ctx, {
    ruleId: rule.ruleId,
    tenantId,
    rule: deleted ? null : rule,
    entityId: entity.id,
    entity,
    at: time,
  });
});

const ofMatch = implement(explainMatch, async (ctx, { id }) => {
  const match = await get(ctx, servedRuleMatches, id);
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

/** `rules`: the compiled rules of this process. */
export function explainEntityAction(rules: () => Promise<CompiledRules>): ImplementedAction {
  return implement(explainEntity, async (ctx, { entityId, packetId, at }) => {
    const entity = await entityOf(ctx, entityId);
    if (!entity) throw notFound('Entity');
    const packet = packetId === undefined ? undefined : await packetById(ctx.db, entityId, packetId);
    if (packetId !== undefined && !packet) throw notFound('Packet');
    const time = at === undefined ? (packet?.timestamp ?? ctx.now().getTime()) : Date.parse(at);
    return explainEntityAt(ctx, await rules(), entity, { at: time, packet });
  });
}

/** An id that no rule has, so that nothing on record is mistaken for the draft's. */
const noRule = '00000000-0000-0000-0000-000000000000';

const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);

/** How an unsaved rule would have evaluated a recorded packet. */
export const explainDraftAction = implement(explainDraft, async (ctx, { rule, ruleId, entityId, at }) => {
  if (!may(ctx, view, rule.tenantId)) throw notFound('Tenant');
  const problems = validateRule(rule).map(({ target, message }) => ({ target: `rule.${target}`, message }));
  if (!ofPackets.has(rule.ruleTypeId))
    problems.push({ target: 'rule.ruleTypeId', message: 'Only rules of the types Ingestion and History can be tested on one packet.' });
  if (problems.length > 0) throw validationFailed(problems);
  const entity = await entityOf(ctx, entityId);
  if (!entity || entity.tenantId !== rule.tenantId) throw notFound('Entity');
  // The draft is in force since 1970, so that it can be evaluated for any packet.
  const exception = exceptionChooser(await triedExceptions(ctx.db, ruleId, rule.tenantId))(entity);
  const draft = underException(
    {
      ...rule,
      subscriptionId: rule.subscriptionId ?? null,
      timeConditions: rule.timeConditions ?? null,
      ruleId: noRule,
      enabled: true,
      created: new Date(0).toISOString(),
    },
    exception,
  );
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
  const words = ruleWordsFor(ctx);
  const by = exceptionReasons(exception, words);
  return isHit
    ? { ...explanation, outcome: 'hit' as const, summary: words.why.wouldMatch, reasons: by }
    : { ...explanation, reasons: [...by, ...explanation.reasons] };
});

export const explainActions: readonly ImplementedCall[] = [ofRule, ofMatch, explainDraftAction, ...rulesThereActions];
