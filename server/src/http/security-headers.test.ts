import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { protectAnswers, takeOver } from './security-headers.ts';

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
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['strict-transport-security']).toBe(transport);
  }
  await app.close();
});
