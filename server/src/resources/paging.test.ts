/** Pages of long lists: whatever the order, next links reach each row once; skipped pages and counts agree with the whole list. */
import pino from 'pino';
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUpCountsWork, checkCountsWork } from '../features/work-units/add-up-counts.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let one: string;
let two: string;

/** Values of each kind that matter for a sort: nulls, equal values, texts whose order by bytes differs from that of the language. */
const people = [null, 'ana@example.com', 'Ana@example.com', 'änne@example.com', 'Bob@example.com', 'zoe@example.com'];

async function addUnits(tenantId: string, count: number): Promise<void> {
  await world.system.db.query({
    text: `insert into work_unit (tenant_id, title, severity_id, state_id, assigned_to, work_unit_type_id, created, created_by, modified_by)
      select $1, 'Pump ' || n % 7, 'Sev' || n % 3, case when n % 5 = 0 then 'Closed' else 'New' end, ($3::text[])[1 + n % 6], 1 + n % 2,
        '2026-11-01T00:00:00Z'::timestamptz + n / 4 * interval '1 minute', 'test', 'test' from generate_series(1, $2::int) n`,
    values: [tenantId, count, people],
  });
}

const all = () => holder('all');
const valuesOf = <T>(body: Record<string, unknown>, key: string): T[] => (body['value'] as Record<string, T>[]).map((row) => row[key] as T);
const ids = (body: Record<string, unknown>): number[] => valuesOf(body, 'workUnitId');

/** Follows the next links from `path`; returns the keys of all pages. `between` runs before each page but the first. */
async function follow<T = number>(
  path: string,
  between: (page: number, listed: readonly T[]) => Promise<unknown> = () => Promise.resolve(),
  key = 'workUnitId',
): Promise<T[]> {
  const listed: T[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page++) {
    if (page > 0) await between(page, listed);
    const { body, status } = await world.call(all(), 'GET', next, undefined, { prefer: 'odata.maxpagesize=7' });
    expect([next, status]).toEqual([next, 200]);
    listed.push(...valuesOf<T>(body, key));
    const link = body['@odata.nextLink'] as string | undefined;
    next = link === undefined ? undefined : link.slice(link.indexOf('/v1/'));
  }
  return listed;
}

beforeAll(async () => {
  world = await createWorld();
  one = (await world.tenant('One')).tenantId;
  two = (await world.tenant('Two')).tenantId;
  await addUnits(one, 60);
  await addUnits(two, 45);
});
afterAll(() => world.close());

const orders = [
  'title asc',
  'title desc',
  'assignedTo asc',
  'assignedTo desc',
  'severityId,created desc',
  'assignedTo desc,severityId,title desc',
  'created desc',
  'tolower(assignedTo)',
  'tenant/name desc',
  'stateId asc',
  'stateId desc',
  'severityId desc',
];

describe.each(orders)('a list by %s', (order) => {
  const path = `/v1/workUnits?$select=workUnitId&$orderby=${encodeURIComponent(order)}`;

  it('has each row once, in one order, by next links and by skipped pages', async () => {
    const whole = ids((await world.call(all(), 'GET', `${path}&$top=1000`)).body);
    expect(new Set(whole).size).toBe(105);
    expect(await follow(path)).toEqual(whole);
    for (const skip of [1, 10, 100, 200])
      expect(ids((await world.call(all(), 'GET', `${path}&$top=10&$skip=${skip}`)).body)).toEqual(whole.slice(skip, skip + 10));
  });

  it('has each row that stays once while others are inserted and deleted', async () => {
    const before = ids((await world.call(all(), 'GET', `${path}&$top=1000`)).body);
    const deletedIds: number[] = [];
    const listed = await follow(path, async (page) => {
      await addUnits(page % 2 ? one : two, 2);
      const victim = before[(page * 31) % before.length] ?? 0;
      deletedIds.push(victim);
      await world.system.db.query({ text: 'delete from work_unit where work_unit_id = $1', values: [victim] });
    });
    expect(new Set(listed).size).toBe(listed.length);
    expect(before.filter((id) => !deletedIds.includes(id) && !listed.includes(id))).toEqual([]);
    await world.system.db.query({ text: 'delete from work_unit' });
    await addUnits(one, 60);
    await addUnits(two, 45);
  });
});

