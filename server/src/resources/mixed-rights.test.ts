/**
 * A caller with all permissions in one tenant and few in other tenants can neither see nor change rows of the other tenants,
 * even rows that row-level security would show.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions, permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import { insertSample, sampleBody, type SubscriptionIds } from '../testing/samples.ts';
import { createWorld, type TestCaller, type WorldReply, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let mine: SubscriptionIds;
let theirs: SubscriptionIds;
let callers: TestCaller[];

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant('Mine'), await world.tenant('Theirs')];
  const [everything, little] = [new Set<string>(allPermissions), new Set<string>([viewMine])];
  callers = [
    {
      tenants: [mine.tenantId, theirs.tenantId],
      permissions: new Map([
        [mine.tenantId, everything],
        [theirs.tenantId, little],
      ]),
    },
    {
      tenants: 'all',
      permissions: new Map([
        [mine.tenantId, everything],
        ['*', little],
      ]),
    },
  ];
});
afterAll(() => world.close());

/** Sends each request as another person, so that no rate limit applies. */
const ask = (caller: TestCaller, method: string, path: string, body?: unknown): Promise<WorldReply> => {
  const actor = { kind: 'person', id: crypto.randomUUID(), name: 'Mixed', userName: 'mixed@example.com' } as const;
  return world.call({ ...caller, actor }, method, path, body);
};

const scoped = resources.flatMap((r) => (r.scope.kind === 'installation' ? [] : [[r.name, r, r.scope.field] as const]));

describe.each(scoped)('%s', (_name, r, tenantField) => {
  it('are read of the one tenant alone', async () => {
    const row = r.name === 'tenants' ? { ...theirs } : await insertSample(world, r, theirs);
    if (r.name !== 'tenants') await insertSample(world, r, mine);
    const key = String((row as Record<string, unknown>)[r.key]);
    const byKey = `${r.key} eq ${key}`;
    const paths = [
      '?$top=1000',
      `?$filter=${byKey}`,
      `?$filter=${tenantField} eq ${theirs.tenantId}`,
      `?$apply=groupby((${tenantField}))`,
      `?$apply=filter(${byKey})/groupby((${r.key}))`,
      `?$apply=groupby((${tenantField},${r.title}),aggregate($count as n))`,
      ...Object.keys(r.relations).map((name) => `?$top=1000&$expand=${name}`),
      ...Object.entries(r.relations).map(([name, { to, many }]) =>
        many ? `?$filter=${name}/any(x:x/${requireResource(to).key} ne null)` : `?$apply=groupby((${name}/${requireResource(to).title}))`,
      ),
    ];
    for (const caller of callers) {
      for (const path of paths) {
        const answer = await ask(caller, 'GET', `/v1/${r.name}${encodeURI(path)}`);
        expect([path, [200, 400, 501].includes(answer.status)]).toEqual([path, true]);
        expect([path, answer.text.includes(theirs.tenantId)]).toEqual([path, false]);
        expect([path, (answer.body.value ?? []).filter((item) => String(item[r.key]) === key)]).toEqual([path, []]);
      }
      const counted = await ask(caller, 'GET', `/v1/${r.name}/$count?${encodeURI(`$filter=${byKey}`)}`);
      expect(counted.text).toBe('0');
      for (const path of [`(${key})`, `/${key}?$select=${r.key}`])
        expect((await ask(caller, 'GET', `/v1/${r.name}${path}`)).status).toBe(404);
      // The audit stores an export's query, and this test reads the audit, so the query must not contain the tenant's id.
      const isTenant = r.name === 'tenants';
      const file = await ask(caller, 'POST', `/v1/${r.name}/Export()${isTenant ? '' : `?${encodeURI(`$filter=${byKey}`)}`}`, {});
      expect([file.status, file.text.includes(theirs.tenantId)]).toEqual([200, false]);
      if (!isTenant) expect(file.text.trim().split('\r\n')).toHaveLength(1);
    }
  });

  it('are written in the one tenant alone', async () => {
    const row = r.name === 'tenants' ? { ...theirs } : await insertSample(world, r, theirs);
    const key = (row as Record<string, unknown>)[r.key];
    const change = { [r.title]: 'Taken' };
    for (const caller of callers) {
      const call = async (method: string, path: string, body?: unknown): Promise<number> =>
        (await ask(caller, method, `/v1/${r.name}${path}`, body)).status;
      if (r.verbs.includes('update')) {
        expect(await call('POST', `/${String(key)}`, change)).toBe(404);
        expect(await call('PATCH', `(${String(key)})`, [{ op: 'replace', path: `/${r.title}`, value: 'Taken' }])).toBe(404);
        expect(await call('PATCH', '', { ids: [key], newState: change })).toBe(404);
      }
      if (r.verbs.includes('delete')) expect(await call('DELETE', `/${String(key)}`)).toBe(404);
      if (r.verbs.includes('create')) expect([400, 403]).toContain(await call('PUT', '', await sampleBody(world, r, theirs)));
    }
  });
});

const movable = resources.flatMap((r) => {
  if (r.scope.kind === 'installation' || !r.verbs.includes('update') || r.fields[r.scope.field]?.write !== 'always') return [];
  return [[r.name, r, r.scope.field] as const];
});

describe.each(movable)('%s', (_name, r, tenantField) => {
  it('do not move to a tenant of which the caller may only view them', async () => {
    const row = await insertSample(world, r, mine);
    const caller: TestCaller = {
      tenants: [mine.tenantId, theirs.tenantId],
      permissions: new Map([
        [mine.tenantId, new Set<string>(allPermissions)],
        [theirs.tenantId, new Set<string>([permission(r.area, 'view')])],
      ]),
    };
    const path = `/v1/${r.name}/${String(row[r.key])}`;
    const moved = await ask(caller, 'POST', path, { [tenantField]: theirs.tenantId });
    expect([moved.status, moved.body['error']]).toMatchObject([
      403,
      { message: `You do not have the permission ${permission(r.area, 'edit')} there.` },
    ]);
    expect((await ask(caller, 'GET', path)).body[tenantField]).toBe(mine.tenantId);
  });
});
