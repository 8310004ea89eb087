/** Calls of pages of other addresses: none by default, those of the setting otherwise, never with credentials. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

const page = 'https://board.example.com';
const other = 'https://other.example.com';
const allowsOrigin = 'access-control-allow-origin';

function preflight(world: TestWorld, origin: string, url = '/v1/workUnits') {
  const headers = { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization,if-match' };
  return world.app.inject({ method: 'OPTIONS', url, headers });
}

describe.each([
  ['by default', [], []],
  ['with a listed origin', [page], [page]],
  ['with every origin', ['*'], [page, other]],
] as const)('%s', (_name, corsOrigins, allowed) => {
  let world: TestWorld;
  let me: TestCaller;
  beforeAll(async () => {
    world = await createWorld({ corsOrigins });
    me = holder([(await world.tenant()).tenantId]);
  });
  afterAll(() => world.close());

  it('answers the preflight of allowed origins only, without a sign-in', async () => {
    for (const origin of [page, other]) {
      const isAllowed = (allowed as readonly string[]).includes(origin);
      for (const url of ['/v1/workUnits', '/v1/workUnits(5)/notes', '/v1/$batch', '/v1/openapi.json', '/api/version']) {
        const answer = await preflight(world, origin, url);
        const star = (corsOrigins as readonly string[]).includes('*') ? '*' : origin;
        expect([url, answer.headers[allowsOrigin]]).toEqual([url, isAllowed ? star : undefined]);
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
        if (!isAllowed) continue;
        expect([url, answer.statusCode]).toEqual([url, 204]);
        expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
        expect(answer.headers['access-control-allow-headers']).toContain('If-Match');
      }
    }
  });

  it('lets allowed origins read answers and refusals with their headers, and says that answers differ', async () => {
    for (const [caller, status] of [
      [me, 200],
      [null, 401],
    ] as const)
      for (const origin of [page, other]) {
        const { status: answered, headers } = await world.call(caller, 'GET', '/v1/workUnits', undefined, { origin });
        expect(answered).toBe(status);
        expect(headers[allowsOrigin] !== undefined).toBe((allowed as readonly string[]).includes(origin));
        expect(headers['access-control-allow-credentials']).toBeUndefined();
        if (headers[allowsOrigin] !== undefined) expect(headers['access-control-expose-headers']).toContain('Retry-After');
        expect(/\borigin\b/i.test(String(headers['vary']))).toBe((corsOrigins as readonly string[]).includes(page));
      }
  });
});
