/** What becomes of a payload of which a part is stored when the rest cannot be: nothing is stored twice, and the answer says what is missing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { ctxOf } from './open-sources.ts';
import { openIntake, type SourceIntake, type StoreItems } from './take.ts';

let world: TestWorld;
let sourceId = '';
let intake: SourceIntake;
let storeItems: StoreItems;
const pauses: number[] = [];

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  const home = await world.tenant('Northwind');
  const { body } = await world.call(holder([home.tenantId]), 'PUT', '/v1/sources', {
    name: 'Plant',
    kind: 'Webhook',
    ...home,
    mapping: 'Id = {id}',
  });
  sourceId = String(body['sourceId']);
  const { database } = world;
  const { log } = world.system;
  intake = await openIntake({
    database,
    log,
    storeItems: (ctx, items) => storeItems(ctx, items),
    pause: (ms) => Promise.resolve(pauses.push(ms)),
  });
});
afterAll(async () => {
  await intake.close();
  await world.close();
});

const unavailable = new ApiError('Unavailable', 'The database is away.');

/** Sends lines; `fails` says of each call whether it fails, and how often. */
async function take(lines: readonly object[], fails: (call: number) => boolean) {
  let calls = 0;
  const sizes: number[] = [];
  pauses.length = 0;
  storeItems = (_ctx, items) => {
    calls += 1;
    if (fails(calls)) return Promise.reject(unavailable);
    sizes.push(items.length);
    return Promise.resolve(items.map((_, index) => ({ index, status: 'stored' as const })));
  };
  const source = await intake.sources.find(sourceId);
  if (!source) throw new Error('There is no source.');
  const { log } = world.system;
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
  const answer = await intake.take(ctxOf(world.database, source, { correlationId: crypto.randomUUID(), log }), source, {
    method: 'POST',
    path: '',
    query: new URLSearchParams(),
    contentType: 'application/x-ndjson',
    headers: {},
    bytes,
  });
  return { ...answer, sizes };
}

const many = limits.packetsPerBatch + 5;
const plain = Array.from({ length: many }, (_, load) => ({ device: 'web-1', load }));
const withIds = plain.map((line, id) => ({ ...line, id: `n${id}` }));

it('stores the rest itself when a later part fails for a moment', async () => {
  const { status, body, sizes } = await take(plain, (call) => call === 2 || call === 3);
  expect([status, body, sizes]).toMatchObject([200, { stored: many, refused: 0 }, [limits.packetsPerBatch, 5]]);
  expect(pauses).toEqual([250, 1_000]);
});

it('says what is missing when the rest fails for good', async () => {
  const { status, body, sizes } = await take(plain, (call) => call > 1);
  expect([status, body, sizes]).toMatchObject([200, { stored: limits.packetsPerBatch, refused: 5 }, [limits.packetsPerBatch]]);
  expect(JSON.stringify(body)).toContain('The database is away.');
});

it('fails as a whole where the sender can repeat it: nothing is stored yet, or all has ids', async () => {
  await expect(take(plain, () => true)).rejects.toThrow('The database is away.');
  await expect(take(withIds, (call) => call === 2)).rejects.toThrow('The database is away.');
  expect(pauses).toEqual([]);
});
