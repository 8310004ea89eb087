/** Starts, returns and stops backtests of a rule at all its tenants: a batch of backtests, one for each tenant. */
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { BacktestResult, BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import {
  getBacktestOfTenants,
  startBacktestOfTenants,
  stopBacktestOfTenants,
  type BacktestCounts,
  type BacktestFigures,
  type BacktestOfTenants,
} from '@cloudfit/contract/impact/backtest-of-tenants.ts';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requireScope, type Ctx } from '../../context/ctx.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { exceptionsAt } from '../past/exceptions.ts';
import { asOfTenant } from '../past/rules-of-many.ts';
import { triedWithExceptions } from '../run/exceptions.ts';
import { problemsOf } from './backtest.action.ts';
import { rightsFor, triedDefinition } from './backtest.job.ts';
import { enqueueBacktest } from './next-of-batch.ts';

type TriedTenantRun = BacktestOfTenants['tenants'][number];

const tenantsOf = `select tenant_id as "tenantId" from tenant
where enabled and tenant_id in (select tenants_of_rule(null, $1)) order by lower(name), tenant_id`;

const unfinishedOf = `select 1 from backtest_run where batch_id is not null and owner_kind = $1 and owner_id is not distinct from $2 and state in ('queued', 'running')
group by batch_id limit $3`;

const insert = `insert into backtest_run (batch_id, batch_place, tenant_id, input, state, left_out, owner_kind, owner_id, created_by, correlation_id)
select $1, place, tenant_id, input, case when left_out is null then 'queued' else 'stopped' end, left_out, $3, $4, $5, $6
from jsonb_to_recordset($2::jsonb) as r (place int, tenant_id uuid, input jsonb, left_out text)
returning backtest_run_id as id, tenant_id as "tenantId", state, coalesce(batch_place, 0) as place`;

type Start = z.infer<typeof startBacktestOfTenants.input>;

/** Returns the tenants of the rule at which the caller may try it. */
async function triedTenants(ctx: Ctx, { rule, tenantGroupId = null }: Start): Promise<string[]> {
  const all = await ctx.db.query<{ tenantId: string }>({ text: tenantsOf, values: [tenantGroupId] });
  const rights = rightsFor(rule.ruleTypeId);
  return all.flatMap(({ tenantId }) => (rights.every((right) => may(ctx, right, tenantId)) ? [tenantId] : []));
}

/** Returns the rows of the batch to insert. */
async function runsOf(ctx: Ctx, input: Start, to: string, tenantIds: readonly string[]): Promise<object[]> {
  const { tenantGroupId: _group, ...stored } = input;
  const saved = input.ruleId ? await get(ctx, servedRules, input.ruleId) : null;
  if (saved && saved.ruleTypeId !== input.rule.ruleTypeId)
    throw validationFailed([{ target: 'ruleId', message: 'A backtest compares only rules of the same type. Choose another saved rule.' }]);
  const rows: object[] = [];
  for (const [place, tenantId] of tenantIds.entries()) {
    const rule: BacktestRule = { ...input.rule, tenantId };
    const exceptions = await exceptionsAt(ctx.db, input.ruleId, tenantId);
    const [ofTenant] = await asOfTenant(ctx, tenantId, [saved]);
    const inForce = ofTenant?.tenantId === tenantId ? ofTenant : null;
    const holds = triedWithExceptions(triedDefinition(rule, 'draft'), exceptions) !== undefined;
    rows.push({
      place,
      tenant_id: tenantId,
      input: { ...stored, rule, to, inForce, exceptions, language: ctx.language },
      left_out: holds ? null : 'off',
    });
  }
  return rows;
}

const start = implement(startBacktestOfTenants, async (outside, input) => {
  const until = input.to === undefined ? outside.now().getTime() : Date.parse(input.to);
  const tenantIds = await triedTenants(outside, input);
  const [first] = tenantIds;
  if (first === undefined) throw notFound('Tenant');
  const problemList = problemsOf({ ...input, rule: { ...input.rule, tenantId: first } }, until);
  if (problemList.length > 0) throw validationFailed(problemList);
  const to = new Date(until).toISOString();
  const rows = await runsOf(outside, input, to, tenantIds);
  return inTransaction(outside, async (ctx) => {
    const { kind, id: owner } = ctx.actor;
    // The lock lets one call at a time count the unfinished backtests.
    await ctx.db.query({ text: `select pg_advisory_xact_lock(hashtextextended('backtests of ' || $1, 0))`, values: [`${kind} ${owner}`] });
    const unfinished = await ctx.db.query({ text: unfinishedOf, values: [kind, owner, backtestLimits.unfinished] });
    if (unfinished.length >= backtestLimits.unfinished)
      throw new ApiError('TooManyRequests', 'Other backtests are running. Wait until they end, or stop them.');
    const id = randomUUID();
    const by = actorName(ctx);
    const runs = await ctx.db.query<{ id: string; tenantId: string; state: string; place: number }>({
      text: insert,
      values: [id, JSON.stringify(rows), kind, owner, by, ctx.correlationId],
    });
    for (const run of runs)
      if (run.state === 'queued')
        await recordAudit(ctx.db, {
          actor: { ...ctx.actor, name: by },
          verb: 'create',
          entity: 'backtests',
          entityId: run.id,
          tenantId: run.tenantId,
          after: { ruleId: input.ruleId ?? undefined, from: input.from, to, rule: { ...input.rule, tenantId: run.tenantId } },
          correlationId: ctx.correlationId,
          address: ctx.address,
        });
    const [begin] = runs.filter(({ state }) => state === 'queued').toSorted((a, b) => a.place - b.place);
    if (begin) await enqueueBacktest(ctx.db, { ...begin, correlationId: ctx.correlationId });
    return { id };
  });
});

