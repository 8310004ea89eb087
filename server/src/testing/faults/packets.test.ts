/** Packets that arrive several times and in any order, at two servers at once: each is stored once and opens its match once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ingest, ItemAnswer } from '../../ingest/accept.ts';
import { cpuOver90, createFlow, createUnit, send, until, type Flow } from '../../rules/testing/flow.ts';

const deviceCount = 10;
const perDevice = 30;
const copies = 3;
const batchSize = 25;

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((item) => ({ one: item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** Sends a batch and, like an agent, repeats it while the server is Unavailable because of conflicts with other batches. */
async function sendPatiently(server: Ingest, packets: readonly object[]): Promise<ItemAnswer[]> {
  for (;;) {
    try {
      return await send(server, flow.ctx, ...packets);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'Unavailable')) throw error;
    }
  }
}

it('stores each packet once and opens one match, whatever comes again and in which order', async () => {
  const servers = [await flow.openIngest(), await flow.openIngest()];
  const devices = await Promise.all(Array.from({ length: deviceCount }, (_, n) => flow.device({ name: `web-${n}` })));
  const rule = await flow.rule({ conditions: [cpuOver90], matchActions: [createUnit] });
  for (const server of servers) await until(() => server.rules.ingestion().get(rule));
  const now = Date.now();
  const packets = devices.flatMap((entityId) =>
    Array.from({ length: perDevice }, (_, n) => ({
      messageId: randomUUID(),
      entityId,
      // Times within the last three seconds, so that rules do not treat a packet as late.
      timestamp: new Date(now - n * 100).toISOString(),
      message: { Metrics: { Cpu: 95, Nth: n } },
    })),
  );
  const sent = shuffled(Array.from({ length: copies }, () => packets).flat());
  const batches = Array.from({ length: Math.ceil(sent.length / batchSize) }, (_, n) => sent.slice(n * batchSize, (n + 1) * batchSize));
  const answers = await Promise.all(batches.map((batch, n) => sendPatiently(servers[n % 2] as Ingest, batch)));

  const statuses = new Map<string, string[]>();
  batches.forEach((batch, n) =>
    batch.forEach((packet, at) =>
      statuses.set(packet.messageId, [...(statuses.get(packet.messageId) ?? []), answers[n]?.[at]?.status ?? 'none']),
    ),
  );
  for (const some of statuses.values()) expect(some.toSorted()).toEqual(['duplicate', 'duplicate', 'stored']);
  const stored = await flow.rows<{ entity_id: string; count: number; different: number }>(
    "select entity_id, count(*)::int as count, count(distinct message->'Metrics'->>'Nth')::int as different from packet group by 1",
  );
  expect(stored).toHaveLength(deviceCount);
  for (const one of stored) expect(one).toMatchObject({ count: perDevice, different: perDevice });
  const matches = await flow.rows<{ subject_id: string; actions: number }>(
    'select subject_id, (select count(*)::int from action_history h where h.reference_id = m.rule_match_id::text) as actions from rule_match m',
  );
  expect(matches.map((match) => match.subject_id).toSorted()).toEqual(devices.toSorted());
  for (const match of matches) expect(match.actions).toBe(1);
  expect(await flow.rows("select 1 from job where name = 'run-action'")).toHaveLength(deviceCount);
});
