/** The cache of entities: what is read once, and which change makes it read again. The test supplies the rows. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../db/connection.ts';
import type { Statement } from '../../db/db.ts';
import { openEntities, type Entities } from './entities.ts';

type Row = Record<string, unknown>;

let devices: Row[];
let blocks: Row[];
let operations: Row[];
let requested: string[][];
let changed: (payload: string) => void;
/** Runs while a query is under way. */
let during: () => void;
/** What the answers of queries wait for. */
let stall: Promise<void>;
let entities: Entities;

const device = (id: string, extra: Row = {}): Row => ({
  device_id: id,
  tenant_id: 't1',
  subscription_id: 's1',
  name: id,
  tags: 'a b',
  device_type_id: 2,
  operating_system_id: 3,
  location_id: 'l1',
  enabled: true,
  tenant_enabled: true,
  block_id: null,
  block_name: null,
  ...extra,
});
const block = (id: string, extra: Row = {}): Row => ({
  block_id: id,
  tenant_id: 't1',
  subscription_id: 's1',
  name: id,
  block_type_id: 4,
  tenant_enabled: true,
  ...extra,
});
const operation = (id: string, of: string, extra: Row = {}): Row => ({
  ...device(of),
  device_operation_id: id,
  label: `${id} of ${of}`,
  package_name: 'tools',
  operation_name: 'scan',
  operation_enabled: true,
  ...extra,
});

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  [devices, blocks, operations, requested, during, stall] = [[], [], [], [], () => undefined, Promise.resolve()];
  const query = ({ name, values = [] }: Statement) => {
    const ids = values[0] as string[];
    const tables: Record<string, [Row[], string]> = {
      'ingest-devices': [devices, 'device_id'],
      'ingest-blocks': [blocks, 'block_id'],
      'ingest-operations': [operations, 'device_operation_id'],
    };
    const [rows, key] = tables[name ?? ''] ?? [[], ''];
    if (name === 'ingest-devices') requested.push([...ids]);
    const answer = rows.filter((row) => ids.includes(String(row[key])));
    during();
    return stall.then(() => answer);
  };
  const listen = (_: string, listener: (payload: string) => void) => {
    changed = listener;
    return Promise.resolve(() => Promise.resolve());
  };
  const db = { query, last: query, transaction: (work: (tx: unknown) => Promise<unknown>) => work(db) };
  entities = await openEntities({ scoped: () => db, listen } as unknown as Database, 2_000);
});
afterEach(() => vi.useRealTimers());

const find = async (...ids: string[]) => [...(await entities.find(ids)).values()];
const names = async (...ids: string[]) => (await find(...ids)).toSorted((a, b) => a.id.localeCompare(b.id)).map((named) => named.name);

describe('an entity', () => {
  it('is a device with its heartbeat block', async () => {
    devices = [device('d1', { block_id: 'b1', block_name: 'Beat' })];
    expect(await find('d1')).toEqual([
      {
        id: 'd1',
        kind: 'device',
        tenantId: 't1',
        subscriptionId: 's1',
        name: 'd1',
        enabled: true,
        device: { id: 'd1', name: 'd1', tags: 'a b', deviceTypeId: 2, operatingSystemId: 3, locationId: 'l1' },
        block: { id: 'b1', name: 'Beat', blockTypeId: 8 },
      },
    ]);
  });

  it('is a block, or an operation of a device', async () => {
    [blocks, operations] = [[block('b1')], [operation('o1', 'd1')]];
    const [one, other] = await find('b1', 'o1');
    expect(one).toEqual({
      id: 'b1',
      kind: 'block',
      tenantId: 't1',
      subscriptionId: 's1',
      name: 'b1',
      enabled: true,
      block: { id: 'b1', name: 'b1', blockTypeId: 4 },
    });
    expect(other).toMatchObject({
      id: 'o1',
      kind: 'operation',
      name: 'o1 of d1',
      device: { id: 'd1' },
      operation: { name: 'scan', label: 'o1 of d1', packageName: 'tools' },
    });
    expect([one, other].map((entity) => entity && 'tenantDisabled' in entity)).toEqual([false, false]);
  });

  it('is enabled together with all that it belongs to', async () => {
    const off = { tenant_enabled: false };
    devices = [device('d1', { enabled: false }), device('d2', off)];
    blocks = [block('b1', off)];
    operations = [
      operation('o1', 'd1', { enabled: false }),
      operation('o2', 'd1', { operation_enabled: false }),
      operation('o3', 'd1', off),
      operation('o4', 'd1'),
    ];
    const all = await find('d1', 'd2', 'b1', 'o1', 'o2', 'o3', 'o4');
    expect(all.map(({ id, enabled, tenantDisabled }) => [id, enabled, tenantDisabled ?? false])).toEqual([
      ['d1', false, false],
      ['d2', false, true],
      ['b1', false, true],
      ['o1', false, false],
      ['o2', false, false],
      ['o3', false, true],
      ['o4', true, false],
    ]);
  });
});

