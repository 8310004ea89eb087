/** SCIM 2.0 at `/scim/v2`: a directory provisions its people and groups with the token of the directory. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { directoryTokenPrefix } from '@cloudfit/contract/resources/directories.ts';
import { hashIntegrationToken, isWellFormedIntegrationToken } from '../../auth/integration-token.ts';
import type { Database } from '../../db/connection.ts';
import { answerScim } from '../../features/directories/scim/answer.ts';
import type { DirectoryCall, ProvisioningDirectory } from '../../features/directories/scim/directory-call.ts';
import { scimErrorBody, ScimRefusal } from '../../features/directories/scim/scim-error.ts';
import { asApiError, sendError } from '../errors.ts';
import { tokenOf } from '../intake/mail.ts';
import { createBuckets, usualRates } from '../rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The directory that provisions people. */
    directory?: ProvisioningDirectory;
  }
}

interface ScimOptions {
  database: Database;
  publicUrl: string;
  /** The embedded provider, if people sign in by it. */
  idp?: unknown;
}

const root = '/scim/v2';
const mediaType = 'application/scim+json; charset=utf-8';
/** A group of a hundred thousand members. */
const bodyLimit = 16_777_216;
/** A directory sends one call after the other; its bucket stops a program that runs wild. */
const rates = { ...usualRates, token: { perSecond: 50, burst: 500 } };

interface DirectoryTokenRow extends ProvisioningDirectory {
  enabled: boolean;
  expired: boolean;
}

const unauthorized = (message: string) => new ApiError('Unauthorized', message);

async function directoryOf(database: Database, token: string | undefined): Promise<ProvisioningDirectory> {
  if (token === undefined) throw unauthorized('Send the token of the directory as a bearer token.');
  if (!isWellFormedIntegrationToken(token, directoryTokenPrefix))
    throw unauthorized('This is no complete token of a directory, which begins with cfsd_. Please check that it was copied whole.');
  const [row] = await database.scoped('all').query<DirectoryTokenRow>({
    name: 'directory-of-token',
    text: `select d.directory_id as "directoryId", d.name, d.prefix, d.kind, d.tell_new_people as "tellsNewPeople", d.mail_domains as "mailDomains", d.enabled,
        coalesce(d.token_expires_on <= now(), false) as expired
      from directory_secret s join directory d using (directory_id) where s.token_hash = $1`,
    values: [hashIntegrationToken(token)],
  });
  if (!row) throw unauthorized('No directory has this token. An administrator makes a new one on the page Directories.');
  if (row.expired) throw unauthorized('This token has ended. An administrator makes a new one on the page Directories.');
  if (!row.enabled) throw new ApiError('Forbidden', `The directory ${row.name} is disabled.`);
  return row;
}

function bodyOf({ body }: FastifyRequest): unknown {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  try {
    return JSON.parse(text);
  } catch {
    throw new ScimRefusal(400, 'The body is no JSON.', 'invalidSyntax');
  }
}

export function mountScim(app: FastifyInstance, { database, publicUrl, idp }: ScimOptions): void {
  const takeFromBucket = createBuckets(rates);
  const base = `${publicUrl}${root}`;

  async function admit(request: FastifyRequest): Promise<void> {
    try {
      request.directory = await directoryOf(database, tokenOf(request));
    } catch (error) {
      // Who guesses is slowed down like others who have not signed in.
      takeFromBucket({ actor: { kind: 'system', id: null, name: 'anonymous' }, address: request.ip });
      throw error;
    }
    const { directoryId: id, name } = request.directory;
    takeFromBucket({ actor: { kind: 'token', id, name, scopes: [] }, address: request.ip });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { directory, url, method, headers } = request;
    if (!directory) throw unauthorized('Send the token of the directory as a bearer token.');
    const [path = '', query = ''] = url.split('?');
    const hasPasswords = idp !== undefined;
    const call: DirectoryCall = {
      db: database.scoped('all'),
      directory,
      base,
      publicUrl,
      hasPasswords,
      correlationId: request.id,
      address: request.ip,
    };
    const {
      status,
      body,
      headers: more = {},
    } = await answerScim(call, {
      method: method === 'HEAD' ? 'GET' : method,
      path: path
        .slice(root.length)
        .split('/')
        .filter((part) => part !== '')
        .map(decoded),
      query: new URLSearchParams(query),
      body: () => bodyOf(request),
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
    });
    void reply.code(status).headers(more).header('cache-control', 'no-store');
    return body === undefined ? reply.send() : reply.header('content-type', mediaType).send(JSON.stringify(body));
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = error instanceof ScimRefusal ? error : undefined;
    if (!refusal) {
      const of = asApiError(error);
      return sendError(error, request, reply, () => ({
        body: JSON.stringify(scimErrorBody(of.status, of.message)),
        headers: { 'content-type': mediaType },
      }));
    }
    const { status, message, scimType } = refusal;
    return reply
      .code(status)
      .header('content-type', mediaType)
      .send(JSON.stringify(scimErrorBody(status, message, scimType)));
  }

  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(fail);
    for (const url of [root, `${root}/*`])
      scope.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url,
        config: { measuredAs: root },
        bodyLimit,
        onRequest: admit,
        handler: answer,
      });
    ready();
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
