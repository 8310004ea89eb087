/** For tests of the flow from packet to action: a database with tenants, devices and rules, and shorthands to read it. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { z } from 'zod';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import { openDatabase } from '../../db/connection.ts';
import { notify } from '../../db/notify.ts';
import { registerServed } from '../../resources/served.ts';
import { served } from '../../app/served.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { testDatabase } from '../../testing/database.ts';
import type { Job } from '../../jobs/job.ts';
import { openIngest, type Ingest, type ItemAnswer } from '../../ingest/accept.ts';

export const silent = pino({ level: 'silent' });

export interface TestRule {
  name?: string;
  /** Null: the rule is of the group, or of all tenants. */
  tenantId?: string | null;
  tenantGroupId?: string;
  ruleTypeId?: number;
  conditions?: Condition[];
  lifetimeSeconds?: number;
  sliding?: boolean;
  matchActions?: ActionCall[];
  expirationActions?: ActionCall[];
  timeConditions?: Record<string, unknown>;
  recoveryConditions?: Condition[];
  lateGraceSeconds?: number;
}

/** The condition that Cpu is over 90, without an occurrence pattern. */
export const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
export const createUnit: ActionCall = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev2' } };

export type Flow = Awaited<ReturnType<typeof createFlow>>;

export async function createFlow() {
  const { url, close } = await testDatabase();
  const database = openDatabase({ url, max: 12, onError: () => undefined });
  await registerServed(database, served);
  const db = database.scoped('all');
  const ingests: Ingest[] = [];
  const rows = <T = object>(text: string, ...values: unknown[]) => db.query<T>({ text, values });

  async function tenant(): Promise<string> {
    const [row] = await rows<{ tenant_id: string }>('insert into tenant (name) values ($1) returning tenant_id', `Tenant ${randomUUID()}`);
    await rows('insert into subscription (tenant_id, name) values ($1, $2)', row?.tenant_id, 'Default');
    return row?.tenant_id ?? '';
  }
  /** Two tenants, and a ctx that may ingest for the first. */
  async function tenants() {
    const [tenantId, otherTenantId] = [await tenant(), await tenant()];
    const ctx: Ctx = {
      ...systemCtx({ database, log: silent, name: 'test', tenants: [tenantId] }),
      actor: { kind: 'token', id: randomUUID(), name: 'agents', scopes: ['ingest'] },
    };
    return { tenantId, otherTenantId, ctx };
  }

  /** Runs the queued jobs of one name in order of arrival, each `times` times. Returns the number of jobs. */
  async function runJobs(job: Job, times = 1): Promise<number> {
    for (let count = 0; ;) {
      // Sorted, because `delete` returns rows in the order of their positions in the table.
      const due = await rows<{ payload: unknown; correlation_id: string }>(
        'with due as (delete from job where name = $1 returning job_id, payload, correlation_id) select payload, correlation_id from due order by job_id',
        job.name,
      );
      if (due.length === 0) return count;
      for (const row of due) {
        const as = systemCtx({ database, log: silent, name: 'Automation', correlationId: row.correlation_id });
        for (let i = 0; i < times; i += 1) await job.run(as, (job.schema as z.ZodType).parse(row.payload), attemptOf());
      }
      count += due.length;
    }
  }

  const home = await tenants();
  return Object.assign(home, {
    url,
    database,
    db,
    runJobs,
    rows,
    /** Changes to new tenants, in which no rule of an earlier test applies. */
    async moveToNewTenants() {
      Object.assign(home, await tenants());
    },
    async device({ tenantId: owner = home.tenantId, name = 'web-1', enabled = true } = {}) {
      const [row] = await rows<{ device_id: string }>(
        'insert into device (tenant_id, subscription_id, name, enabled) select tenant_id, subscription_id, $2, $3 from subscription where tenant_id = $1 returning device_id',
        owner,
        name,
        enabled,
      );
      await notify(db, 'devices', [row?.device_id ?? '']);
      return row?.device_id ?? '';
    },
    async rule(draft: TestRule) {
      const [row] = await rows<{ rule_id: string }>(
        `insert into rule (tenant_id, name, rule_type_id, conditions, match_lifetime, use_sliding_expiration, match_actions, expiration_actions, time_conditions, recovery_conditions, late_grace, tenant_group_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning rule_id`,
        draft.tenantId === undefined ? home.tenantId : draft.tenantId,
        draft.name ?? 'High CPU',
        draft.ruleTypeId ?? 1,
        JSON.stringify(draft.conditions ?? [cpuOver90]),
        draft.lifetimeSeconds ?? 300,
        draft.sliding ?? false,
        JSON.stringify(draft.matchActions ?? []),
        JSON.stringify(draft.expirationActions ?? []),
        draft.timeConditions ? JSON.stringify(draft.timeConditions) : null,
        draft.recoveryConditions ? JSON.stringify(draft.recoveryConditions) : null,
        draft.lateGraceSeconds ?? 10,
        draft.tenantGroupId ?? null,
      );
      await notify(db, 'rules', [row?.rule_id ?? '']);
      return row?.rule_id ?? '';
    },
    async openIngest() {
      const ingest = await openIngest({ database, log: silent });
      ingests.push(ingest);
      return ingest;
    },
    async close() {
      for (const ingest of ingests) await ingest.stop();
      await database.close();
      await close();
    },
  });
}

/** Sends packets as one batch. */
export async function send(ingest: Ingest, ctx: Ctx, ...packets: unknown[]): Promise<ItemAnswer[]> {
  return (await ingest.ingestBody(ctx, packets, 'application/json')).value;
}

/** The milliseconds after which `until` fails. Long, because it must not be reached on a busy machine. */
const patienceMs = 60_000;

/** Waits until `look` returns something truthy. */
export async function until<T>(look: () => Promise<T> | T): Promise<Exclude<T, false | undefined>> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const result = await look();
    if (result) return result as Exclude<T, false | undefined>;
    if (Date.now() > end) throw new Error(`Not within ${patienceMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the time this many seconds ago, as a packet's timestamp. */
export const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
export const cpu = (entityId: string, value: number, timestamp?: string) => ({
  entityId,
  message: { Metrics: { Cpu: value } },
  ...(timestamp ? { timestamp } : {}),
});
