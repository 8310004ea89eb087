/** Packets that arrive out of order are evaluated as if they had come in order: what is read of the packets around them. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { ago, cpu, cpuOver90, createFlow, send, until, type Flow } from '../rules/testing/flow.ts';
import type { Ingest } from './accept.ts';

let flow: Flow;
let ingest: Ingest;
let rule: string;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
const twiceInRow: Condition = { ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } };
beforeEach(async () => {
  await flow.moveToNewTenants();
  rule = await flow.rule({ conditions: [twiceInRow], lateGraceSeconds: 10 });
  await until(() => ingest.rules.ingestion().get(rule));
});
afterAll(() => flow.close());

const matchesOf = async (...devices: string[]) => {
  const rows = await flow.rows<{ id: string }>('select subject_id as id from rule_match where rule_id = $1', rule);
  return devices.map((device) => rows.filter(({ id }) => id === device).length);
};
/** Sends packets of these times, in seconds ago, and values, one after another. */
async function sendEach(device: string, packets: readonly (readonly [secondsAgo: number, value: number])[]): Promise<void> {
  for (const [secondsAgo, value] of packets) await send(ingest, flow.ctx, cpu(device, value, ago(secondsAgo)));
}

it('counts a late packet with the one before it, and not across one that lies between', async () => {
  const [direct, between] = [await flow.device(), await flow.device()];
  await sendEach(direct, [
    [40, 97],
    [30, 5],
    [38, 97],
  ]);
  await sendEach(between, [
    [40, 97],
    [36, 5],
    [30, 5],
    [34, 97],
  ]);
  expect(await matchesOf(direct, between)).toEqual([1, 0]);
});

it('counts no packet that came too late to be evaluated', async () => {
  const device = await flow.device();
  await sendEach(device, [
    [50, 5],
    [30, 5],
    // Later than the grace: stored alone.
    [45, 97],
    [38, 97],
  ]);
  expect(await matchesOf(device)).toEqual([0]);
  expect(await flow.rows('select 1 from packet where entity_id = $1', device)).toHaveLength(4);
});

it('is left out for an entity with too many packets around it alone', async () => {
  const [full, other] = [await flow.device(), await flow.device()];
  for (const device of [full, other]) await send(ingest, flow.ctx, cpu(device, 97, ago(40)));
  const from = Date.parse(ago(36));
  for (const half of [0, 1])
    await send(
      ingest,
      flow.ctx,
      ...Array.from({ length: 600 }, (_, n) => cpu(full, 5, new Date(from + (half * 600 + n) * 5).toISOString())),
    );
  await send(ingest, flow.ctx, cpu(full, 5, ago(29)), cpu(other, 5, ago(29)));
  await send(ingest, flow.ctx, cpu(full, 97, ago(38)), cpu(other, 97, ago(38)));
  expect(await matchesOf(full, other)).toEqual([0, 1]);
});
