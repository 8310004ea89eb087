/** A worker whose clock is wrong: when the later channels of a person are used. The database's clock is right. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { noteClockDifference } from '../../platform/clock.ts';
import { readerOf } from '../../platform/language.ts';
import { createWorld, type TestWorld } from '../../testing/world.ts';
import { writeMessages } from './write-messages.ts';

const hourMs = 3_600_000;
let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it.each([hourMs, -hourMs])('uses the next channel at its time, with a clock that is ahead by %i ms', async (aheadMs) => {
  const { tenantId } = await world.tenant();
  const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
  const [unit] = await rows<{ id: number }>(
    "insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'x', 1, 't', 't') returning work_unit_id as id",
    tenantId,
  );
  const messageId = crypto.randomUUID();
  const parameters = {};
  const cause = {
    messageId,
    tenantId,
    correlationId: messageId,
    workUnitId: unit?.id ?? 0,
    stateId: 'New',
    hops: 0,
    ends: undefined,
    parameters,
  } as const;
  const recipient = {
    personId: null,
    name: 'Ada',
    email: 'ada@example.com',
    whom: 'Customer',
    mayAcknowledge: false,
    reader: readerOf(null),
  };
  const targets = [{ address: 'ada@example.com' }];
  const turns = [0, 300_000].map((afterMs) => ({ channel: 'Mail' as const, afterMs, targets }));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
  noteClockDifference(aheadMs);
  try {
    await world.system.db.transaction((db) => writeMessages(db, cause, [{ recipient, permitted: { when: 'now', turns } }]));
  } finally {
    noteClockDifference(0);
    vi.useRealTimers();
  }
  const due = await rows<{ seconds: number }>(
    'select extract(epoch from run_at - now())::float8 as seconds from job where correlation_id = $1 order by run_at',
    messageId,
  );
  expect(due.map(({ seconds }) => Math.round(seconds / 60) + 0)).toEqual([0, 5]);
});
