/** The stream of changes: what its reader may see, in order, resumed without a gap. */
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { createAnnouncer } from '../ingest/announce.ts';
import { createChangeFeed, type ChangeFeed } from './change-feed.ts';
import { liveCall } from './live.ts';
import { rawRoutes } from './raw-calls.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { unusedWatch } from '../testing/unused-watch.ts';

let world: TestWorld;
let isRefused = false;
let accessChanged: () => void = () => undefined;
let feed: ChangeFeed;
let database: Database;
/** The number of times that the feed has read the table of changes. */
let reads = 0;

beforeAll(async () => {
  let opened: ChangeFeed | undefined;
  const lazy: ChangeFeed = {
    subscribe: (listener) => need().subscribe(listener),
    position: () => need().position(),
    since: (position, limit) => need().since(position, limit),
    recent: (seconds, limit) => need().recent(seconds, limit),
    close: () => need().close(),
  };
  const need = (): ChangeFeed => {
    if (!opened) throw new Error('The feed is not open.');
    return opened;
  };
  const unused = () => Promise.reject(new Error('Not called here.'));
  const raw = rawRoutes({
    ingest: unused,
    watch: unusedWatch,
    stream: liveCall(lazy, {
      authenticate: (credentials) =>
        isRefused ? Promise.reject(new ApiError('Forbidden', 'Your tenants are disabled.')) : world.authenticator.authenticate(credentials),
      onChange: (listener) => {
        accessChanged = listener;
        return () => undefined;
      },
    }).call,
    files: {} as never,
    signIn: unused,
  });
  world = await createWorld({ rawRoutes: raw });
  database = openDatabase({ url: world.url, max: 2, onError: () => undefined });
  const counting: Database['scoped'] = (tenants) => {
    const db = database.scoped(tenants);
    const query = new Proxy(db.query, {
      apply: async (target, self, args) => {
        const rows = await Reflect.apply(target, self, args);
        if (args[0]?.name === 'change-feed') reads += 1;
        return rows;
      },
    });
    return { ...db, query };
  };
  feed = opened = await createChangeFeed({ ...database, scoped: counting }, pino({ level: 'silent' }));
});
afterAll(async () => {
  await feed.close();
  await database.close();
  await world.close();
});

interface Event {
  id: string;
  data: { entity: string; id: string; verb: string; tenantId: string | null };
}

const mark = async (tenantId: string, id: string): Promise<void> => {
  await world.system.db.query({
    text: "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'update', 'devices', $2, uuidv7())",
    values: [tenantId, id],
  });
};

/** Reads the stream while `during` runs, until the last change, which this function makes, has arrived. */
async function read(
  tenantId: string,
  caller: TestCaller,
  during: () => Promise<unknown>,
  { headers = {}, path = '/v1/changes', entity = '' }: { headers?: Record<string, string>; path?: string; entity?: string } = {},
): Promise<Event[]> {
  const stream = await world.stream(caller, path, headers);
  await during();
  await expect.poll(() => stream.text()).toContain(entity);
  const last = crypto.randomUUID();
  await mark(tenantId, last);
  await expect.poll(() => stream.text()).toContain(last);
  await stream.stop();
  const events = [...stream.text().matchAll(/(?:id: (\S+)\n)?data: (.*)\n\n/g)].map((m) => ({
    id: m[1] ?? '',
    data: JSON.parse(m[2] ?? '{}') as Event['data'],
  }));
  return events.filter((e) => e.data.id !== last);
}

it('tells changes of the own tenants in order, with ids to resume from', async () => {
  const [mine, theirs] = [await world.tenant(), await world.tenant()];
  const me = holder([mine.tenantId]);
  const add = (tenantId: string, name: string) => world.call(holder('all'), 'PUT', '/v1/locations', { name, tenantId });
  const events = await read(mine.tenantId, me, async () => {
    await add(mine.tenantId, 'First');
    await add(theirs.tenantId, 'Hidden');
    await add(mine.tenantId, 'Second');
  });
  expect(events.map((e) => e.data)).toEqual(
    [1, 2].map(() => ({ entity: 'locations', id: expect.any(String), verb: 'create', tenantId: mine.tenantId })),
  );
  const [first, second] = events;
  const resumed = await read(mine.tenantId, me, () => Promise.resolve(), { headers: { 'last-event-id': first?.id ?? '' } });
  expect(resumed.filter((e) => e.data.entity === 'locations').map((e) => e.id)).toEqual([second?.id]);
});

