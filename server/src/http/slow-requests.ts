/** Ends requests whose body does not come: files may take their time, everything else may not. */
import type { FastifyInstance } from 'fastify';
import { clientErrorHandler } from './errors.ts';

/** Milliseconds; `files` is also the server's own limit for a whole request. */
export const requestTimeouts = { headers: 30_000, body: 30_000, files: 900_000 } as const;

const isOfFiles = /^multipart\//i;

/** 408 for a body that has not come whole after `patienceMs`. */
export function endSlowRequests(app: FastifyInstance, patienceMs: number): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    // A request that tests hand in without a connection does not know whether it is complete.
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
