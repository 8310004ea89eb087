/** Ends requests whose body arrives too slowly: uploads may take long, everything else may not. */
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
