/** What senders hear while nothing can be stored: the error of their own protocol, and when to come again. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { ApiError, tooManyRequests } from '@cloudfit/contract/errors.ts';
import { sourceTokenPrefix, type SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import type { Database } from '../../db/connection.ts';
import type { OpenSource } from '../../intake/open-sources.ts';
import type { SourceIntake } from '../../intake/take.ts';
import { mountIntake } from './intake.ts';

async function answered(kind: SourceKind, error: ApiError, contentType: string) {
  const { hash, token } = createIntegrationToken(sourceTokenPrefix);
  const source = { id: 's', name: 'S', kind, tenantId: 't', enabled: true, tenantEnabled: true, tokenHash: hash } as unknown as OpenSource;
  const intake = { sources: { find: () => Promise.resolve(source) }, take: () => Promise.reject(error) } as unknown as SourceIntake;
  const app = Fastify();
  mountIntake(app, { database: { scoped: () => ({}) } as unknown as Database, intake });
  const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
  const response = await app.inject({ method: 'POST', url: '/v1/intake/s/v1/metrics', headers, payload: Buffer.from([0]) });
  await app.close();
  return response;
}

it.each([
  [new ApiError('Unavailable', 'Too many wait.'), 503, 14, /^[1-9]\d*$/],
  [tooManyRequests('Too many at once.', 7), 429, 8, /^7$/],
] as const)('answers %s as OTLP says, with the time to come again', async (error, status, code, after) => {
  const proto = await answered('OpenTelemetry', error, 'application/x-protobuf');
  expect([proto.statusCode, proto.headers['content-type']]).toEqual([status, 'application/x-protobuf']);
  expect(proto.headers['retry-after']).toMatch(after);
  const reader = new BinaryReader(proto.rawPayload);
  reader.tag();
  expect(reader.int32()).toBe(code);
  reader.tag();
  expect(reader.string()).toBe(error.message);
  const json = await answered('OpenTelemetry', error, 'application/json');
  expect([json.statusCode, json.json()]).toEqual([status, { code, message: error.message }]);
  const prometheus = await answered('RemoteWrite', error, 'application/x-protobuf');
  expect([prometheus.statusCode, prometheus.payload]).toEqual([status, error.message]);
  expect(prometheus.headers['retry-after']).toMatch(after);
});
