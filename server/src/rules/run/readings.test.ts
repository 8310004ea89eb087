/** Rules that compare readings with other or earlier readings and with values of devices, from the packet to the match. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { notify } from '../../db/notify.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { readEntities } from './entities.ts';
import { ago, createFlow, send, until, type Flow } from '../testing/flow.ts';

let flow: Flow;
let ingest: Ingest;
let other: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  [ingest, other] = [await flow.openIngest(), await flow.openIngest()];
});
afterAll(() => flow.close());

const on = (
  LeftOperand: number,
  field: string,
  Operator: number,
  RightOperand: string | null,
  more: Partial<Condition> = {},
): Condition => ({
  Type: 'And',
  LeftOperand,
  LeftOperandFieldName: field,
  Operator,
  RightOperand,
  ...more,
});

async function ruleFor(condition: Condition, ruleTypeId = 1): Promise<{ device: string; rule: string }> {
  const device = await flow.device();
  const rule = await flow.rule({
    ruleTypeId,
    conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, condition],
  });
  for (const one of [ingest, other]) await until(() => one.rules.ingestion().get(rule));
  return { device, rule };
}

async function setValues(device: string, text: string): Promise<void> {
  await flow.rows('update device set rule_values = $2 where device_id = $1', device, text);
  await notify(flow.db, 'devices', [device]);
  for (const one of [ingest, other])
    await until(async () => {
      const [cached, stored] = [await one.entities.find([device]), await readEntities(flow.db, [device])];
      return JSON.stringify(cached.get(device)?.device?.values) === JSON.stringify(stored[0]?.device?.values);
    });
}

const reading = (entityId: string, seconds: number, Metrics: Record<string, number>) => ({
  entityId,
  timestamp: ago(seconds),
  message: { Metrics },
});
const countOf = async (rule: string) =>
  (await flow.rows<{ n: number }>('select coalesce(sum(match_count), 0)::int as n from rule_match where rule_id = $1', rule))[0]?.n;

it('compares a reading with a value of its device, from the moment at which that is changed', async () => {
  const { device, rule } = await ruleFor(on(62, 'Temperature', 3, null, { RightReading: { Operand: 36, FieldName: 'maxTemp' } }));
  await send(ingest, flow.ctx, reading(device, 60, { Temperature: 500 }));
  expect(await countOf(rule)).toBe(0);
  await setValues(device, 'site = north\nmaxTemp = 80');
  await send(ingest, flow.ctx, reading(device, 50, { Temperature: 81 }));
  expect(await countOf(rule)).toBe(1);
  await setValues(device, 'maxTemp = 90');
  await send(ingest, flow.ctx, reading(device, 40, { Temperature: 81 }), reading(device, 30, { Temperature: 91 }));
  expect(await countOf(rule)).toBe(2);
});

it('compares two readings of one packet, and says with which values in the record', async () => {
  const RightReading = { Operand: 62, FieldName: 'Total', Factor: 0.9 };
  const { device, rule } = await ruleFor(on(62, 'Used', 3, null, { RightReading }));
  await send(ingest, flow.ctx, reading(device, 60, { Used: 89, Total: 100 }), reading(device, 50, { Used: 95, Total: 100 }));
  expect(await countOf(rule)).toBe(1);
  const [hit] = await flow.rows<{ detail: unknown }>(`select detail from rule_evaluation where rule_id = $1 and outcome = 'hit'`, rule);
  expect(JSON.stringify(hit?.detail)).toContain('"right":90');
});

it('computes rates over batches and when another process takes over in between', async () => {
  const { device, rule } = await ruleFor(on(66, 'Rx', 6, '100'));
  const counters = [1_000, 1_500, 3_000, 3_500, 200, 2_000];
  for (const [i, Rx] of counters.entries()) await send(i % 2 ? ingest : other, flow.ctx, reading(device, 100 - i * 10, { Rx }));
  expect(await countOf(rule)).toBe(2);
});

it('foretells a full disk from the readings of a window, in any batches', async () => {
  const full = on(68, 'Disk', 6, '100', { WindowSeconds: 3_600, AheadSeconds: 14_400 });
  const [{ device, rule }, at95] = [await ruleFor(full, 3), await ruleFor(on(78, 'Disk', 3, '84', { WindowSeconds: 3_600 }), 3)];
  const disk = (entityId: string, i: number) => reading(entityId, 3_000 - i * 60, { Disk: 70 + i * 0.3 });
  const all = Array.from({ length: 50 }, (_, i) => i);
  for (const i of all) await send(i % 3 ? ingest : other, flow.ctx, disk(device, i));
  await send(ingest, flow.ctx, ...all.map((i) => disk(at95.device, i)));
  // The second in which a reading arrives decides its step, so the first readings may be one step earlier or later.
  expect(await countOf(rule)).toBeGreaterThanOrEqual(18);
  expect(await countOf(at95.rule)).toBe(1);
});
