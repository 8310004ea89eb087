import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { openIngest, type Ingest } from './accept.ts';
import type { PacketStream } from './stream/stream.ts';
import { ago, cpu, createFlow, send, silent, until, type Flow } from '../rules/testing/flow.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const stored = (entityId: string) =>
  flow.rows<{ message: unknown }>('select message from packet where entity_id = $1 order by timestamp', entityId);

describe('packets in', () => {
  it('stores one packet, a batch and lines, with history and latest', async () => {
    const device = await flow.device();
    await ingest.ingestBody(flow.ctx, cpu(device, 1, ago(30)), 'application/json');
    expect(await send(ingest, flow.ctx, cpu(device, 2, ago(20)), cpu(device, 3, ago(10)))).toEqual([
      { index: 0, entityId: device, status: 'stored' },
      { index: 1, entityId: device, status: 'stored' },
    ]);
    const lines = [cpu(device, 4), cpu(device, 5)].map((packet) => JSON.stringify(packet)).join('\n');
    const { value } = await ingest.ingestBody(flow.ctx, Buffer.from(`${lines}\n{"broken\n`), 'application/x-ndjson');
    expect(value.map((item) => item.status)).toEqual(['stored', 'stored', 'refused']);
    expect(value[2]?.message).toBe('This packet is not valid JSON.');
    expect(await stored(device)).toHaveLength(5);
    const [latest] = await flow.rows<{ message: { Metrics: { Cpu: number } } }>(
      'select message from latest_packet where entity_id = $1',
      device,
    );
    expect(latest?.message.Metrics.Cpu).toBe(5);
  });

  it('refuses an item with its reason and keeps its neighbours', async () => {
    const [device, foreign, disabled] = [
      await flow.device(),
      await flow.device({ tenantId: flow.otherTenantId }),
      await flow.device({ enabled: false }),
    ];
    const answers = await send(
      ingest,
      flow.ctx,
      cpu(device, 1),
      cpu(foreign, 1),
      cpu(randomUUID(), 1),
      cpu(disabled, 1),
      cpu('nonsense', 1),
      cpu(device, 1, ago(8 * 86_400)),
      cpu(device, 1, ago(-400)),
      cpu(device, 1, 'yesterday'),
      { entityId: device, message: { Metrics: { Cpu: 'high' } } },
      { entityId: device, message: { Value: 'a\u0000b' } },
      5,
      cpu(device, 2),
    );
    expect(answers.map((answer) => answer.message ?? answer.status)).toEqual([
      'stored',
      'Unknown entity. Send the id of a device or device operation, or the entityId of a block, of this tenant.',
      'Unknown entity. Send the id of a device or device operation, or the entityId of a block, of this tenant.',
      'The device is disabled.',
      'entityId must be a GUID.',
      'timestamp is more than 7 days old.',
      'timestamp is more than 5 minutes ahead.',
      'timestamp must be an ISO 8601 time with a zone.',
      'Metrics.Cpu must be a number.',
      'message contains a character that cannot be stored.',
      'A packet must be an object.',
      'stored',
    ]);
    expect(await stored(device)).toHaveLength(2);
  });

  it('stores a repeated messageId once, in one batch and over several', async () => {
    const device = await flow.device();
    const packet = { ...cpu(device, 7), messageId: 'm-1' };
    expect((await send(ingest, flow.ctx, packet, packet)).map((answer) => answer.status)).toEqual(['stored', 'duplicate']);
    expect((await send(ingest, flow.ctx, packet, { ...packet, messageId: 'm-2' })).map((answer) => answer.status)).toEqual([
      'duplicate',
      'stored',
    ]);
    const both = await Promise.all([1, 2, 3, 4].map(() => send(ingest, flow.ctx, { ...packet, messageId: 'm-3' })));
    expect(both.flat().filter((answer) => answer.status === 'stored')).toHaveLength(1);
    expect(await stored(device)).toHaveLength(3);
  });

  it('fails as a whole when only a part could be stored, unless a repetition would store that part twice', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => flow.device()));
    const none = () => Promise.reject(new ApiError('Unavailable', 'The stream is away.'));
    let first: number | undefined;
    const stream = { publish: (partition: number) => (partition === (first ??= partition) ? Promise.resolve(true) : none()) };
    const partial = await openIngest({ database: flow.database, log: silent, stream: stream as unknown as PacketStream });
    const answers = await send(partial, flow.ctx, ...ids.map((id) => cpu(id, 1)));
    expect(new Set(answers.map(({ status, code }) => `${status} ${code ?? ''}`))).toEqual(new Set(['stored ', 'refused NotStored']));
    const repeatable = ids.map((id) => ({ ...cpu(id, 1), messageId: 'once' }));
    await expect(send(partial, flow.ctx, ...repeatable)).rejects.toThrow('The stream is away.');
    await partial.stop();
  });

  it('answers each of the callers that share a batch about its own packets, in their order', async () => {
    const [device, disabled] = [await flow.device(), await flow.device({ enabled: false })];
    // More callers than batches that run at once: the later ones share a batch.
    const calls = Array.from({ length: 30 }, (_, call) => (call % 3 === 0 ? [device] : [device, disabled, randomUUID()]));
    const answers = await Promise.all(calls.map((ids, call) => send(ingest, flow.ctx, ...ids.map((id) => cpu(id, call)))));
    const codes = [undefined, 'EntityDisabled', 'UnknownEntity'];
    expect(answers.map((items) => items.map(({ index, entityId, code }) => ({ index, entityId, code })))).toEqual(
      calls.map((ids) => ids.map((entityId, index) => ({ index, entityId, code: codes[index] }))),
    );
  });

  it('lets callers of several tenants share a batch, each within its own tenants', async () => {
    const other = { ...flow.ctx, tenants: [flow.otherTenantId], db: flow.database.scoped([flow.otherTenantId]) };
    const owner = { ...flow.ctx, tenants: [flow.tenantId], db: flow.database.scoped([flow.tenantId]) };
    const [mine, foreign] = [await flow.device(), await flow.device({ tenantId: flow.otherTenantId })];
    const scopes = vi.spyOn(flow.database, 'scoped');
    const sharing = await flow.openIngest();
    // More calls than batches that run at once, so that the later ones share.
    const calls = Array.from({ length: 40 }, (_, n) => ({
      ctx: n % 2 ? other : owner,
      first: n % 2 ? foreign : mine,
      second: n % 4 < 2 ? mine : foreign,
    }));
    const answers = await Promise.all(calls.map(({ ctx, first, second }, n) => send(sharing, ctx, cpu(first, n), cpu(second, n))));
    expect(answers.map((items) => items.map(({ status }) => status))).toEqual(
      calls.map(({ first, second }) => ['stored', first === second ? 'stored' : 'refused']),
    );
    const both = [flow.tenantId, flow.otherTenantId].toSorted();
    expect(scopes.mock.calls.map(([scope]) => scope)).toContainEqual(both);
    for (const [id, tenantId] of [
      [mine, flow.tenantId],
      [foreign, flow.otherTenantId],
    ] as const)
      expect(await flow.rows('select distinct tenant_id from packet where entity_id = $1', id)).toEqual([{ tenant_id: tenantId }]);
    scopes.mockRestore();
    await sharing.stop();
  });

  it('lets callers share a batch only if their packets have come through as many rules and actions', async () => {
    const rule = await flow.rule({});
    await until(() => ingest.rules.ingestion().get(rule));
    const hopsOfCall = Array.from({ length: 40 }, (_, call) => (call % 2) * 3);
    const devices = await Promise.all(hopsOfCall.map(() => flow.device()));
    await Promise.all(devices.map((device, call) => send(ingest, { ...flow.ctx, hops: hopsOfCall[call] ?? 0 }, cpu(device, 99))));
    const matches = await flow.rows<{ id: string; hops: number }>('select subject_id as id, hops from rule_match where rule_id = $1', rule);
    const hopsOf = new Map(matches.map(({ id, hops }) => [id, hops]));
    expect(devices.map((device) => hopsOf.get(device))).toEqual(hopsOfCall);
    await flow.rows('update rule set enabled = false where rule_id = $1', rule);
  });

  it('knows an entity by its id in capitals', async () => {
    const device = await flow.device();
    expect(await send(ingest, flow.ctx, cpu(device.toUpperCase(), 1))).toEqual([{ index: 0, entityId: device, status: 'stored' }]);
    expect(await stored(device)).toHaveLength(1);
  });

  it('keeps an older packet in history only', async () => {
    const device = await flow.device();
    await send(ingest, flow.ctx, cpu(device, 50));
    await send(ingest, flow.ctx, cpu(device, 10, ago(60)));
    const [latest] = await flow.rows<{ message: { Metrics: { Cpu: number } } }>(
      'select message from latest_packet where entity_id = $1',
      device,
    );
    expect(latest?.message.Metrics.Cpu).toBe(50);
    expect(await stored(device)).toHaveLength(2);
  });

  it('refuses a batch over the limit, a body that is no packet, and callers without the scope', async () => {
    await expect(send(ingest, flow.ctx, ...Array.from({ length: 1_001 }, () => ({})))).rejects.toMatchObject({ code: 'PayloadTooLarge' });
    await expect(ingest.ingestBody(flow.ctx, 'text', 'application/json')).rejects.toMatchObject({ code: 'InvalidBody' });
    const person = { ...flow.ctx, actor: { kind: 'person' as const, id: randomUUID(), name: 'P', userName: 'p@example.com' } };
    await expect(send(ingest, person, {})).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('knows a new, disabled or deleted device at once', async () => {
    const device = await flow.device({ enabled: false });
    expect((await send(ingest, flow.ctx, cpu(device, 1)))[0]?.status).toBe('refused');
    await flow.rows('with d as (update device set enabled = true where device_id = $1) select pg_notify($2, $1::text)', device, 'devices');
    await expect.poll(async () => (await send(ingest, flow.ctx, cpu(device, 1)))[0]?.status).toBe('stored');
    await flow.rows(
      'with d as (update device set is_deleted = true where device_id = $1) select pg_notify($2, $1::text)',
      device,
      'devices',
    );
    await expect.poll(async () => (await send(ingest, flow.ctx, cpu(device, 1)))[0]?.status).toBe('refused');
  });

  it('lets two processes take the first packets of the same entities at the same time', async () => {
    const second = await flow.openIngest();
    const devices = await Promise.all(Array.from({ length: 12 }, () => flow.device()));
    const batches = Array.from({ length: 8 }, (_, i) => devices.toSorted(() => (i % 2 ? 1 : -1)).map((id) => cpu(id, i)));
    const answers = await Promise.all(batches.map((batch, i) => send(i % 2 ? ingest : second, flow.ctx, ...batch)));
    expect(answers.flat().every((answer) => answer.status === 'stored')).toBe(true);
    expect(await flow.rows('select 1 from packet where entity_id = any($1)', devices)).toHaveLength(96);
  });
});
