/** Limits of one packet, and that a large body does not block other requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import { createFlow, type Flow } from '../rules/testing/flow.ts';
import { longestTurnOf } from '../testing/longest-turn.ts';
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
/** Sends the items in each form that the route passes (parsed, bytes of an array, bytes of lines) and returns the answers. */
const sent = async (items: readonly unknown[]) => {
  const text = JSON.stringify(items);
  const lines = items.map((item) => JSON.stringify(item)).join('\n');
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

it('refuses a body whose items cannot be told apart as a whole, and says where', async () => {
  const filler = JSON.stringify(packet(400));
  const bytes = filler.length;
  for (const [text, problem] of [
    [`[${filler}`, ': the array or its item 0 does not end; the item begins at byte 1. Nothing was stored.'],
    [`[${filler}}`, ': the array or its item 0 does not end; the item begins at byte 1. Nothing was stored.'],
    [`[${filler},{"entityId": "x}]`, `: the array or its item 1 does not end; the item begins at byte ${bytes + 2}. Nothing was stored.`],
    [`[${filler}] x`, `: something follows the array at byte ${bytes + 2}. Nothing was stored.`],
    [`${filler}, ${filler}`, '.'],
    ['{', '.'],
  ] as const)
    await expect(ingest.ingestBody(flow.ctx, Buffer.from(text), 'application/json')).rejects.toThrow(
      `The body is not valid JSON${problem}`,
    );
  const { value } = await ingest.ingestBody(flow.ctx, Buffer.from(`[${filler},{"entityId":},]`), 'application/json');
  expect(value.map((item) => item.code)).toEqual([undefined, 'InvalidJson', 'InvalidJson']);
  expect((await ingest.ingestBody(flow.ctx, Buffer.from(` [${filler}]\n`), 'application/json')).value).toHaveLength(1);
});

const megabyte = (item: unknown) => Array.from({ length: 490_000 / JSON.stringify(item).length }, () => item);

it.each([
  ['many packets', () => Array.from({ length: limits.packetsPerBatch }, () => packet(490))],
  ['packets of one megabyte', () => Array.from({ length: 7 }, () => packet(0, { Value: 'x"'.repeat(330_000) }))],
  ['long lists', () => Array.from({ length: 7 }, () => packet(1, { Diagnostics: { list: megabyte(1) } }))],
  ['lists in lists', () => Array.from({ length: 7 }, () => packet(1, { Diagnostics: { list: megabyte([]) } }))],
  ['one huge packet', () => [packet(500_000)]],
])('lets others have their turn within 50 ms while it reads a body of %s', async (_name, items) => {
  const body = items();
  const forms = [
    ['application/json', JSON.stringify(body)],
    ['application/x-ndjson', body.map((item) => JSON.stringify(item)).join('\n')],
  ] as const;
  for (const [type, text] of forms) {
    const bytes = Buffer.from(text);
    const read = async () => expect((await ingest.ingestBody(flow.ctx, bytes, type)).value).toHaveLength(body.length);
    expect(await longestTurnOf(50, read)).toBeLessThan(50);
  }
});

it('takes 10,000 values in a packet and refuses more, also in small packets', async () => {
  const list = (length: number) => packet(0, { Diagnostics: { list: Array.from({ length }, () => 1) } });
  const tooMany = 'A packet has at most 10,000 values, those in lists included; send the rest in further packets.';
  for (const answers of await sent([list(limits.packetValues - 10), list(limits.packetValues), list(100_000)]))
    expect(answers).toEqual(['stored', tooMany, tooMany]);
});

it('stores a batch of several statements whole or not at all', async () => {
  const text = 'x'.repeat(600_000);
  const items = Array.from({ length: 5 }, (_, n) => ({ ...packet(0, { Value: text }), messageId: `part-${n}` }));
  const send = async () => (await ingest.ingestBody(flow.ctx, Buffer.from(JSON.stringify(items)), 'application/json')).value;
  const stored = async () =>
    (await flow.ctx.db.query({ text: 'select 1 from packet_receipt where message_id like $1', values: ['part-%'] })).length;
  await flow.ctx.db.query({
    text: 'insert into packet_receipt (tenant_id, entity_id, message_id) select tenant_id, device_id, $2 from device where device_id = $1',
    values: [device, 'part-3'],
  });
  expect((await send()).map(({ status }) => status)).toEqual(['stored', 'stored', 'stored', 'duplicate', 'stored']);
  expect(await stored()).toBe(5);
  expect((await send()).map(({ status }) => status)).toEqual(items.map(() => 'duplicate'));
});

it('names the reason of each refused item by a code', async () => {
  const other = { entityId: crypto.randomUUID(), message: { Value: 1 } };
  const at = (ms: number) => ({ ...packet(1), timestamp: new Date(Date.now() + ms).toISOString() });
  const items = [
    packet(1),
    packet(501),
    7,
    { entityId: 'x' },
    other,
    at(3_600_000),
    at(-8 * 86_400_000),
    { ...packet(1), timestamp: 'now' },
    { ...packet(1), messageId: '' },
    { ...packet(1), message: 1 },
  ];
  const { value } = await ingest.ingestBody(
    flow.ctx,
    Buffer.from([...items.map((item) => JSON.stringify(item)), '{"a":'].join('\n')),
    'application/x-ndjson',
  );
  expect(value.map(({ code, status }) => code ?? status)).toEqual([
    'stored',
    'TooManyKeys',
    'InvalidPacket',
    'InvalidEntityId',
    'UnknownEntity',
    'TimestampAhead',
    'TimestampTooOld',
    'InvalidTimestamp',
    'InvalidMessageId',
    'InvalidMessage',
    'InvalidJson',
  ]);
  expect(value.filter(({ status }) => status === 'refused').every(({ message }) => message)).toBe(true);
});