describe('the cache', () => {
  it('reads each entity once, until it changes', async () => {
    devices = [device('d1'), device('d2')];
    expect(await names('d1', 'd1')).toEqual(['d1']);
    expect(await names('d1', 'd2')).toEqual(['d1', 'd2']);
    expect(requested).toEqual([['d1'], ['d2']]);
    devices = [device('d1', { name: 'new' }), device('d2', { name: 'new' })];
    changed('d1');
    expect(await names('d1', 'd2')).toEqual(['new', 'd2']);
    changed('x,d2,y');
    expect(await names('d1', 'd2')).toEqual(['new', 'new']);
    expect(requested.slice(2)).toEqual([['d1'], ['d2']]);
    changed('');
    await find('d1', 'd2');
    expect(requested.at(-1)).toEqual(['d1', 'd2']);
    await find('d1', 'd2');
    await find();
    expect(requested).toHaveLength(5);
  });

  it('reads the operations of a device again when that changes', async () => {
    operations = [operation('o1', 'd1'), operation('o2', 'd1'), operation('o3', 'd2')];
    await find('o1');
    await find('o2', 'o3');
    changed('d1');
    await find('o1', 'o2', 'o3');
    expect(requested.at(-1)).toEqual(['o1', 'o2']);
    changed('o3');
    await find('o1', 'o2', 'o3');
    expect(requested.at(-1)).toEqual(['o3']);
  });

  it('asks for an unknown id again after two seconds, or after a change', async () => {
    expect(await names('d1')).toEqual([]);
    devices = [device('d1')];
    vi.setSystemTime(Date.now() + 2_000);
    expect([await names('d1'), requested.length]).toEqual([[], 1]);
    vi.setSystemTime(Date.now() + 1);
    expect([await names('d1'), requested.length]).toEqual([['d1'], 2]);
    expect(await names('d2')).toEqual([]);
    devices.push(device('d2'));
    changed('d3');
    expect(await names('d2')).toEqual(['d2']);
  });

  it('remembers the newest unknown ids, however many there were before', async () => {
    for (let n = 0; n < 2_100; n++) await find(`old${n}`);
    const before = requested.length;
    await find('new');
    await find('new');
    expect(requested.length - before).toBe(1);
  });

  it('does not remember what changed while it was read', async () => {
    devices = [device('d1')];
    during = () => changed('d1');
    expect(await names('d1', 'd2')).toEqual(['d1']);
    during = () => undefined;
    devices = [device('d1', { name: 'new' }), device('d2')];
    expect(await names('d1', 'd2')).toEqual(['new', 'd2']);
  });
});

it('a read that takes too long refuses its callers, and new ones at once, but none whose entities are known', async () => {
  devices = [device('d1'), device('d2'), device('d3')];
  await find('d1');
  const { promise, resolve } = Promise.withResolvers<void>();
  stall = promise;
  const refusal = (id: string, ms: number) => entities.find([id], ms).catch((error: { status: number }) => error.status);
  expect(await refusal('d2', 20)).toBe(503);
  expect(await refusal('d3', 20)).toBe(503);
  expect(requested).toEqual([['d1'], ['d2']]);
  expect([...(await entities.find(['d1'], 20)).keys()]).toEqual(['d1']);
  resolve();
  await expect.poll(() => refusal('d3', 60_000)).toEqual(new Map([['d3', expect.objectContaining({ id: 'd3' })]]));
});
