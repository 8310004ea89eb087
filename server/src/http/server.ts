/** Composes the HTTP server: limits, headers, the sign-in provider, the API and the portal on one address. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import multipart from '@fastify/multipart';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { limits } from '@cloudfit/contract/limits.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { createDenials, type Denials } from '../auth/denials.ts';
import { loopbackRedirect } from '../auth/loopback.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { storageFull, unreachable } from '../db/errors.ts';
import type { AnsweredRequest } from './metrics/metrics.ts';
import type { StreamLag } from '../ingest/stream/lag.ts';
import { agentFolders } from '../platform/agent-files.ts';
import { mountAgentFiles } from './agent-files.ts';
import { plainAddress, plainPath } from './address.ts';
import { mountApi, type ApiOptions } from './api.ts';
import { withApproverFilter } from './approver-email.ts';
import { keepBatchesInside } from './batch/caller.ts';
import { mountAckPage, type AckPageOptions } from './ack-page.ts';
import { mountIntake, type IntakeOptions } from './intake/intake.ts';
import { mountMailIntake, type MailIntakeOptions } from './intake/mail.ts';
import { mountServiceCalls } from './intake/service-calls.ts';
import type { ServiceIntake } from '../intake/services/take-call.ts';
import { mountDocs } from './docs/docs.ts';
import { createDrain, endConnections, stopping, type Drain } from './drain.ts';
import { asApiError, clientErrorHandler, sendError } from './errors.ts';
import { readCompressed } from './form/compressed.ts';
import { readBodies } from './form/json.ts';
import { observe } from './metrics/observe.ts';
import { protectAnswers, takeOver } from './security-headers.ts';
import { answerLargeBodies, endSlowRequests, requestTimeouts } from './slow-requests.ts';
import { mountScim } from './scim/scim.ts';
import { mountStatusPages, type StatusPageOptions } from './status/status-pages.ts';
import { mountPortal, type PortalOptions } from './static.ts';

export interface ServerOptions {
  log: Logger;
  database: Database;
  api: ApiOptions;
  portal: PortalOptions;
  /** The embedded sign-in provider, if it is used. */
  idp?: (req: IncomingMessage, res: ServerResponse, address: string) => void;
  /** How much waits in the stream of packets, if there is one. */
  stream?: (() => Promise<StreamLag>) | undefined;
  /** Public status pages. */
  status?: StatusPageOptions;
  /** The addresses of sources. */
  intake?: IntakeOptions['intake'];
  /** Takes the mails that mail servers hand over. */
  mailTaker?: MailIntakeOptions['taker'];
  /** Takes the calls of trackers and chats. */
  services?: ServiceIntake;
  /** Acknowledge links in messages. */
  ack?: AckPageOptions;
  /** Tells when the server is about to stop; by default it never is. */
  drain?: Drain;
  publicUrl: string;
  trustProxy: boolean | string[];
  /** Called after each answer, when metrics are on. */
  answered?: (answer: AnsweredRequest) => void;
}

/**
 * Compression of answers: lists shrink to a twelfth; a higher quality would cost more time than it saves. A live stream
 * is not compressed, because its events would wait for each other. Bodies of requests are unpacked by
 * `form/compressed.ts`, whose limits count the unpacked bytes.
 */
const compression: FastifyCompressOptions = {
  globalDecompression: false,
  encodings: ['br', 'gzip'],
  threshold: 2_048,
  customTypes: /^(?:application\/(?:json|xml|javascript)|text\/(?:plain|csv|html|css|javascript)|image\/svg\+xml)(?:;|$)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
  zlibOptions: { level: 3 },
};

/** Milliseconds in which the database must answer `/readyz`: a load balancer checks often and has a short timeout. */
const readyMs = 1_500;

/**
 * With a stream, a server takes packets while the database is away, and answers other calls while the stream is: it is ready as long as it has
 * one of them, and says which one it lacks.
 */
