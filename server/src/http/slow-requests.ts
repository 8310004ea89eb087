/** Requests whose body arrives too slowly, which end (uploads may take long, everything else may not), or is too large. */
import type { FastifyInstance } from 'fastify';
import { clientErrorHandler } from './errors.ts';

/** Milliseconds; `files` is also the server's limit for a whole request. */
export const requestTimeouts = { headers: 30_000, body: 30_000, files: 900_000 } as const;

const isOfFiles = /^multipart\//i;

/** Answers 408 to a request whose body is not complete after `patienceMs`; uploads (multipart) are exempt. */
export function endSlowRequests(app: FastifyInstance, patienceMs: number): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    // Compared with false: a request that a test injects has no `complete`.
    if (raw.complete === false && !isOfFiles.test(raw.headers['content-type'] ?? '')) {
      const timer = setTimeout(() => {
        if (!raw.complete)
          clientErrorHandler(Object.assign(new Error('The body is late.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
      }, patienceMs);
      timer.unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Lets the sender of a body that is too large read why: while it still sends, an end of the connection would reach it first. The rest is
 * thrown away as it comes, within the time of every body.
 */
export function answerLargeBodies(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === 413) reply.removeHeader('connection');
    done(null, payload);
  });
}
