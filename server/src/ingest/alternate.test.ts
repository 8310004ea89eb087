/** Two processes that take packets of the same devices in turn, as behind a balancer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db, Statement } from '../db/db.ts';
import { cpu, createFlow, send, type Flow } from '../rules/testing/flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

/** A database of which `note` sees each statement before it is sent. */
function watched(db: Db, note: (statement: Statement) => Promise<void> | void): Db {
  return {
    query: async (statement) => (await note(statement), db.query(statement)),
    defer: async (statement) => (await note(statement), db.defer(statement)),
    last: async (statement) => (await note(statement), db.last(statement)),
    transaction: (work) => db.transaction((tx) => work(watched(tx, note))),
  };
}

it('reads the latest packets first while another process writes them too, and is refused once at most', async () => {
  const names: string[] = [];
  const ctx = { ...flow.ctx, db: watched(flow.ctx.db, ({ name = '' }) => void names.push(name)) };
  const [one, other] = [await flow.openIngest(), await flow.openIngest()];
  const devices = await Promise.all(Array.from({ length: 5 }, () => flow.device()));
  const rounds = 12;
  for (let round = 0; round < rounds; round++) {
    const answers = await send(round % 2 ? one : other, ctx, ...devices.map((id) => cpu(id, round)));
    expect(answers.every(({ status }) => status === 'stored')).toBe(true);
  }
  expect(names).not.toContain('ingest-lock');
  // Each process is refused once, when it finds that it is not alone.
  expect(names.filter((name) => name.startsWith('ingest-store')).length).toBeLessThanOrEqual(rounds + 2);
  // After that, the first write is the only one.
  expect(names.slice(-2)).toEqual(['ingest-read', 'ingest-store-current']);
  expect(await flow.rows('select 1 from packet where entity_id = any($1)', devices)).toHaveLength(5 * rounds);
  await one.stop();
  await other.stop();
});

it('writes again only the packets of the entity that another process wrote in between', async () => {
  const [one, other] = [await flow.openIngest(), await flow.openIngest()];
  const [first, second, third] = [await flow.device(), await flow.device(), await flow.device()] as const;
  for (const ingest of [one, other, one]) await send(ingest, flow.ctx, ...[first, second, third].map((id) => cpu(id, 1)));
  const written: (readonly unknown[])[] = [];
  const db = watched(flow.ctx.db, async ({ name, values = [] }) => {
    if (!name?.startsWith('ingest-store')) return;
    written.push(values);
    if (written.length === 1) await send(other, flow.ctx, cpu(second, 2));
  });
  const answers = await send(one, { ...flow.ctx, db }, ...[first, second, third].map((id) => cpu(id, 3)));
  expect(answers.map(({ status, index }) => [index, status])).toEqual([0, 1, 2].map((index) => [index, 'stored']));
  expect(written.map(([, entities]) => entities)).toEqual([`{${[first, second, third].toSorted().join(',')}}`, `{${second}}`]);
  const stored = await flow.rows<{ entity_id: string; values: number[] }>(
    `select entity_id, array_agg((message -> 'Metrics' ->> 'Cpu')::int) as values from packet where entity_id = any($1) group by 1`,
    [first, second, third],
  );
  const of = (id: string) => stored.find(({ entity_id }) => entity_id === id)?.values.toSorted();
  expect([of(first), of(second), of(third)]).toEqual([
    [1, 1, 1, 3],
    [1, 1, 1, 2, 3],
    [1, 1, 1, 3],
  ]);
  await one.stop();
  await other.stop();
});

it('fails only what could not be written after the rest was stored, and stores nothing twice', async () => {
  const [one, other] = [await flow.openIngest(), await flow.openIngest()];
  const [first, second, third] = [await flow.device(), await flow.device(), await flow.device()] as const;
  for (const ingest of [one, other, one]) await send(ingest, flow.ctx, ...[first, second].map((id) => cpu(id, 1)));
  let writes = 0;
  const db = watched(flow.ctx.db, async ({ name, values = [] }) => {
    if (!name?.startsWith('ingest-store') || !String(values[1]).includes(second)) return;
    writes += 1;
    if (writes > 1) throw new Error('A fault of the program.');
    await send(other, flow.ctx, cpu(second, 2));
  });
  const ctx = { ...flow.ctx, db };
  // While the first request runs, the others come together; the last one is the third, sent again without its answer.
  const outcomes = await Promise.allSettled(
    [third, first, second, second].map((id) => send(one, ctx, { ...cpu(id, 3), messageId: `of ${id}` })),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  const stored = await flow.rows<{ count: number }>(
    `select count(*)::int as count from packet where entity_id = any($1) and (message -> 'Metrics' ->> 'Cpu')::int = 3 group by entity_id`,
    [first, second, third],
  );
  expect(stored).toEqual([{ count: 1 }, { count: 1 }]);
  await one.stop();
  await other.stop();
});