function mountHealth(app: FastifyInstance, { database, stream }: ServerOptions, drain: Drain): void {
  app.get('/healthz', { config: { measuredAs: 'healthz' } }, () => ({ status: 'ok' }));
  app.get('/readyz', { config: { measuredAs: 'readyz' } }, async (request, reply) => {
    if (drain.isOfAll()) return sendError(stopping(), request, reply);
    const [answers, lag] = await Promise.all([database.answers(readyMs), stream?.()]);
    const status = answers ? (lag?.isConnected === false ? 'stream unavailable' : 'ok') : 'database unavailable';
    return answers || lag?.isConnected
      ? { status, storage: database.storage?.state(), ...(lag ? { stream: lag } : {}) }
      : sendError(database.storage?.isFull() ? storageFull() : unreachable(), request, reply);
  });
}

/** The provider parses bodies itself, so it gets requests before the parsers. */
function mountProvider(app: FastifyInstance, idp: NonNullable<ServerOptions['idp']>): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    url: '/idp/*',
    config: { measuredAs: 'idp' },
    onRequest: async (request, reply) => {
      takeOver(reply);
      idp(request.raw, reply.raw, request.ip);
    },
    handler: () => undefined,
  });
}

/** Redirects pages that were opened by another name of this machine to the name in PUBLIC_URL. */
function keepOneOrigin(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' || !request.headers.accept?.includes('text/html')) return;
    const elsewhere = loopbackRedirect(publicUrl, request.headers.host, request.originalUrl);
    if (elsewhere !== undefined) await reply.redirect(elsewhere, 307);
  });
}

/** Audits a refusal for a missing permission, to show who tries what. */
function noteDenial(denials: Denials, error: unknown, request: FastifyRequest): void {
  const ctx = (request as { ctx?: Ctx }).ctx;
  const { code, message } = asApiError(error);
  if (!ctx || code !== 'Forbidden') return;
  const path = plainPath(request.url);
  const entity = findResource(path.split('/')[2] ?? '')?.name ?? 'requests';
  denials.note(ctx, { method: request.method, path, entity, message });
}

/** Takes the place of fastify's compilers of JSON schemas. */
function noCompiler(): never {
  throw new Error('Routes have no JSON schemas: an action declares its input and output.');
}

export async function createHttpServer(options: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    http: { headersTimeout: requestTimeouts.headers, requestTimeout: requestTimeouts.files, maxHeaderSize: 16_384 },
    keepAliveTimeout: 65_000,
    // A request that arrives on an open connection while the server closes is answered like any other.
    return503OnClosing: false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // An address that cannot be decoded reaches no route, and therefore no error handler.
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    trustProxy: options.trustProxy,
    requestTimeout: requestTimeouts.files,
    bodyLimit: limits.bodyBytes,
    clientErrorHandler,
    rewriteUrl: ({ url = '/' }) => withApproverFilter(plainAddress(url)),
    routerOptions: { caseSensitive: false, maxParamLength: 8_192 },
    // Routes check and write by the declarations, so the compilers of JSON schemas are not loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  const drain = options.drain ?? createDrain();
  answerLargeBodies(app);
  endConnections(app, drain);
  const denials = createDenials(options.database, options.log);
  app.addHook('onClose', () => denials.close());
  app.setErrorHandler((error, request, reply) => {
    noteDenial(denials, error, request);
    return sendError(error, request, reply);
  });
  protectAnswers(app, options.publicUrl);
  keepBatchesInside(app);
  endSlowRequests(app, requestTimeouts.body);
  readCompressed(app);
  readBodies(app);
  if (options.answered) observe(app, options.answered);
  await app.register(multipart);
  await app.register(compress, compression);
  keepOneOrigin(app, options.publicUrl);
  if (options.idp) mountProvider(app, options.idp);
  mountHealth(app, options, drain);
  mountApi(app, options.api);
  if (options.intake) mountIntake(app, { database: options.database, intake: options.intake });
  if (options.mailTaker) mountMailIntake(app, { database: options.database, taker: options.mailTaker });
  if (options.services) mountServiceCalls(app, options.services);
  mountScim(app, options);
  mountDocs(app);
  await mountAgentFiles(app, { folders: agentFolders, publicUrl: options.publicUrl });
  if (options.ack) mountAckPage(app, options.ack);
  if (options.status) await mountStatusPages(app, options.status);
  await mountPortal(app, options.portal);
  return app;
}
