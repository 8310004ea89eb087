/** The security headers of every answer, from helmet; they are constant, so they are computed once. */
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import helmet from 'helmet';

/** Returns the headers for answers other than pages; the portal and other pages set their own content security policy. */
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
  // Pages of the product use none of these.
  answer.setHeader('permissions-policy', 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()');
  return answer.getHeaders();
}

export function protectAnswers(app: FastifyInstance, publicUrl: string): void {
  const headers = securityHeaders(publicUrl.startsWith('https:'));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

const headerNames = Object.keys(securityHeaders(true));

/** Removes the security headers, which only browsers read, from an answer without a body to a program that polls. */
export function leaveUnprotected(reply: FastifyReply): FastifyReply {
  for (const name of headerNames) reply.removeHeader(name);
  return reply;
}

/** Headers that browsers read only on pages and frames. Without them, the answer for a script is half a kilobyte smaller. */
const pageHeaders = headerNames.filter(
  (name) => !['x-content-type-options', 'cross-origin-resource-policy', 'strict-transport-security'].includes(name.toLowerCase()),
);

/** Removes headers that a browser ignores on an answer that is not a page: scripts, styles and fonts. */
export function leavePageHeaders(reply: FastifyReply): void {
  for (const name of pageHeaders) reply.removeHeader(name);
}

/** Takes a response over from the framework, with the headers that were set so far. */
export function takeOver(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
}
