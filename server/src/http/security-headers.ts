/** The headers that protect every answer: helmet's, which are the same each time and so are asked for once. */
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import helmet from 'helmet';

/** Of answers that are no pages; the portal and the other pages set their own policy of what they load. */
function securityHeaders(isHttps: boolean): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const answer = new ServerResponse(request);
  const set = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: isHttps,
  });
  set(request, answer, (error) => {
    if (error) throw new Error('The security headers cannot be made.', { cause: error });
  });
  return answer.getHeaders();
}

export function protectAnswers(app: FastifyInstance, publicUrl: string): void {
  const headers = securityHeaders(publicUrl.startsWith('https:'));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Takes an answer out of the framework's hands, with the headers that it had so far. */
export function takeOver(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
}