interface StoredBatchRun extends Omit<TriedTenantRun, 'figures'> {
  progress: number;
  packets: number;
  createdBy: string;
  created: string;
  /** Without the matches, of which there may be hundreds for each tenant. */
  result: Pick<BacktestResult, 'draft' | 'inForce' | 'difference' | 'notes'> | null;
}

const read = `select b.backtest_run_id as "runId", b.tenant_id as "tenantId", coalesce(t.name, '') as name, b.state, b.left_out as "leftOut", b.error, b.progress,
  b.packets::float8 as packets, b.created_by as "createdBy", b.created,
  b.result #- '{draft,list}' #- '{draft,differing}' #- '{draft,byEntity}' #- '{inForce,list}' #- '{inForce,differing}' #- '{inForce,byEntity}' as result
from backtest_run b left join tenant t using (tenant_id)
where b.batch_id = $1 and ($2::uuid[] is null or b.tenant_id = any($2::uuid[])) order by b.batch_place`;

type StoredOutcome = BacktestResult['draft'];

const countsOf = ({ matches, entities, load }: StoredOutcome): BacktestCounts => ({
  matches,
  entities,
  workUnits: load?.workUnits ?? null,
  calls: load?.calls ?? null,
});

const figuresOf = ({ draft, inForce, difference }: NonNullable<StoredBatchRun['result']>): BacktestFigures => ({
  draft: countsOf(draft),
  inForce: inForce && countsOf(inForce),
  difference,
});

function summed<T extends object>(rows: readonly T[]): T {
  const keys = Object.keys(rows[0] ?? {}) as (keyof T)[];
  const sumOf = (key: keyof T) => {
    const values = rows.map((row) => row[key] as number | null);
    return values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  };
  return Object.fromEntries(keys.map((key) => [key, sumOf(key)])) as T;
}

/** All backtests of a batch have the same period, so their bars begin at the same times. */
function timelineOf(outcomes: readonly StoredOutcome[]): StoredOutcome['timeline'] {
  return (outcomes[0]?.timeline ?? []).map(({ from }, n) => ({
    from,
    matches: outcomes.reduce((sum, { timeline }) => sum + (timeline[n]?.matches ?? 0), 0),
  }));
}

const noCounts: BacktestCounts = { matches: 0, entities: 0, workUnits: 0, calls: 0 };

function sumOf(results: readonly NonNullable<StoredBatchRun['result']>[]): BacktestOfTenants['sum'] {
  const figures = results.map(figuresOf);
  const drafts = results.map(({ draft }) => draft);
  const saved = results.flatMap(({ inForce }) => inForce ?? []);
  return {
    tenants: results.length,
    draft: results.length === 0 ? noCounts : summed(figures.map(({ draft }) => draft)),
    inForce: saved.length === 0 ? null : summed(figures.flatMap(({ inForce }) => inForce ?? [])),
    difference: saved.length === 0 ? null : summed(figures.flatMap(({ difference }) => difference ?? [])),
    timeline: timelineOf(drafts),
    inForceTimeline: saved.length === 0 ? null : timelineOf(saved),
  };
}

function notesOf(results: readonly NonNullable<StoredBatchRun['result']>[]): BacktestOfTenants['notes'] {
  const counted = new Map<string, number>();
  for (const text of results.flatMap(({ notes }) => notes)) counted.set(text, (counted.get(text) ?? 0) + 1);
  return [...counted].map(([text, tenants]) => ({ text, tenants }));
}

async function batchOf(ctx: Ctx, id: string): Promise<BacktestOfTenants> {
  const scope = requireScope(ctx, 'Rules', 'view');
  const runs = await ctx.db.query<StoredBatchRun>({ text: read, values: [id, scope === 'all' ? null : [...scope]] });
  const [first] = runs;
  if (!first) throw notFound('Backtest');
  const results = runs.flatMap(({ result }) => result ?? []);
  const tried = runs.filter(({ leftOut }) => leftOut === null);
  const isUnfinished = ({ state }: StoredBatchRun) => state === 'queued' || state === 'running';
  return {
    id,
    isOver: !runs.some(isUnfinished),
    progress: tried.length === 0 ? 1 : tried.reduce((sum, run) => sum + (isUnfinished(run) ? run.progress : 1), 0) / tried.length,
    packets: runs.reduce((sum, { packets }) => sum + packets, 0),
    createdBy: first.createdBy,
    created: first.created,
    sum: sumOf(results),
    tenants: runs.map(({ tenantId, name, runId, state, leftOut, error, result }) => ({
      tenantId,
      name,
      runId,
      state,
      leftOut,
      error,
      figures: result && figuresOf(result),
    })),
    notes: notesOf(results),
  };
}

const stopAll = `update backtest_run set state = 'stopped', modified = now()
where batch_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) and state in ('queued', 'running') returning backtest_run_id as id, tenant_id as "tenantId"`;

const stop = implement(stopBacktestOfTenants, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    await batchOf(ctx, id);
    const scope = requireScope(ctx, 'Rules', 'view');
    const stopped = await ctx.db.query<{ id: string; tenantId: string }>({
      text: stopAll,
      values: [id, scope === 'all' ? null : [...scope]],
    });
    for (const run of stopped)
      await recordAudit(ctx.db, {
        actor: { ...ctx.actor, name: actorName(ctx) },
        verb: 'stop',
        entity: 'backtests',
        entityId: run.id,
        tenantId: run.tenantId,
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
    return batchOf(ctx, id);
  }),
);

export const backtestOfTenantsActions: readonly ImplementedAction[] = [
  start,
  implement(getBacktestOfTenants, (ctx, { id }) => batchOf(ctx, id)),
  stop,
];
