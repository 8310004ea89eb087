/** Two processes that take packets of the same devices in turn, as behind a balancer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db, Statement } from '../db/db.ts';
import { cpu, createFlow, send, type Flow } from '../rules/testing/flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

it('reads the latest packets first while another process writes them too, and is refused once at most', async () => {
  const names: string[] = [];
  const named = (db: Db): Db => {
    const note = (statement: Statement) => (names.push(statement.name ?? ''), statement);
    return {
      ...db,
      query: (statement) => db.query(note(statement)),
      defer: (statement) => db.defer(note(statement)),
      transaction: (work) => db.transaction((tx) => work(named(tx))),
    };
  };
  const ctx = { ...flow.ctx, db: named(flow.ctx.db) };
  const [one, other] = [await flow.openIngest(), await flow.openIngest()];
  const devices = await Promise.all(Array.from({ length: 5 }, () => flow.device()));
  const rounds = 12;
  for (let round = 0; round < rounds; round++) {
    const answers = await send(round % 2 ? one : other, ctx, ...devices.map((id) => cpu(id, round)));
    expect(answers.every(({ status }) => status === 'stored')).toBe(true);
  }
  expect(names).not.toContain('ingest-lock');
  // Each process is refused once, when it finds that it is not alone.
  expect(names.filter((name) => name === 'ingest-store').length).toBeLessThanOrEqual(rounds + 2);
  expect(await flow.rows('select 1 from packet where entity_id = any($1)', devices)).toHaveLength(5 * rounds);
  await one.stop();
  await other.stop();
});
