/** Every route of the server: each declares who may use it, and enforces that. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access, Action } from '@cloudfit/contract/action.ts';
import { areas, isPermission, permission, permissionVerbs } from '@cloudfit/contract/permissions.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { allActions, declaredRawRoutes } from '../testing/all-actions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { routePattern } from './address.ts';

/**
 * The calls without sign-in; health has separate routes. `agentToken` authenticates by the
 * assertion in its form (RFC 7523).
 */
const anonymous = [
  'agentToken',
  'oidcClientConfig',
  'version',
  'featureEnabled',
  'accessRequest',
  'onCallCalendar',
  'readFeed',
  'readWall',
];
/** Routes outside the API: pages, health, the sign-in provider, which authenticates callers itself, and `/mcp` with the first steps of the API. */
const otherRoutes = [
  '/v1/$batch',
  '/v1/eventsubscriptions/:id|:key/calls',
  '/v1/mailboxes/:id|:key/mail',
  '/mcp',
  '/scim/v2',
  '/scim/v2/*',
  '/agent/',
  '/agent/:file',
  '*',
  '/',
  '/healthz',
  '/readyz',
  '/robots.txt',
  '/user/silent',
  '/idp/*',
  '/docs',
  '/ack/:token',
  '/ack/page.css',
  '/status',
  '/status/:address',
  '/status/:address/*',
  '/status/:address/feed.atom',
  '/status/:address/subscribe',
  '/status/confirm/:token',
  '/status/unsubscribe/:token',
  '/status/end-digests/:token',
  '/status/end-mails/:token',
  '/status/end-reports/:token',
  '/status/page.css',
];

let world: TestWorld;
let nobody: TestCaller;
const actions = allActions();

beforeAll(async () => {
  world = await createWorld({ rawRoutes: declaredRawRoutes() });
  nobody = { tenants: [(await world.tenant()).tenantId], permissions: new Map() };
});
afterAll(() => world.close());

/** Returns what is wrong with a declared access; undefined when it is valid. */
function fault(access: Access | undefined): string | undefined {
  if (access === 'anonymous' || access === 'signed-in') return undefined;
  if (typeof access !== 'object' || access === null) return 'no access is declared';
  if ('scope' in access) return ['agent', 'ingest'].includes(access.scope) ? undefined : `no scope ${String(access.scope)}`;
  if ('anyOf' in access) return access.anyOf.length > 0 && access.anyOf.every(isPermission) ? undefined : 'anyOf names no permission';
  return isPermission(permission(access.area, access.verb)) ? undefined : `no permission ${access.area}:${access.verb}`;
}

/** Returns an example address of the action. */
function addressOf({ path, name }: Action): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) => (name === 'featureEnabled' || /name/i.test(parameter) ? 'x' : '1'));
}

function call(caller: TestCaller | null, action: Action) {
  return world.call(caller, action.method, addressOf(action), action.method === 'POST' || action.method === 'PUT' ? {} : undefined);
}

/** Returns the addresses of the router, which prints them as a tree of their parts. */
function mounted(tree: string): string[] {
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^(.*?)[├└]── (\S+)( \(.*\))?/.exec(line) ?? [];
    if (!part) return [];
    parts.length = indent.length / 4;
    parts.push(part);
    return methods ? [parts.join('')] : [];
  });
}

/** Makes addresses comparable: parameters at one place may have several names. */
const shape = (url: string): string => url.toLowerCase().replaceAll(/:[^/]+/g, ':x');

describe('every route', () => {
  it('[PERM-001] says who may call it', () => {
    for (const action of actions) expect([action.name, fault(action.access)]).toEqual([action.name, undefined]);
    for (const { name, area, verbs, viewedWith = [] } of resources) {
      expect([name, areas.includes(area), verbs.length > 0, viewedWith.every(isPermission)]).toEqual([name, true, true, true]);
    }
    expect(permissionVerbs).toEqual(['create', 'edit', 'view', 'delete']);
  });

  it('is open without a sign-in only where the domain says so', () => {
    expect(actions.filter((a) => a.access === 'anonymous').filter((a) => !anonymous.includes(a.name))).toEqual([]);
  });

  it('is one of these addresses', () => {
    const routes = mounted(world.app.printRoutes({ includeHooks: false }));
    expect(routes.length).toBeGreaterThan(5);
    const ofActions = actions.flatMap(({ path }) => [routePattern(path), `${routePattern(path)}/$count`]);
    const ofResources = resources.flatMap(({ name }) => ['', '/$count', '/Export', '/:key'].map((rest) => `/v1/${name}${rest}`));
    const declared = new Set([...ofActions, ...ofResources, '/v1/*', '/api', '/api/*'].map(shape));
    const isDeclared = (url: string): boolean => declared.has(shape(url)) || url.startsWith('/docs/') || otherRoutes.includes(url);
    expect(routes.filter((url) => !isDeclared(url))).toEqual([]);
  });

  it.each(actions.filter((a) => a.access !== 'anonymous').map((a) => [`${a.method} ${a.path}`, a] as const))(
    '%s answers 401 without a sign-in, 403 without its permission',
    async (_name, action) => {
      expect((await call(null, action)).status).toBe(401);
      if (action.access !== 'signed-in') expect((await call(nobody, action)).status).toBe(403);
    },
  );

  it.each(resources.map((r) => [r.name, r] as const))(
    'of %s answers 401 without a sign-in, 403 without its permission',
    async (_name, r) => {
      const key = r.fields[r.key]?.kind === 'guid' ? crypto.randomUUID() : '1';
      const row = `/v1/${r.name}/${key}`;
      const ways: [string, string, boolean][] = [
        ['GET', `/v1/${r.name}`, r.verbs.includes('list')],
        ['GET', row, r.verbs.includes('list')],
        ['GET', `/v1/${r.name}(${key})`, r.verbs.includes('list')],
        ['PUT', `/v1/${r.name}`, r.verbs.includes('create')],
        ['POST', `/v1/${r.name}`, r.verbs.includes('create')],
        ['POST', row, r.verbs.includes('update')],
        ['PATCH', row, r.verbs.includes('update')],
        ['DELETE', row, r.verbs.includes('delete')],
      ];
      const other = holder(nobody.tenants, ['CloudFit.CFS.Resources:view']);
      for (const [method, path, offered] of ways) {
        if (!offered) continue;
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        expect([method, path, (await world.call(null, method, path, body)).status]).toEqual([method, path, 401]);
        const { status } = await world.call(other, method, path, body);
        // An invalid body is refused before the row is loaded.
        expect([method, path, [403, 404, 400].includes(status)]).toEqual([method, path, true]);
        if (method === 'GET') expect([method, path, status]).toEqual([method, path, 403]);
      }
    },
  );
});