it('tells a page that was away for so long that changes may be deleted to reload everything', async () => {
  const { tenantId } = await world.tenant();
  const me = holder([tenantId]);
  const [first] = await read(tenantId, me, () => mark(tenantId, 'before'));
  await mark(tenantId, 'missed');
  const [xid, changeId, seconds] = first?.id.split('-') ?? [];
  const resumedAfter = async (age: number) => {
    const headers = { 'last-event-id': `${xid}-${changeId}-${Number(seconds) - age}` };
    return (await read(tenantId, me, () => Promise.resolve(), { headers })).map(({ data }) => data);
  };
  const everything = { entity: '*', id: '', verb: 'update', tenantId: null };
  const soon = await resumedAfter(0);
  expect(soon).toContainEqual(expect.objectContaining({ entity: 'devices', id: 'missed' }));
  expect(soon).not.toContainEqual(everything);
  // The feed may tell a new reader a few earlier changes too.
  expect(await resumedAfter(3_600)).toContainEqual(everything);
});

it('tells a page without events its present position, from which it resumes', async () => {
  const { tenantId } = await world.tenant();
  const me = holder([tenantId]);
  const stream = await world.stream(me, '/v1/changes');
  const positions = () => [...stream.text().matchAll(/^id: (\S+)\n\n/gm)].map(([, id = '']) => id);
  await expect.poll(positions).toHaveLength(1);
  await stream.stop();
  await mark(tenantId, 'missed');
  const [position = ''] = positions();
  const resumed = await read(tenantId, me, () => Promise.resolve(), { headers: { 'last-event-id': position } });
  expect(resumed.map(({ data }) => data.id)).toContain('missed');
  expect(resumed.map(({ data }) => data.entity)).not.toContain('*');
});

it('begins with what changed while the page loaded, and tells a page that loaded for too long to reload everything', async () => {
  const { tenantId } = await world.tenant();
  const me = holder([tenantId]);
  const mine = async (seconds: number) => (await feed.recent(seconds, 500))?.filter((row) => row.tenantId === tenantId);
  await world.call(me, 'PUT', '/v1/locations', { name: 'Earlier', tenantId });
  await expect.poll(() => mine(1)).toEqual([]);
  const begin = performance.now();
  const sinceBegin = () => (performance.now() - begin) / 1_000;
  await world.call(me, 'PUT', '/v1/locations', { name: 'New', tenantId });
  await expect.poll(() => mine(sinceBegin())).toContainEqual(expect.objectContaining({ entity: 'locations', verb: 'create', tenantId }));
  expect(await feed.recent(sinceBegin(), 0)).toBe(null);
  const eventsOf = async (path: string) => (await read(tenantId, me, () => Promise.resolve(), { path })).map(({ data }) => data);
  expect(await eventsOf(`/v1/changes?seconds=${Math.ceil(sinceBegin())}`)).toContainEqual({
    entity: 'locations',
    id: expect.any(String),
    verb: 'create',
    tenantId,
  });
  expect(await eventsOf('/v1/changes?seconds=7200')).toContainEqual({ entity: '*', id: '', verb: 'update', tenantId: null });
  expect((await world.call(me, 'GET', '/v1/changes?seconds=soon')).status).toBe(400);
});

it('is silent about areas that the reader may not view', async () => {
  const { tenantId } = await world.tenant();
  const events = await read(tenantId, holder([tenantId], ['CloudFit.CFS.Devices:view']), () =>
    world.call(holder([tenantId]), 'PUT', '/v1/locations', { name: 'Unseen', tenantId }),
  );
  expect(events).toEqual([]);
});

it('tells a page to reload everything when its reader has other permissions, and not otherwise', async () => {
  const [one, two] = [await world.tenant(), await world.tenant()];
  const me = { ...holder([one.tenantId, two.tenantId]) };
  const everything = { entity: '*', id: '', verb: 'update', tenantId: null };
  const unchanged = await read(one.tenantId, me, () => Promise.resolve(accessChanged()));
  expect(unchanged.map((e) => e.data)).not.toContainEqual(everything);
  const events = await read(
    one.tenantId,
    me,
    () => {
      Object.assign(me, holder([one.tenantId]));
      accessChanged();
      return Promise.resolve();
    },
    { entity: '"*"' },
  );
  expect(events.map((e) => e.data)).toContainEqual(everything);
  // Whose only tenant is disabled gets no stream any more; the page learns why by its next calls.
  const stream = await world.stream(me, '/v1/changes');
  isRefused = true;
  // A change of people and one of tokens come together.
  accessChanged();
  accessChanged();
  await expect.poll(() => stream.text()).toContain(JSON.stringify(everything));
  isRefused = false;
  await stream.stop();
});

