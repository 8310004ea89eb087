/** Limits of one packet, and that a large body does not block other requests. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import { createFlow, until, type Flow } from '../rules/testing/flow.ts';
import type { Ingest } from './accept.ts';

let flow: Flow;
let ingest: Ingest;
let device: string;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
  device = await flow.device();
});
afterAll(() => flow.close());

const packet = (keys: number, message: object = {}) => ({
  entityId: device,
  message: { Metrics: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`metric${i}`, i])), ...message },
});
/** In both forms that the route passes: parsed, and as bytes. */
const sent = async (items: readonly unknown[]) => {
  const text = JSON.stringify(items);
  const lines = items.map((one) => JSON.stringify(one)).join('\n');
  const answers = [
    await ingest.ingestBody(flow.ctx, JSON.parse(text), 'application/json'),
    await ingest.ingestBody(flow.ctx, Buffer.from(text), 'application/json'),
    await ingest.ingestBody(flow.ctx, Buffer.from(lines), 'application/x-ndjson'),
  ];
  return answers.map(({ value }) => value.map(({ status, message }) => message ?? status));
};
const tooManyKeys =
  'A packet has at most 500 keys in Metrics, Properties, States and Diagnostics together; send the rest in further packets.';
const tooLarge = 'A packet has at most 1 MB; send it in parts.';

it('takes 500 keys and 1 MB in a packet, and refuses more of that item alone', async () => {
  const deep = { Diagnostics: { list: [{ a: 1 }, { b: { c: 1 } }] } };
  const items = [
    packet(limits.packetKeys),
    packet(limits.packetKeys + 1),
    packet(limits.packetKeys - 4, deep),
    packet(limits.packetKeys - 3, deep),
    packet(300, { States: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`s${i}`, true])) }),
    packet(0, { Value: 'x'.repeat(1_000_000) }),
    packet(0, { Value: 'x'.repeat(limits.packetBytes) }),
    packet(200_000),
    packet(1),
  ];
  for (const answers of await sent(items))
    expect(answers).toEqual(['stored', tooManyKeys, 'stored', tooManyKeys, tooManyKeys, 'stored', tooLarge, expect.any(String), 'stored']);
});

it('refuses a large body that is not JSON as a whole', async () => {
  const filler = JSON.stringify(packet(400));
  for (const text of [`[${filler}`, `[${filler},]`, `[${filler}] x`, `[${filler}}`, `[${filler},{"entityId":}]`])
    await expect(ingest.ingestBody(flow.ctx, Buffer.from(text), 'application/json')).rejects.toThrow('The body is not valid JSON.');
  expect((await ingest.ingestBody(flow.ctx, Buffer.from(` [${filler}]\n`), 'application/json')).value).toHaveLength(1);
});

it('lets others have their turn while it reads a large body', async () => {
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: limits.packetsPerBatch }, () => packet(380))));
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const { value } = await ingest.ingestBody(flow.ctx, bytes, 'application/json');
  delay.disable();
  isReading = false;
  expect(value.every(({ status }) => status === 'stored')).toBe(true);
  if (process.env['SHOW_DELAY']) console.log(`${bytes.length} bytes, ${turns} turns, longest ${(delay.max / 1e6).toFixed(0)} ms`);
  await until(() => turns > 10);
});
