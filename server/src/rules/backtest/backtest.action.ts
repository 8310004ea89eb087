/** Starts, returns and stops backtests. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { z } from 'zod';
import { getBacktest, startBacktest, stopBacktest, type backtestRun } from '@cloudfit/contract/actions/backtest.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { ApiError, forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requireScope, type Ctx } from '../../context/ctx.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { triedExceptions } from '../past/exceptions.ts';
import { asOfTenant } from '../past/rules-of-many.ts';
import { readEntities } from '../run/entities.ts';
import { rightsFor } from './backtest.job.ts';
import { enqueueBacktest } from './next-of-batch.ts';

type BacktestAnswer = z.infer<typeof backtestRun>;
type BacktestStart = z.infer<typeof startBacktest.input>;

const view = permission('Rules', 'view');
/**
 * The milliseconds by which a period without an end time may exceed the maximum length. Such a period ends when the call
 * arrives: later than it was sent, and by another clock.
 */
const onTheWayMs = 60_000;

/** Rules of these types have subscriptions, groups of devices or work units as subjects, not single entities. */
const ofNoEntities = new Set<number>([ruleTypeId.aggregation, ruleTypeId.workUnit]);

export function problemsOf({ rule, from, to, entityIds }: BacktestStart, until: number): { target: string; message: string }[] {
  const start = Date.parse(from);
  const problemList = validateRule(rule).map(({ target, message }) => ({ target: `rule.${target}`, message }));
  if (rule.ruleTypeId === ruleTypeId.maintenance)
    problemList.push({
      target: 'rule.ruleTypeId',
      message: 'A Maintenance rule opens no matches, so it has no backtest. Request its explanation at a time instead.',
    });
  if (entityIds && ofNoEntities.has(rule.ruleTypeId))
    problemList.push({ target: 'entityIds', message: 'Rules of this type are not about single entities. Leave entityIds out.' });
  if (start >= until) problemList.push({ target: to === undefined ? 'from' : 'to', message: 'The end must be after the start.' });
  else if (until - start > backtestLimits.days * dayMs + (to === undefined ? onTheWayMs : 0))
    problemList.push({ target: 'from', message: `At most ${backtestLimits.days} days.` });
  return problemList;
}

/** Returns the saved rule to compare with, null without a rule id; 404 unless it is for the tenant of the draft. */
async function inForceOf(ctx: Ctx, { ruleId, rule }: BacktestStart): Promise<Row<typeof rules> | null> {
  if (!ruleId) return null;
  const savedRule = await get(ctx, servedRules, ruleId);
  const [ofTenant] = await asOfTenant(ctx, rule.tenantId, [savedRule]);
  if (ofTenant?.tenantId !== rule.tenantId) throw notFound('Rule');
  if (savedRule.ruleTypeId !== rule.ruleTypeId)
    throw validationFailed([{ target: 'ruleId', message: 'A backtest compares only rules of the same type. Choose another saved rule.' }]);
  return ofTenant;
}

async function requireEntities(ctx: Ctx, { entityIds, rule }: BacktestStart): Promise<void> {
  if (!entityIds) return;
  const tenantEntityIds = new Set(
    (await readEntities(ctx.db, entityIds)).filter((entity) => entity.tenantId === rule.tenantId).map((entity) => entity.id),
  );
  if (entityIds.some((id) => !tenantEntityIds.has(id))) throw notFound('Entity');
}

const insert = `insert into backtest_run (tenant_id, input, owner_kind, owner_id, created_by, correlation_id)
values ($1, $2, $3, $4, $5, $6) returning backtest_run_id as id`;

const start = implement(startBacktest, async (outside, input) => {
  const { tenantId } = input.rule;
  if (!may(outside, view, tenantId)) throw notFound('Tenant');
  const until = input.to === undefined ? outside.now().getTime() : Date.parse(input.to);
  for (const right of rightsFor(input.rule.ruleTypeId)) if (!may(outside, right, tenantId)) throw forbidden();
  const problemList = problemsOf(input, until);
  if (problemList.length > 0) throw validationFailed(problemList);
  const inForce = await inForceOf(outside, input);
  await requireEntities(outside, input);
  return inTransaction(outside, async (ctx) => {
    // The lock lets one call at a time count the unfinished backtests.
    await ctx.db.query({ text: `select pg_advisory_xact_lock(hashtextextended('backtest ' || $1, 0))`, values: [tenantId] });
    const unfinished = await ctx.db.query({
      text: `select 1 from backtest_run where tenant_id = $1 and batch_id is null and state in ('queued', 'running')`,
      values: [tenantId],
    });
    if (unfinished.length >= backtestLimits.unfinished)
      throw new ApiError('TooManyRequests', 'Other backtests are running. Wait until they end, or stop them.');
    const exceptions = await triedExceptions(ctx.db, input.ruleId, tenantId);
    const storedInput = { ...input, to: new Date(until).toISOString(), inForce, exceptions, language: outside.language };
    const by = actorName(ctx);
    const [run] = await ctx.db.query<{ id: string }>({
      text: insert,
      values: [tenantId, JSON.stringify(storedInput), ctx.actor.kind, ctx.actor.id, by, ctx.correlationId],
    });
    const id = run?.id ?? '';
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: by },
      verb: 'create',
      entity: 'backtests',
      entityId: id,
      tenantId,
      after: { ruleId: input.ruleId ?? undefined, from: storedInput.from, to: storedInput.to, rule: input.rule },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    await enqueueBacktest(ctx.db, { id, tenantId, correlationId: ctx.correlationId });
    return { id };
  });
});

const read = `select backtest_run_id as id, tenant_id as "tenantId", batch_id as "batchId", state, progress, packets, error, created_by as "createdBy", created, modified, input -> 'rule' as rule, input -> 'inForce' as "inForce", result
from backtest_run where backtest_run_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[]))`;

async function runOf(ctx: Ctx, id: string): Promise<BacktestAnswer> {
  const scope = requireScope(ctx, 'Rules', 'view');
  const [run] = await ctx.db.query<BacktestAnswer>({ text: read, values: [id, scope === 'all' ? null : [...scope]] });
  if (!run) throw notFound('Backtest');
  return run;
}

const stop = implement(stopBacktest, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const { tenantId } = await runOf(ctx, id);
    const stopped = await ctx.db.query({
      text: `update backtest_run set state = 'stopped', modified = now() where backtest_run_id = $1 and state in ('queued', 'running') returning 1`,
      values: [id],
    });
    if (stopped.length > 0)
      await recordAudit(ctx.db, {
        actor: { ...ctx.actor, name: actorName(ctx) },
        verb: 'stop',
        entity: 'backtests',
        entityId: id,
        tenantId,
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
    return runOf(ctx, id);
  }),
);

export const backtestActions: readonly ImplementedAction[] = [start, implement(getBacktest, (ctx, { id }) => runOf(ctx, id)), stop];
