import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { protectAnswers, takeOver } from './security-headers.ts';
import { mountPortal } from './static.ts';

it.each([
  ['https://cloudfit.example', 'max-age=31536000; includeSubDomains'],
  ['http://localhost:8080', undefined],
])('protects answers at %s, also those that leave the framework, and lets a page set its own policy', async (publicUrl, transport) => {
  const app = Fastify();
  protectAnswers(app, publicUrl);
  app.get('/plain', () => 'x');
  app.get('/page', (_request, reply) => reply.header('content-security-policy', "default-src 'self'").send('x'));
  app.get('/stream', (_request, reply) => {
    takeOver(reply);
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).end();
  });
  const policies = ["default-src 'none';frame-ancestors 'none'", "default-src 'self'", "default-src 'none';frame-ancestors 'none'"];
  const answers = await Promise.all(['/plain', '/page', '/stream'].map((url) => app.inject({ url })));
  expect(answers.map(({ headers }) => headers['content-security-policy'])).toEqual(policies);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    });
    expect(headers['strict-transport-security']).toBe(transport);
  }
  await app.close();
});

it('sends with code and styles of the portal only what a browser reads there, and a policy with pages and images', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  await mkdir(join(folder, 'assets'));
  await Promise.all(
    ['assets/first-1.js', 'assets/first-1.css', 'favicon.svg', 'index.html'].map((name) => writeFile(join(folder, name), 'x')),
  );
  const app = Fastify();
  protectAnswers(app, 'https://cloudfit.example');
  await mountPortal(app, { folder, authority: 'https://cloudfit.example' });
  for (const url of ['/assets/first-1.js', '/assets/first-1.css']) {
    const { statusCode, headers } = await app.inject({ url });
    expect([statusCode, headers['x-content-type-options'], headers['cross-origin-resource-policy']]).toEqual([
      200,
      'nosniff',
      'same-origin',
    ]);
    expect(headers['strict-transport-security']).toContain('max-age');
    for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy', 'permissions-policy'])
      expect(headers[name]).toBeUndefined();
  }
  for (const url of ['/', '/favicon.svg']) {
    const { headers } = await app.inject({ url });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['permissions-policy']).toContain('camera=()');
  }
  await app.close();
  await rm(folder, { recursive: true });
});
