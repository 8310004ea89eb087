/** Patterns and windows go on when copies of a rule are joined into one of many, and when that is taken back. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { ago, cpu, cpuOver90, send, until } from '../testing/flow.ts';

const log = pino({ level: 'silent' });
const everybody = holder('all');
let world: TestWorld;
let ingest: Ingest;

beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log });
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function call(method: string, path: string, body?: object) {
  const answer = await world.call(everybody, method, path, body);
  expect([answer.status < 300, answer.body['error']]).toEqual([true, undefined]);
  return answer.body;
}

/** Two tenants with a copy of a rule each, and a device. */
async function twoCopies(condition: Condition, more: object = {}) {
  const homes = [await world.tenant(), await world.tenant()];
  const name = `Copy ${crypto.randomUUID()}`;
  return Promise.all(
    homes.map(async (home, n) => {
      const { deviceId } = await call('PUT', '/v1/devices', { name: 'web', ...home });
      const copy = {
        name,
        ruleTypeId: operandOf(condition.LeftOperand)?.measure ? ruleTypeId.history : ruleTypeId.ingestion,
        tenantId: home.tenantId,
        conditions: [condition],
        matchLifetime: '00:05:00',
        ...(n === 1 ? more : {}),
      };
      const { ruleId } = await call('PUT', '/v1/rules', copy);
      await until(() => ingest.rules.ingestion().get(String(ruleId), home.tenantId));
      const ctx = systemCtx({ database: world.database, log, name: 'test', tenants: [home.tenantId] });
      const take = (value: number, secondsAgo: number) => send(ingest, ctx, cpu(String(deviceId), value, ago(secondsAgo)));
      return { ...home, name, ruleId: String(ruleId), take };
    }),
  );
}

type Copies = Awaited<ReturnType<typeof twoCopies>>;

async function joined(copies: Copies) {
  const { ruleId, changeSet } = await call('POST', '/v1/rules/join', { ruleIds: copies.map((copy) => copy.ruleId), name: copies[0]?.name });
  for (const copy of copies)
    await until(
      () => ingest.rules.ingestion().get(String(ruleId), copy.tenantId) && !ingest.rules.ingestion().get(copy.ruleId, copy.tenantId),
    );
  return { ruleId: String(ruleId), changeSet: String(changeSet) };
}

const matches = (ruleId: string) => rows('select 1 from rule_match where rule_id = $1', ruleId);

const patterns = {
  TimesInRow: { Kind: 'TimesInRow', Times: 3 },
  TimesWithin: { Kind: 'TimesWithin', Times: 3, Seconds: 600 },
  EveryTimeDuring: { Kind: 'EveryTimeDuring', Seconds: 150 },
} as const;

it.each(Object.entries(patterns))('goes on to count %s in the joined rule, and in the copies again', async (_kind, OccurrencePattern) => {
  const copies = await twoCopies({ ...cpuOver90, OccurrencePattern });
  for (const { take } of copies) for (const at of [200, 150]) await take(95, at);
  const { ruleId, changeSet } = await joined(copies);
  expect(await matches(ruleId)).toHaveLength(0);
  await copies[0]?.take(95, 30);
  expect(await matches(ruleId)).toHaveLength(1);

  await call('POST', '/v1/configuration/restore', { changeSet });
  const [, second] = copies;
  await until(
    () => second && ingest.rules.ingestion().get(second.ruleId, second.tenantId) && !ingest.rules.ingestion().get(ruleId, second.tenantId),
  );
  await second?.take(95, 20);
  expect(await matches(second?.ruleId ?? '')).toHaveLength(1);
});

it('goes on under the own value that a copy becomes, and does not count what the copy did not', async () => {
  const OccurrencePattern = patterns.TimesInRow;
  const ofSecond = { conditions: [{ ...cpuOver90, RightOperand: '93', OccurrencePattern }] };
  const copies = await twoCopies({ ...cpuOver90, OccurrencePattern }, ofSecond);
  const [, second] = copies;
  for (const [value, at] of [
    [95, 200],
    [95, 150],
  ] as const)
    await second?.take(value, at);
  const { ruleId } = await joined(copies);
  await second?.take(95, 30);
  expect(await matches(ruleId)).toHaveLength(1);
  // Nothing of the first tenant has been counted.
  await copies[0]?.take(95, 20);
  expect(await matches(ruleId)).toHaveLength(1);
});

it('remembers the last value for Changed, and what is in a window', async () => {
  const changed = await twoCopies({ ...cpuOver90, OccurrencePattern: { Kind: 'Changed' } });
  for (const { take } of changed) await take(10, 100);
  const { ruleId } = await joined(changed);
  await changed[0]?.take(95, 50);
  expect(await matches(ruleId)).toHaveLength(1);

  const maximum: Condition = {
    Type: 'And',
    LeftOperand: 74,
    LeftOperandFieldName: 'Cpu',
    Operator: 3,
    RightOperand: '90',
    WindowSeconds: 600,
  };
  const inWindow = await twoCopies(maximum);
  await inWindow[0]?.take(95, 100);
  const [open] = await matches(inWindow[0]?.ruleId ?? '');
  expect(open).toBeDefined();
  await rows('update rule_match set closed = now() where rule_id = $1', inWindow[0]?.ruleId);
  const joinedWindow = await joined(inWindow);
  await inWindow[0]?.take(10, 50);
  expect(await matches(joinedWindow.ruleId)).toHaveLength(1);
});

it('counts whole windows since when the copies did', async () => {
  const fewer: Condition = { Type: 'And', LeftOperand: 71, Operator: 4, RightOperand: '5', WindowSeconds: 600 };
  const copies = await twoCopies(fewer);
  const times = async (ruleId: string) =>
    (await rows<{ times: Record<string, string> | null }>('select watched_since as times from rule where rule_id = $1', ruleId))[0]
      ?.times ?? {};
  for (const [n, { ruleId }] of copies.entries())
    await rows(
      `update rule set watched_since = (select jsonb_object_agg(k, $2::text) from jsonb_object_keys(watched_since) k) where rule_id = $1`,
      ruleId,
      `2026-01-0${n + 1}T00:00:00.000Z`,
    );
  const { ruleId } = await joined(copies);
  expect(Object.values(await times(ruleId))).toEqual(['2026-01-02T00:00:00.000Z']);
});