it.each(['stateId', 'severityId', 'tenantId'])(
  'orders equal rows of a list by %s as those of an unsorted list, or all the other way',
  async (column) => {
    const listed = async (direction: string) => {
      const path = `/v1/workUnits?$top=1000&$orderby=${column} ${direction}`;
      return ids((await world.call(all(), 'GET', encodeURI(path))).body);
    };
    const keys = column === 'severityId' ? 'severityId,created desc' : `${column},severityId,created desc`;
    const byAllKeys = ids((await world.call(all(), 'GET', encodeURI(`/v1/workUnits?$top=1000&$orderby=${keys}`))).body);
    expect(await listed('asc')).toEqual(byAllKeys);
    expect(await listed('desc')).toEqual(byAllKeys.toReversed());
  },
);

it('has each entity of the packets once while they report, appear and go', async () => {
  const entities = Array.from({ length: 40 }, (_, n) => `00000000-0000-4000-8000-${String(n * 1_000).padStart(12, '0')}`);
  const report = (entityIds: readonly string[]) =>
    world.system.db.query({
      text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
        select id, $2, clock_timestamp(), clock_timestamp(), gen_random_uuid(), '{}' from (select distinct unnest($1::uuid[]) as id) named
        on conflict (entity_id) do update set timestamp = excluded.timestamp, received_timestamp = excluded.received_timestamp, packet_id = excluded.packet_id`,
      values: [entityIds, one],
    });
  for (const id of entities) await report([id]);
  const removedEntities = entities.slice(20, 24);
  const listed = await follow<string>(
    '/v1/packets?$select=entityId,timestamp',
    async (page, before) => {
      // Simulates reports of entities that previous pages have listed, and of others.
      await report([before.at(-1) ?? '', before[0] ?? '', entities[page] ?? '', entities[30] ?? '']);
      await report([`00000000-0000-4000-8000-0000000${String((page % 10) * 7_000 + 500).padStart(5, '0')}`]);
      await world.system.db.query({ text: 'delete from latest_packet where entity_id = $1', values: [removedEntities[page - 1]] });
    },
    'entityId',
  );
  expect(new Set(listed).size).toBe(listed.length);
  expect(entities.filter((id) => !removedEntities.includes(id) && !listed.includes(id))).toEqual([]);
});

it('lists texts in the order of the language, as groups too', async () => {
  const { body } = await world.call(all(), 'GET', '/v1/workUnits?$apply=groupby((assignedTo))&$orderby=assignedTo');
  const sorted = [null, 'ana@example.com', 'Ana@example.com', 'änne@example.com', 'Bob@example.com', 'zoe@example.com'];
  expect(body['value']).toEqual(sorted.map((assignedTo) => ({ assignedTo })));
  const listed = await world.call(all(), 'GET', '/v1/workUnits?$orderby=assignedTo&$select=assignedTo&$top=1000');
  expect([...new Set((listed.body['value'] as { assignedTo: string | null }[]).map((row) => row.assignedTo))]).toEqual(sorted);
});

it.each([
  ['devices', ['srv1', 'srv2', 'srv10', 'Srv11', 'srv100']],
  ['devices', ['10.0.0.9', '10.0.0.10', '10.0.0.100', '10.0.1.1', '192.168.0.1']],
  ['devices', ['Gi1/0/2', 'Gi1/0/10', 'Gi1/1/1', 'Gi2/0/1', 'Gi10/0/1']],
  ['locations', ['Floor 2', 'Floor 10', '\u00d6rtlich 3', 'Ortlich 20']],
])('lists names of %s naturally, page by page and back: %j', async (set, names) => {
  const { tenantId, subscriptionId } = await world.tenant();
  for (const name of names.toSorted())
    await world.call(all(), 'PUT', `/v1/${set}`, { name, tenantId, ...(set === 'devices' ? { subscriptionId } : {}) });
  for (const direction of ['asc', 'desc']) {
    const listed: unknown[] = [];
    let next: string | undefined = `/v1/${set}?$filter=tenantId eq ${tenantId}&$orderby=name ${direction}&$select=name`;
    while (next !== undefined) {
      const { body }: { body: Record<string, unknown> } = await world.call(holder([tenantId]), 'GET', next, undefined, {
        prefer: 'odata.maxpagesize=2',
      });
      listed.push(...(body['value'] as { name: string }[]).map(({ name }) => name));
      next = body['@odata.nextLink'] === undefined ? undefined : String(body['@odata.nextLink']).replace(/^https?:\/\/[^/]+/, '');
    }
    expect(listed).toEqual(direction === 'asc' ? names : names.toReversed());
  }
  expect(names.toSorted(compareNames)).toEqual(names);
});

it('refuses a token that another order of texts has made', async () => {
  const token = Buffer.from(JSON.stringify(['x', ['a', '1']])).toString('base64url');
  expect((await world.call(all(), 'GET', `/v1/workUnits?$orderby=title&$skiptoken=${token}`)).status).toBe(400);
});

describe('the count of work units', () => {
  const count = async (tenants: readonly string[] | 'all', filter?: string): Promise<number> => {
    const condition = filter === undefined ? '' : `&$filter=${encodeURIComponent(filter)}`;
    const { body } = await world.call(holder(tenants), 'GET', `/v1/workUnits?$count=true&$top=0${condition}`);
    return Number(body['@odata.count']);
  };
  const counted = async (where = 'true'): Promise<number> => {
    const [row] = await world.system.db.query<{ count: number }>({ text: `select count(*)::int as count from work_unit where ${where}` });
    return row?.count ?? -1;
  };
  const agrees = async (): Promise<void> => {
    expect([await count('all'), await count([two])]).toEqual([await counted(), await counted(`tenant_id = '${two}'`)]);
    expect(await count('all', "stateId eq 'Closed'")).toBe(await counted(`state_id = 'Closed'`));
    expect(await count('all', `tenantId eq ${one} and stateId in ('New','Closed')`)).toBe(
      await counted(`tenant_id = '${one}' and state_id in ('New','Closed')`),
    );
    expect(await count([one], `not (stateId eq 'New')`)).toBe(await counted(`tenant_id = '${one}' and state_id <> 'New'`));
    expect(await count('all', "title eq 'Pump 1'")).toBe(await counted(`title = 'Pump 1'`));
  };

  it('is exact after rows are inserted, changed, moved and deleted, and after the kept counts are added up', async () => {
    const { db } = world.system;
    await agrees();
    await db.query({ text: `update work_unit set state_id = 'Resolved' where title = 'Pump 2'` });
    await agrees();
    await db.query({ text: `update work_unit set tenant_id = $1 where title = 'Pump 3'`, values: [two] });
    await agrees();
    await db.query({ text: `delete from work_unit where title = 'Pump 4'` });
    await agrees();
    for (let n = 0; n < 30; n++) await addUnits(one, 1);
    await db
      .transaction(async (tx) => {
        await addUnits(two, 1);
        await tx.query({
          text: `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, created_by, modified_by) values ($1, 'No', 'Sev1', 1, 'a', 'a')`,
          values: [one],
        });
        throw new Error('undone');
      })
      .catch(() => undefined);
    await agrees();
    const rows = async (): Promise<number> => (await db.query({ text: 'select from rows_of_work_unit' })).length;
    const before = await rows();
    await addUpCountsWork.run(db);
    expect(await rows()).toBeLessThan(before - 20);
    await agrees();
  });

  it('is mended where kept counts are wrong, exactly beside writers and by two processes at once', async () => {
    const { db } = world.system;
    // What an earlier restore did: each unit was counted twice.
    await db.query({ text: 'insert into rows_of_work_unit select tenant_id, state_id, sum(rows) from rows_of_work_unit group by 1, 2' });
    await db.query({ text: "insert into rows_of_work_unit (tenant_id, state_id, rows) values ($1, 'Gone', 5)", values: [one] });
    await expect(agrees()).rejects.toThrow('expected');
    const check = checkCountsWork(world.database, pino({ level: 'silent' }));
    const writing = (async () => {
      for (let n = 0; n < 20; n++) await addUnits(one, 1);
    })();
    await Promise.all([check.run(db), check.run(db), writing, addUpCountsWork.run(db)]);
    await agrees();
    const [removed] = await db.query<{ rows: number }>({
      text: "select coalesce(sum(rows), 0)::int as rows from rows_of_work_unit where state_id = 'Gone'",
    });
    expect(removed?.rows).toBe(0);
  });

  it('stops above the number of which a client asks no more', async () => {
    const path = `/v1/workUnits?$top=1&$count=true&$filter=${encodeURIComponent("contains(title,'Pump')")}`;
    const exact = Number((await world.call(all(), 'GET', path)).body['@odata.count']);
    expect(exact).toBeGreaterThan(50);
    expect((await world.call(all(), 'GET', `${path}&countUpTo=20`)).body['@odata.count']).toBe(21);
    expect((await world.call(all(), 'GET', `${path}&countUpTo=1000`)).body['@odata.count']).toBe(exact);
  });
});
