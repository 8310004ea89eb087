/** `POST /v1/eventSubscriptions/{id}/calls`: trackers and chats call back. Their signature is over the bytes, so these are taken as they come. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { takeCall, type ServiceIntake } from '../../intake/services/take-call.ts';
import { createBuckets, usualRates } from '../rate-limit.ts';

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const none = '00000000-0000-0000-0000-000000000000';

export function mountServiceCalls(app: FastifyInstance, intake: ServiceIntake): void {
  const takeFromBucket = createBuckets(usualRates);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id } = request.params as { id: string };
    const { headers, body, log, ip, url } = request;
    const call = {
      header: (name: string) => String(headers[name] ?? ''),
      bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      query: new URLSearchParams(url.split('?')[1] ?? ''),
      at: new Date(),
    };
    try {
      const answered = await takeCall(intake, guid.test(id) ? id.toLowerCase() : none, call, {
        log: log as Logger,
        correlationId: request.id,
        admit: () => takeFromBucket({ actor: { kind: 'token', id, name: 'service', scopes: [] }, address: ip }),
      });
      return reply.header('cache-control', 'no-store').send(answered);
    } catch (error) {
      // Who guesses is slowed down like others who have not signed in.
      if (error instanceof ApiError && error.status === 401)
        takeFromBucket({ actor: { kind: 'system', id: null, name: 'anonymous' }, address: ip });
      throw error;
    }
  }

  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.route({
      method: 'POST',
      url: '/v1/eventSubscriptions/:id/calls',
      config: { measuredAs: '/v1/eventSubscriptions' },
      bodyLimit: limits.bodyBytes,
      handler: answer,
    });
    ready();
  });
}
