/** The page of the API description: served completely from this address, with a strict content security policy. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('serves the page and all that it asks for', async () => {
  const page = await world.app.inject({ url: '/docs' });
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const assets = [...page.payload.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(assets).toHaveLength(4);
  for (const url of assets) {
    const plain = await world.app.inject({ url });
    expect([url, plain.statusCode, plain.payload.length > 100]).toEqual([url, 200, true]);
    const zipped = await world.app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
    expect([zipped.headers['content-encoding'], zipped.rawPayload.length < plain.rawPayload.length]).toEqual(['br', true]);
    expect((await world.app.inject({ url, headers: { 'if-none-match': String(plain.headers['etag']) } })).statusCode).toBe(304);
  }
});

it('allows no inline script or style and no other address', async () => {
  const { headers, payload } = await world.app.inject({ url: '/docs' });
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(payload).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|https?:\/\//);
});
