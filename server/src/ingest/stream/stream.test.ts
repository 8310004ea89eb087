/** Packets that wait in a stream: accepted as ever, written once, in order, by the owner of their partition. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import { meters } from '../../platform/meters.ts';
import { createFlow, cpu, cpuOver90, send, silent, until, type Flow } from '../../rules/testing/flow.ts';
import { hasNats, startNats, type NatsServer } from '../../testing/programs/nats.ts';
import { openIngest, type Ingest } from '../accept.ts';
import { partitionCount, partitionOf, readEnvelope, writeEnvelope } from './envelope.ts';
import { startEvaluator, type Evaluator } from './evaluator.ts';
import { positions } from './partitions.ts';
import { openPacketStream, type PacketStream } from './stream.ts';

describe.skipIf(!hasNats)('a stream in front of ingest', { timeout: 120_000 }, () => {
  let flow: Flow;
  let nats: NatsServer;
  let stream: PacketStream;
  let ingest: Ingest;
  const evaluators: { evaluator: Evaluator; ingestOfWriter: Ingest; database: Database }[] = [];

  const openStream = (maxBytes = 1_073_741_824) =>
    openPacketStream({ url: nats.url, installation: 'test', maxBytes, replicas: 1, log: silent });

  async function evaluate(process: string = randomUUID()): Promise<Evaluator> {
    const database = openDatabase({ url: flow.url, max: 6, process: `test ingest ${process} here`, onError: () => undefined });
    const ingestOfWriter = await openIngest({ database, log: silent });
    const { entities, writer } = ingestOfWriter;
    const evaluator = await startEvaluator(stream, { database, log: silent, entities, writer, process, stored: () => undefined });
    evaluators.push({ evaluator, ingestOfWriter, database });
    return evaluator;
  }

  const countOf = async (entityId: string): Promise<number> =>
    (await flow.rows<{ count: number }>('select count(*)::int as count from packet where entity_id = $1', entityId))[0]?.count ?? 0;
  const valuesOf = async (entityId: string): Promise<number[]> =>
    (
      await flow.rows<{ value: number }>(
        "select (message->'Metrics'->>'Cpu')::float8 as value from packet where entity_id = $1 order by timestamp, packet_id",
        entityId,
      )
    ).map(({ value }) => value);

  /** Waits until everything that the stream has is written. */
  const written = () =>
    until(async () => {
      const at = new Map((await positions(flow.db)).map(({ partition, sequence }) => [partition, sequence]));
      const states = await Promise.all(Array.from({ length: partitionCount }, (_, partition) => stream.state(partition)));
      return states.every(({ partition, lastSequence }) => (at.get(partition) ?? 0) >= lastSequence);
    });

  beforeAll(async () => {
    [flow, nats] = await Promise.all([createFlow(), startNats()]);
    stream = await openStream();
    ingest = await openIngest({ database: flow.database, log: silent, stream });
  });
  afterEach(async () => {
    for (const { evaluator, ingestOfWriter, database } of evaluators.splice(0)) {
      await evaluator.stop();
      await ingestOfWriter.stop();
      await database.close();
    }
  });
  afterAll(async () => {
    await ingest.stop();
    await stream.close();
    await nats.close();
    await flow.close();
  });

  it('answers when the stream has a packet, and writes it, its match and its order later', async () => {
    const entityId = await flow.device();
    const rule = await flow.rule({ conditions: [cpuOver90] });
    await until(() => ingest.rules.ingestion().get(rule));
    const values = Array.from({ length: 300 }, (_, n) => n % 90);
    for (let from = 0; from < 300; from += 50)
      expect(
        (await send(ingest, flow.ctx, ...values.slice(from, from + 50).map((value) => cpu(entityId, value)))).map(({ status }) => status),
      ).toEqual(Array.from({ length: 50 }, () => 'stored'));
    expect(await send(ingest, flow.ctx, cpu(entityId, 95))).toMatchObject([{ index: 0, entityId, status: 'stored' }]);
    expect(await countOf(entityId)).toBe(0);
    await evaluate();
    await written();
    expect(await countOf(entityId)).toBe(301);
    expect(await flow.rows('select subject_id from rule_match where rule_id = $1', rule)).toEqual([{ subject_id: entityId }]);
    const [latest] = await flow.rows<{ value: number }>(
      "select (message->'Metrics'->>'Cpu')::int as value from latest_packet where entity_id = $1",
      entityId,
    );
    expect(latest?.value).toBe(95);
  });

  it('refuses at once what it refuses without a stream', async () => {
    const [mine, disabled] = [await flow.device(), await flow.device({ enabled: false })];
    const foreign = await flow.device({ tenantId: flow.otherTenantId });
    const answers = await send(ingest, flow.ctx, cpu(mine, 1), cpu(foreign, 1), cpu(disabled, 1), cpu(mine, 1, '2001-01-01T00:00:00Z'), 7);
    expect(answers.map(({ status, code }) => code ?? status)).toEqual([
      'stored',
      'UnknownEntity',
      'EntityDisabled',
      'TimestampTooOld',
      'InvalidPacket',
    ]);
    await evaluate();
    await written();
    expect(await countOf(foreign)).toBe(0);
  });

  it('writes a message id once: sent again to the stream, after its window, and past the stream', async () => {
    const entityId = await flow.device();
    const packet = { ...cpu(entityId, 1), messageId: randomUUID() };
    const other = { ...cpu(entityId, 2), messageId: randomUUID() };
    const { packetsAccepted, packetsRefused } = meters;
    expect((await send(ingest, flow.ctx, packet, packet)).map(({ status }) => status)).toEqual(['stored', 'duplicate']);
    expect((await send(ingest, flow.ctx, packet)).map(({ status }) => status)).toEqual(['duplicate']);
    expect([meters.packetsAccepted - packetsAccepted, meters.packetsRefused - packetsRefused]).toEqual([1, 0]);
    // In another company the stream does not know the message again; the database does.
    expect((await send(ingest, flow.ctx, packet, other)).map(({ status }) => status)).toEqual(['stored', 'stored']);
    await evaluate();
    await written();
    expect(await valuesOf(entityId)).toEqual([1, 2]);
    const direct = await flow.openIngest();
    expect((await send(direct, flow.ctx, packet, other)).map(({ status }) => status)).toEqual(['duplicate', 'duplicate']);
    const past = { ...cpu(entityId, 3), messageId: randomUUID() };
    expect((await send(direct, flow.ctx, past)).map(({ status }) => status)).toEqual(['stored']);
    await send(ingest, flow.ctx, past);
    await written();
    expect(await valuesOf(entityId)).toEqual([1, 2, 3]);
  });

  it('keeps the order of each entity while processes come and go, and one owner of each partition', async () => {
    const devices = await Promise.all(Array.from({ length: 24 }, (_, n) => flow.device({ name: `order-${n}` })));
    const first = await evaluate();
    await until(() => first.owned().length === partitionCount);
    const begun = Date.now() - 100_000;
    const round = async (n: number) => {
      for (const entityId of devices) await send(ingest, flow.ctx, cpu(entityId, n, new Date(begun + n * 10).toISOString()));
    };
    for (let n = 0; n < 10; n += 1) await round(n);
    const second = await evaluate();
    await until(() => second.owned().length === partitionCount / 2 && first.owned().length === partitionCount / 2);
    expect([...first.owned(), ...second.owned()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: partitionCount }, (_, n) => n));
    for (let n = 10; n < 20; n += 1) await round(n);
    await first.stop();
    for (let n = 20; n < 30; n += 1) await round(n);
    await until(() => second.owned().length === partitionCount);
    await written();
    for (const entityId of devices) expect(await valuesOf(entityId)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    // The order of writing, not only that of time: none was written after a later one.
    const disordered = await flow.rows(`select p.entity_id from packet p where p.entity_id = any($1) and p.evaluated is not null`, devices);
    expect(disordered).toEqual([]);
  });

  it('refuses what cannot be written any more, tells it in the audit, and goes on', async () => {
    const [entityId, removed] = [await flow.device(), await flow.device({ name: 'removed' })];
    await send(ingest, flow.ctx, cpu(entityId, 1), cpu(removed, 1));
    // A message of a broken program, and packets of a tenant for the device of another one.
    const foreign = await flow.device({ tenantId: flow.otherTenantId });
    const smuggled = {
      at: Date.now(),
      hops: 0,
      packets: [
        {
          entityId: foreign,
          tenantId: flow.tenantId,
          timestamp: Date.now(),
          messageId: undefined,
          message: {},
          json: '{"Metrics":{"Cpu":9}}',
        },
      ],
    };
    await stream.publish(partitionOf(flow.tenantId, entityId), 'nonsense', undefined);
    await stream.publish(partitionOf(flow.tenantId, entityId), writeEnvelope(smuggled), undefined);
    await send(ingest, flow.ctx, cpu(entityId, 2));
    await flow.rows('update device set is_deleted = true where device_id = $1', removed);
    await evaluate();
    await written();
    expect(await valuesOf(entityId)).toEqual([1, 2]);
    expect([await countOf(removed), await countOf(foreign)]).toEqual([0, 0]);
    const refusals = await flow.rows<{ entity_id: string; after: { code: string } | null }>(
      "select entity_id, after from audit where entity = 'packets' and verb = 'refused' and tenant_id = $1 order by audit_id",
      flow.tenantId,
    );
    expect(refusals.map((row) => [row.entity_id, row.after?.code]).toSorted()).toEqual(
      [
        [removed, 'UnknownEntity'],
        [foreign, 'UnknownEntity'],
      ].toSorted(),
    );
  });

  it('reads back what it writes', () => {
    const packet = {
      entityId: randomUUID(),
      tenantId: randomUUID(),
      timestamp: 1,
      messageId: undefined,
      message: { Value: 'a\nb' },
      json: '{"Value":"a\\nb"}',
    };
    const text = writeEnvelope({ at: 5, hops: 1, packets: [packet, { ...packet, messageId: 'm' }] });
    expect(readEnvelope(text)).toEqual({ at: 5, hops: 1, packets: [packet, { ...packet, messageId: 'm' }] });
    expect(() => readEnvelope('[2,0,0]')).toThrow('does not know messages');
  });
});
