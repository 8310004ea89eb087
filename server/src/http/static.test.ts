import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { protectAnswers } from './security-headers.ts';
import { mountPortal } from './static.ts';

const opened = vi.fn<() => void>();
let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-'));
  await mkdir(join(folder, 'assets'));
  const texts = { 'assets/first-1.js': 'code', 'assets/first-1.js.br': 'brotli', 'assets/first-1.js.gz': 'gzip', 'favicon.svg': 'icon' };
  const pages = {
    'index.html': 'the page',
    'silent.html': 'nothing',
    'index.de.html': 'die Seite',
    'silent.de.html': 'nichts',
  };
  for (const [name, text] of Object.entries({ ...texts, ...pages })) await writeFile(join(folder, name), text);
  app = Fastify();
  protectAnswers(app, 'https://cloudfit.example');
  await mountPortal(app, { folder, authority: 'https://cloudfit.example', opened });
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

it('finds all assets by one route, so that their number does not slow down the start', async () => {
  expect(app.hasRoute({ method: 'GET', url: '/assets/*' })).toBe(true);
  expect(app.hasRoute({ method: 'GET', url: '/assets/first-1.js' })).toBe(false);
  const plain = await app.inject({ url: '/assets/first-1.js' });
  expect([plain.statusCode, plain.body, plain.headers['content-encoding']]).toEqual([200, 'code', undefined]);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const compressed = await app.inject({ url: '/assets/first-1.js', headers: { 'accept-encoding': 'br, gzip' } });
  expect([compressed.body, compressed.headers['content-encoding']]).toEqual(['brotli', 'br']);
});

it('answers 404 for an asset that is not there, and gives no file outside their folder', async () => {
  const statusOf = async (url: string) => (await app.inject({ url, headers: { accept: 'text/javascript' } })).statusCode;
  expect(await statusOf('/assets/none.js')).toBe(404);
  // Who looks for a file that is not there gets no page in its place.
  for (const url of ['/favicon.ico', '/.env', '/.well-known/security.txt', '/x.php?a=b', '/.git/config'])
    expect(await statusOf(url), url).toBe(404);
  for (const url of ['/a/devices', '/workunitsv2?search=a.b']) expect(await statusOf(url), url).toBe(200);
  for (const url of ['/assets/', '/assets/..%2findex.html']) expect([403, 404]).toContain(await statusOf(url));
});

it('answers 404 for a file that is not there, instead of a page that says so with 200', async () => {
  const answer = async (url: string) => (await app.inject({ url, headers: { accept: 'text/html, */*' } })).statusCode;
  for (const url of ['/robots.txt', '/favicon.ico?v=2', '/sitemap.xml', '/wp-login.php', '/.env', '/.well-known/security.txt'])
    expect([url, await answer(url)]).toEqual([url, 404]);
  for (const url of ['/locations?id=a.txt', '/v1.2-notes', '/knowledge/install.sh-on-debian'])
    expect([url, await answer(url)]).toEqual([url, 200]);
  opened.mockClear();
});

it('reports a page that a browser opens, by which a sign-in is prepared, and no file or call', async () => {
  for (const url of ['/favicon.svg', '/assets/first-1.js', '/user/silent', '/v1/nothing']) await app.inject({ url });
  expect(opened).not.toHaveBeenCalled();
  for (const url of ['/', '/workunitsv2']) expect((await app.inject({ url })).body).toBe('the page');
  expect(opened).toHaveBeenCalledTimes(2);
});

it('answers the page in the language that was chosen, else accepted, else in English, and says on what it depends', async () => {
  const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
  const pageFor = async (headers: Record<string, string>, url = '/') => {
    const { body, headers: answered } = await app.inject({ url, headers });
    return [body, answered['content-language'], answered['vary'], answered['cache-control']];
  };
  const headers = ['accept-language, cookie', 'no-store'];
  expect(await pageFor({})).toEqual(['the page', 'en', ...headers]);
  expect(await pageFor(german)).toEqual(['die Seite', 'de', ...headers]);
  expect(await pageFor({ 'accept-language': 'fr' })).toEqual(['the page', 'en', ...headers]);
  expect(await pageFor({ ...german, cookie: 'a=b; cloudfit-language=en' }, '/workunitsv2')).toEqual(['the page', 'en', ...headers]);
  expect(await pageFor({ cookie: 'cloudfit-language=de' }, '/user/silent')).toEqual(['nichts', 'de', ...headers]);
  expect(await pageFor({ cookie: 'cloudfit-language=xx', ...german })).toEqual(['die Seite', 'de', ...headers]);
});
