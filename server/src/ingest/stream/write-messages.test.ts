/** What is recorded of packets that cannot be written: once, however often the batch around them is tried. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFlow, silent, type Flow } from '../../rules/testing/flow.ts';
import type { PacketEnvelope, StreamedPacket } from './envelope.ts';
import { preparePartitions } from './partitions.ts';
import { skipMessage, writeMessages, type MessageWriter } from './write-messages.ts';

let flow: Flow;
let parts: MessageWriter;
beforeAll(async () => {
  flow = await createFlow();
  const { entities, writer } = await flow.openIngest();
  parts = { database: flow.database, log: silent, entities, writer, process: 'me', stored: () => undefined };
  await preparePartitions(flow.db);
  await flow.rows("update stream_partition set owner = 'me', stream = 's', sequence = 0");
});
afterAll(() => flow.close());

const packetOf = (entityId: string, tenantId: string, text = ''): StreamedPacket => {
  const message = { Metrics: { Cpu: 5 }, Properties: { text } };
  return { entityId, tenantId, timestamp: Date.now(), messageId: undefined, message, json: JSON.stringify(message) };
};
const envelopeOf = (...packets: StreamedPacket[]): PacketEnvelope => ({ at: Date.now(), hops: 0, packets });
const recordedOf = (entityId: string) =>
  flow.rows<{ tenant_id: string | null; code: string; length: number }>(
    "select tenant_id, after ->> 'code' as code, length(after ->> 'message') as length from audit where entity = 'packets' and entity_id = $1",
    entityId,
  );
const storedOf = (entityId: string) => flow.rows('select 1 from packet where entity_id = $1', entityId);
/** The partition is at another position than the batch says. */
const lost = { cause: { code: 'CF001' } };
const stepOf = (partition: number, from: number) => ({ partition, stream: 's', from, to: from + 1 });

it('records a refusal with the batch that is written, also of another tenant, and as far as it is short', async () => {
  const [fine, moved, removed] = [await flow.device(), await flow.device(), randomUUID()];
  const envelope = envelopeOf(
    packetOf(fine, flow.tenantId),
    packetOf(moved, flow.otherTenantId),
    packetOf(removed, flow.tenantId, 'x'.repeat(3_000)),
  );
  // Another process is further than this one knows.
  await expect(writeMessages(parts, { envelopes: [envelope], advances: [stepOf(0, 7)] })).rejects.toMatchObject(lost);
  expect([...(await recordedOf(removed)), ...(await storedOf(fine))]).toEqual([]);
  await writeMessages(parts, { envelopes: [envelope], advances: [stepOf(0, 0)] });
  expect(await recordedOf(removed)).toEqual([{ tenant_id: flow.tenantId, code: 'UnknownEntity', length: 2_000 }]);
  expect(await recordedOf(moved)).toMatchObject([{ tenant_id: flow.otherTenantId, code: 'UnknownEntity' }]);
  expect([(await storedOf(fine)).length, (await storedOf(moved)).length]).toEqual([1, 0]);
});

it('records a batch of refusals alone, and a message that is set aside, once', async () => {
  const [removed, aside] = [randomUUID(), await flow.device()];
  const alone = [envelopeOf(packetOf(removed, flow.tenantId))];
  await expect(writeMessages(parts, { envelopes: alone, advances: [stepOf(1, 7)] })).rejects.toMatchObject(lost);
  await writeMessages(parts, { envelopes: alone, advances: [stepOf(1, 0)] });
  expect(await recordedOf(removed)).toHaveLength(1);
  const message = envelopeOf(packetOf(aside, flow.tenantId));
  await expect(skipMessage(parts, message, stepOf(1, 7), new Error('no'))).rejects.toMatchObject(lost);
  expect(await recordedOf(aside)).toEqual([]);
  await skipMessage(parts, message, stepOf(1, 1), new Error('no'));
  expect(await recordedOf(aside)).toMatchObject([{ code: 'NotWritten' }]);
  expect(await flow.rows('select sequence from stream_partition where partition = 1')).toEqual([{ sequence: 2 }]);
});

it('writes a packet with a message id once, in one batch and in the next', async () => {
  const device = await flow.device();
  const packet = { ...packetOf(device, flow.tenantId), messageId: 'm-1' };
  await writeMessages(parts, { envelopes: [envelopeOf(packet, packet), envelopeOf(packet)], advances: [stepOf(2, 0)] });
  await writeMessages(parts, { envelopes: [envelopeOf(packet)], advances: [stepOf(2, 1)] });
  expect(await storedOf(device)).toHaveLength(1);
});
