/**
 * `POST /v1/mailboxes/{id}/mail`: a mail server hands over a mail (message/rfc822) with the token of the mailbox. What it answers says
 * what became of the mail; 2xx means that it is stored and need not be sent again.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { mailboxTokenPrefix, mailBytes } from '@cloudfit/contract/mail/mailboxes.ts';
import { hashIntegrationToken, isWellFormedIntegrationToken } from '../../auth/integration-token.ts';
import type { Database } from '../../db/connection.ts';
import { mailboxCtx, readMailbox, type OpenMailbox } from '../../intake/mail/mailbox.ts';
import type { MailTaker } from '../../intake/mail/take-mail.ts';
import { createBuckets, usualRates } from '../rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The mailbox to which a mail is handed over. */
    mailbox?: OpenMailbox;
  }
}

export interface MailIntakeOptions {
  database: Database;
  taker: MailTaker;
}

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const bearer = /^Bearer +(\S+)$/i;
const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/** As a bearer token, or as the password of basic authentication, which is all that some programs can send. */
export function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const [, encoded] = basic.exec(authorization) ?? [];
  if (encoded !== undefined)
    return Buffer.from(encoded, 'base64')
      .toString()
      .replace(/^[^:]*:/s, '');
  return bearer.exec(authorization)?.[1];
}

function requireMailbox(box: OpenMailbox | undefined, token: string | undefined): OpenMailbox {
  if (token === undefined) throw new ApiError('Unauthorized', 'Send the token of the mailbox as a bearer token.');
  if (!isWellFormedIntegrationToken(token, mailboxTokenPrefix))
    throw new ApiError('Unauthorized', 'This is not a complete token of a mailbox: please check that it was copied whole.');
  // The same answer for an unknown mailbox, so that nobody learns which there are.
  if (!box || !timingSafeEqual(box.tokenHash, hashIntegrationToken(token)))
    throw new ApiError('Unauthorized', 'This address and token do not belong together. Copy both from the page Mailboxes.');
  if (!box.tenantEnabled) throw new ApiError('Forbidden', 'The tenant of this mailbox is disabled.');
  if (!box.enabled) throw new ApiError('Forbidden', 'This mailbox is disabled. Enable it on the page Mailboxes.');
  return box;
}

/** The line `From ...` that pipes of some mail servers put above the mail is none of its headers. */
function withoutEnvelope(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\n');
  return bytes.subarray(0, 5).toString() === 'From ' && end > 0 ? bytes.subarray(end + 1) : bytes;
}

const mailType = /^message\/(?:rfc822|global)\s*(?:;|$)/i;

export function mountMailIntake(app: FastifyInstance, { database, taker }: MailIntakeOptions): void {
  const takeFromBucket = createBuckets(usualRates);

  async function admit(request: FastifyRequest): Promise<void> {
    const { id } = request.params as { id: string };
    try {
      const box = guid.test(id) ? await readMailbox(database.scoped('all'), id) : undefined;
      request.mailbox = requireMailbox(box, tokenOf(request));
    } catch (error) {
      // Who guesses is slowed down like others who have not signed in.
      takeFromBucket({ actor: { kind: 'system', id: null, name: 'anonymous' }, address: request.ip });
      throw error;
    }
    const { mailboxId, name } = request.mailbox;
    takeFromBucket({ actor: { kind: 'token', id: mailboxId, name, scopes: [] }, address: request.ip });
    if (!mailType.test(request.headers['content-type'] ?? ''))
      throw new ApiError('UnsupportedMediaType', 'Send the mail as it is, with the content type message/rfc822.');
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { mailbox, body, log, id, ip } = request;
    const bytes = withoutEnvelope(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    if (!mailbox) throw new ApiError('Unauthorized', 'Send the token of the mailbox as a bearer token.');
    if (bytes.length === 0) throw new ApiError('InvalidBody', 'The body has no mail. Send its headers and its text.');
    const ctx = mailboxCtx(database, mailbox, { log: log as Logger, correlationId: id, address: ip });
    const result = await taker.take(ctx, mailbox, { bytes, size: bytes.length });
    return reply
      .code(result.duplicate ? 200 : 201)
      .header('cache-control', 'no-store')
      .send(result);
  }

  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.route({
      method: 'POST',
      url: '/v1/mailboxes/:id/mail',
      config: { measuredAs: '/v1/mailboxes' },
      bodyLimit: mailBytes,
      onRequest: admit,
      handler: answer,
    });
    ready();
  });
}
