/** Random requests: no answer is an internal server error, and none has a row of another tenant. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { columnName } from '../../db/column-name.ts';
import { freshSeed, runs } from '@cloudfit/contract/testing/runs.ts';
import { servedNamed } from '../../resources/served.ts';
import { allActions, declaredRawRoutes } from '../all-actions.ts';
import { insertSample, sampleBody, type SubscriptionIds } from '../samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../world.ts';
import { chance } from './chance.ts';
import { requests, type FuzzSurface, type FuzzRequest } from './requests.ts';

const seed = freshSeed();
const count = runs(2_000, 20_000);
const atOnce = 8;
/** A text in the rows of the other tenant, and in no request. */
const mark = `foreign${randomUUID().replaceAll('-', '')}`;

let world: TestWorld;
let surface: FuzzSurface;
let callers: readonly [TestCaller, ...TestCaller[]];

/** Overwrites the texts of a row with the mark by SQL; a column that refuses the mark keeps its value. */
async function markRow(r: Resource, key: string): Promise<void> {
  for (const [name, field] of Object.entries(r.fields)) {
    if (field.kind !== 'text' || field.choices) continue;
    const text = `update ${servedNamed(r.name).table} set ${columnName(name)} = $1 where ${columnName(r.key)}::text = $2`;
    await world.system.db.query({ text, values: [`${mark} ${r.name}`, key] }).catch(() => undefined);
  }
}

async function rowsOf(r: Resource, home: SubscriptionIds): Promise<string[]> {
  if (r.name === 'tenants') return [home.tenantId];
  const keys: string[] = [];
  for (let n = 0; n < 3; n++) {
    const row = await insertSample(world, r, home).catch(() => undefined);
    if (row) keys.push(String(row[r.key]));
  }
  return keys;
}

beforeAll(async () => {
  world = await createWorld();
  const [mine, theirs] = [await world.tenant('Mine'), await world.tenant(mark)];
  const samples = new Map<string, Record<string, unknown>>();
  const keys = new Map<string, string[]>();
  for (const r of resources) {
    const ownRows = await rowsOf(r, mine);
    const foreignRows = r.scope.kind === 'installation' ? [] : await rowsOf(r, theirs);
    for (const key of foreignRows) await markRow(r, key);
    keys.set(r.name, [...ownRows, ...ownRows, ...ownRows, ...foreignRows]);
    if (r.verbs.includes('create')) samples.set(r.name, await sampleBody(world, r, mine).catch(() => ({})));
  }
  const raw = new Set(declaredRawRoutes().map(({ action }) => action.name));
  const ids = [...[...keys.values()].flat(), mine.tenantId, mine.tenantId, theirs.tenantId, mine.subscriptionId, theirs.subscriptionId];
  surface = { resources, actions: allActions().filter((a) => !raw.has(a.name)), ids, samples, keys };
  const token = (scopes: string[]): TestCaller => ({
    ...holder([mine.tenantId], []),
    actor: { kind: 'token', id: randomUUID(), name: 'Token', scopes },
  });
  const full = holder([mine.tenantId]);
  callers = [
    full,
    full,
    full,
    full,
    full,
    full,
    full,
    full,
    token(['agent', 'ingest']),
    holder([mine.tenantId], ['CloudFit.CFS.Devices:view']),
  ];
}, 120_000);
afterAll(() => world.close());

interface FuzzFailure {
  what: string;
  request: FuzzRequest;
  answer: string;
}

const inside = /\b(?:select .* from|insert into|syntax error at or near|relation ")|\bat \S+ \(|\.ts:\d+/i;

/** Returns what is wrong with an answer; undefined if nothing is. */
function judge(request: FuzzRequest, status: number, type: string, text: string): string | undefined {
  if (text.includes(mark)) return 'a row of another tenant';
  if (status >= 500 && status !== 501) return `status ${status}`;
  if (status < 400 || request.method === 'HEAD') return undefined;
  if (!type.startsWith('application/json')) return `an error as ${type}`;
  const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
  if (typeof error?.code !== 'string' || typeof error.message !== 'string' || error.message === '') return 'an error in another form';
  return inside.test(error.message) ? 'an error that tells of the inside' : undefined;
}

it(`answers ${count} random requests with 2xx or a clean refusal, and with rows of the caller's tenant alone`, async () => {
  const c = chance(seed);
  const next = requests(c, surface, seed);
  const failures: FuzzFailure[] = [];
  const statuses: Record<number, number> = {};
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0 && failures.length < 30) {
      const request = next();
      const caller = c.once(40) ? null : c.pick(callers);
      const { method, url, body, headers } = request;
      const reply = await world.call(caller, method, url, body, headers).catch((error: unknown) => {
        throw new Error(`No answer to ${JSON.stringify(request)}`, { cause: error });
      });
      const { status, text } = reply;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const what = judge(request, status, String(reply.headers['content-type']), text);
      if (what) failures.push({ what, request, answer: text.slice(0, 500) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (process.env['FUZZ_REPORT']) console.log(statuses);
  expect(failures, `with TEST_SEED=${seed}`).toEqual([]);
  const share = (from: number, to: number): number =>
    Object.entries(statuses).reduce((sum, [status, n]) => sum + (Number(status) >= from && Number(status) < to ? n : 0), 0) / count;
  // With fewer successful requests, most would be refused before they reach the code under test.
  expect(share(200, 300)).toBeGreaterThan(0.15);
  expect(share(429, 430)).toBeLessThan(0.01);
}, 240_000);

it('would see a row of another tenant', async () => {
  const { text } = await world.call(holder('all'), 'GET', '/v1/tenants?$top=1000');
  expect(text).toContain(mark);
  expect(surface.actions.length).toBeGreaterThan(20);
  // Every resource has a row to query, except work unit types: the test cannot insert these, because the product ships them.
  expect([...surface.keys].filter(([name, keys]) => keys.length === 0 && name !== 'workUnitTypes')).toEqual([]);
});
