/** Runs a stored backtest, as long as whoever started it may still view rules. */
import { z } from 'zod';
import { backtestInput, backtestRule, type BacktestResult, type BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { languages } from '@cloudfit/contract/messages/language.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { compileRule, ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { RuleError } from '@cloudfit/contract/rules/errors.ts';
import { isStillPermitted } from '../../auth/current-permissions.ts';
import type { Actor } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { readerForWork } from '../../db/standby/reader.ts';
import { defineJob, PermanentFailure, type Job } from '../../jobs/job.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import type { CompiledRules } from '../run/compiled-rules.ts';
import { triedWithExceptions, type StoredException } from '../run/exceptions.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { Entities } from '../run/entities.ts';
import { indexWindows, windowsBetween } from '../run/maintenance/maintenance-windows.ts';
import { definitionOf } from '../past/rule-versions.ts';
import { readCourse } from './unit-course.ts';
import { backtestName, beginNext } from './next-of-batch.ts';
import { runBacktest } from './run-backtest.ts';

const viewUnits = permission('WorkUnits', 'view');

/**
 * Returns the permissions that a backtest needs. A rule on work units needs the permission to view work units, because its
 * matches name the units.
 */
export function rightsFor(typeId: number): Permission[] {
  return typeId === ruleTypeId.workUnit ? [permission('Rules', 'view'), viewUnits] : [permission('Rules', 'view')];
}

/** The stored request, with the end of the period, the saved rule to compare with and its exceptions, and the language of whoever started it. */
export const storedInput = backtestInput.extend({
  to: z.string(),
  inForce: z.unknown(),
  exceptions: z.array(z.custom<StoredException>()).default([]),
  language: z.enum(languages).optional(),
});

interface BacktestRow {
  tenant_id: string;
  input: unknown;
  owner_kind: Actor['kind'];
  owner_id: string | null;
}

/** Interval of the checks whether the backtest was stopped or the permission ended. */
const lookMs = 1_000;

/** The id distinguishes the draft from the saved rule that it may replace. Both are tried with the exceptions of the saved rule. */
export function triedDefinition(rule: BacktestRule, ruleId: string): IngestRule {
  return definitionOf({
    ...rule,
    ruleId,
    enabled: true,
    created: '',
    subscriptionId: rule.subscriptionId ?? null,
    timeConditions: rule.timeConditions ?? null,
  });
}

function compiled(rule: BacktestRule, ruleId: string, exceptions: readonly StoredException[]): CompiledRule<IngestRule> {
  const definition = triedDefinition(rule, ruleId);
  return triedWithExceptions(definition, exceptions) ?? compileRule(definition);
}

async function begin(db: Db, id: string): Promise<BacktestRow | undefined> {
  const [run] = await db.query<BacktestRow>({
    text: `update backtest_run set state = 'running', progress = 0, packets = 0, modified = now() where backtest_run_id = $1 and state in ('queued', 'running')
returning tenant_id, input, owner_kind, owner_id`,
    values: [id],
  });
  return run;
}

async function noteProgress(db: Db, id: string, progress: number, packets: number): Promise<boolean> {
  const rows = await db.query({
    text: `update backtest_run set progress = $2, packets = $3, modified = now() where backtest_run_id = $1 and state = 'running' returning 1`,
    values: [id, progress, packets],
  });
  return rows.length > 0;
}

async function end(
  db: Db,
  id: string,
  state: 'done' | 'stopped' | 'failed',
  what: { result?: BacktestResult; error?: string },
): Promise<void> {
  await db.query({
    text: `update backtest_run set state = $2, result = $3, error = $4, progress = case when $2 = 'done' then 1 else progress end, modified = now()
where backtest_run_id = $1 and state in ('queued', 'running')`,
    values: [id, state, what.result ? JSON.stringify(what.result) : null, what.error ?? null],
  });
}

export function backtestJob({ database, ingest }: { database: Database; ingest: { rules: CompiledRules; entities: Entities } }): Job {
  async function work(db: Db, id: string, run: BacktestRow): Promise<void> {
    const input = storedInput.parse(run.input);
    const owner = { kind: run.owner_kind, id: run.owner_id } as Pick<Actor, 'kind' | 'id'>;
    let looked = 0;
    let packets = 0;
    const goOn = async (progress: number, count: number): Promise<boolean> => {
      packets = count;
      if (Date.now() - looked < lookMs) return true;
      looked = Date.now();
      if (!(await noteProgress(db, id, progress, count))) return false;
      for (const right of rightsFor(input.rule.ruleTypeId)) {
        if (await isStillPermitted(db, owner, right, run.tenant_id)) continue;
        await end(db, id, 'stopped', {
          error: `The person who started it may no longer view ${right === viewUnits ? 'work units' : 'rules'}.`,
        });
        return false;
      }
      return true;
    };
    const scope = [run.tenant_id];
    const scoped = readerForWork(database, database.scoped(scope), scope);
    const period = { from: Date.parse(input.from), to: Date.parse(input.to) };
    const inForce = input.inForce ? backtestRule.parse(input.inForce) : undefined;
    const courseOf = (rule: BacktestRule) => readCourse(scoped, rule, secondsOf(input.resolvedAfter) * 1_000, period);
    const result = await runBacktest(scoped, {
      courses: { draft: await courseOf(input.rule), inForce: inForce && (await courseOf(inForce)) },
      draft: compiled(input.rule, 'draft', input.exceptions),
      inForce: inForce && compiled(inForce, input.ruleId ?? '', input.exceptions),
      maintenance: ingest.rules.maintenance(),
      windows: indexWindows(await windowsBetween(scoped, run.tenant_id, period.from, period.to)),
      entities: ingest.entities,
      period,
      entityIds: input.entityIds,
      tenantId: run.tenant_id,
      words: ruleWordsFor(input),
      ruleId: input.ruleId ?? undefined,
      goOn,
    });
    if (!result) return;
    looked = 0;
    if (await goOn(1, packets)) await end(db, id, 'done', { result });
  }

  return defineJob({
    name: backtestName,
    schema: z.object({ id: z.uuid() }),
    isLong: true,
    async run({ db }, { id }) {
      const run = await begin(db, id);
      try {
        if (run) await work(db, id, run);
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        await end(db, id, 'failed', { error: error.message });
        throw new PermanentFailure(error.message);
      }
      // Also when this one was over already: a process may have ended between the two.
      await beginNext(db, id);
    },
    async onDeadLetter({ db }, { id }, error) {
      await end(db, id, 'failed', { error });
      await beginNext(db, id);
    },
  });
}
