/** Which tables a statement reads, and that every statement that writes such a table records a change. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { served } from '../app/served.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { planList } from './list.ts';
import { entitiesRead, isPlainTable, unrecorded } from './read-tables.ts';
import { servedNamed } from './served.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const reads = (name: string, query = ''): readonly string[] | null =>
  entitiesRead(planList(world.ctx(holder('all')), servedNamed(name), query, { wire: true }).statement.text)?.toSorted() ?? null;

it('finds the entities of a list, of what it joins and of what it expands', () => {
  expect(reads('locations')).toEqual(['locations']);
  expect(reads('locations', '$expand=tenant')).toEqual(['locations', 'tenants']);
  expect(reads('locations', "$filter=tenant/name eq 'x'")).toEqual(['locations', 'tenants']);
});

it('does not trust the clock, packets or views', () => {
  expect(reads('locations', '$filter=created lt now()')).toBeNull();
  expect(reads('packets')).toBeNull();
  expect(entitiesRead('select 1')).toBeNull();
});

/** Files whose writes need no change row. */
const unseen: ReadonlySet<string> = new Set([
  // This file and the next three write no columns of resources that a field shows.
  'features/devices/announce.ts',
  // Count polls of processes with one identity; no field shows them.
  'features/devices/agent/instances.ts',
  // Notes placeholders in the execution that its outcome announces.
  'automation/run-action.job.ts',
  'automation/notify/handover.ts',
  'features/protocols/on-call/on-call.action.ts',
  'features/protocols/on-call/on-call.served.ts',
  // Writes rows in the transaction of a change of the package or operation, on which the lists of these rows depend.
  'features/packages/packages.served.ts',
  // Writes columns that no field shows, in the transaction of a change of the work unit.
  'features/work-units/approvals/approvers.ts',
  // Writes only the time and the address of the agent's last call.
  'features/devices/agent/sign-in.ts',
  // Updates a device operation in the transaction that creates it.
  'features/devices/operations/standard.ts',
  // Runs when the server starts; signs versions that were stored before the server had a signing key.
  'features/packages/sign-versions.ts',
  'ingest/test-flow.ts',
  // Writes only for which other message an execution waits, which no field shows.
  'automation/order-of-messages.ts',
]);

it('knows no statement that writes a table of a resource and no row of change', () => {
  const tables = [...new Set(served.map((one) => one.table))].filter((table) => isPlainTable(table) && !unrecorded.has(table));
  const source = join(import.meta.dirname, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(?:\.test\.ts|(?:^|\/)testing\/|^demo\/|^db\/|^resources\/)/.test(file),
  );
  const writes = new RegExp(
    String.raw`(?:insert into|update|delete from)\s+"?(${tables.join('|')})"?\s|(?:insertInto|updateTable|deleteFrom)\('(${tables.join('|')})'`,
  );
  const silent = files.filter((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    return writes.test(text) && !/into change\b|writeRecorded|recordChange/.test(text);
  });
  expect(silent.filter((file) => !unseen.has(file))).toEqual([]);
});