it('does not overtake a transaction that commits late', async () => {
  const { tenantId } = await world.tenant();
  const me = holder([tenantId]);
  const events = await read(tenantId, me, async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const late = world.system.db.transaction(async (db) => {
      await db.query({
        text: "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'update', 'locations', 'late', uuidv7())",
        values: [tenantId],
      });
      await released;
    });
    await world.system.db.query({
      text: "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'update', 'locations', 'early', uuidv7())",
      values: [tenantId],
    });
    // The second read from now begins after the commit above.
    const before = reads;
    await expect.poll(() => reads).toBeGreaterThan(before + 1);
    release();
    await late;
  });
  expect(events.map((e) => e.data.id).toSorted()).toEqual(['early', 'late']);
});

it('tells that packets of a tenant came, to that tenant alone', async () => {
  const [mine, theirs] = [await world.tenant(), await world.tenant()];
  const announcer = createAnnouncer(database, pino({ level: 'silent' }));
  const events = await read(
    mine.tenantId,
    holder([mine.tenantId]),
    () => {
      announcer.packetsStored([theirs.tenantId, mine.tenantId]);
      announcer.packetsStored([mine.tenantId]);
      return Promise.resolve();
    },
    { entity: 'packets' },
  );
  announcer.stop();
  expect(events.map((e) => e.data)).toEqual([{ entity: 'packets', id: '', verb: 'update', tenantId: mine.tenantId }]);
});

it('tells people of one tenant that rows of many have changed, without saying which', async () => {
  const [mine, theirs] = [await world.tenant(), await world.tenant()];
  const everywhere = holder('all');
  const { body } = await world.call(everywhere, 'PUT', '/v1/tenantGroups', { name: crypto.randomUUID(), tenantIds: [theirs.tenantId] });
  const conditions = [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }];
  const add = async (more: object): Promise<string> => {
    const rule = { name: crypto.randomUUID(), ruleTypeId: 1, tenantId: null, conditions, ...more };
    return String((await world.call(everywhere, 'PUT', '/v1/rules', rule)).body['ruleId']);
  };
  const ids: string[] = [];
  const during = async () => {
    ids.push(await add({}), await add({ tenantGroupId: body['tenantGroupId'] }));
  };
  const eventsOf = async (caller: TestCaller) => (await read(mine.tenantId, caller, during)).filter(({ data }) => data.entity === 'rules');
  const some = { entity: 'rules', id: '', verb: 'create', tenantId: null };
  expect((await eventsOf(holder([mine.tenantId]))).map(({ data }) => data)).toEqual([some, some]);
  expect((await eventsOf(everywhere)).map(({ data }) => data.id)).toEqual(ids.slice(-2));
  expect(await eventsOf(holder([mine.tenantId], ['CloudFit.CFS.Devices:view']))).toEqual([]);
});

it('tells of people to those alone who see all of them', async () => {
  const { tenantId } = await world.tenant();
  const during = () => world.call(holder('all'), 'PUT', '/v1/people', { name: 'New', userName: `${crypto.randomUUID()}@example.com` });
  const sees = async (caller: TestCaller) => (await read(tenantId, caller, during)).some(({ data }) => data.entity === 'people');
  expect(await sees(holder([tenantId]))).toBe(false);
  expect(await sees(holder('all'))).toBe(true);
});

it('opens as many streams as somebody has pages, and none for HEAD', async () => {
  const { tenantId } = await world.tenant();
  const caller = {
    ...holder([tenantId]),
    actor: { kind: 'person', id: crypto.randomUUID(), name: 'Many', userName: 'many@example.com' } as const,
  };
  const open = await Promise.all(Array.from({ length: 30 }, () => world.stream(caller, '/v1/changes')));
  expect((await world.call(caller, 'GET', '/v1/changes')).status).toBe(429);
  expect((await world.call(holder([tenantId]), 'HEAD', '/v1/changes')).status).toBe(405);
  await Promise.all(open.map((item) => item.stop()));
});
