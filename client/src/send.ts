/** Sends requests of the API: signs them, tries again what the server could not take yet, and turns refusals into errors. */
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';
import type { ErrorDetail } from '@cloudfit/contract/errors.ts';
import type { SentCall } from '@cloudfit/contract/client/sent-call.ts';

/** Returns a token for the next request; `refused` is the one that the server has just refused. */
export type TokenSupplier = (refused?: string) => Promise<string>;

export interface CloudFitOptions {
  /** The address of the server, such as `https://ops.example.com`. */
  server: string;
  /** A token that begins with `cfst_`, or where tokens come from. Without one only calls that need no sign-in are answered. */
  token?: string | TokenSupplier;
  /** How often a request is sent again after a 429, a 503 or no answer; 4 by default. */
  retries?: number;
  /** The longest wait that the server may ask for before a repeat, in seconds; above it the call fails. 60 by default. */
  maxWaitSeconds?: number;
  /** In which time an answer must begin, in seconds; 60 by default. */
  answerSeconds?: number;
  /** Sends the requests; the platform's `fetch` by default. */
  fetch?: typeof globalThis.fetch;
}

export interface RequestSettings {
  signal?: AbortSignal | undefined;
  /** The key by which the server recognises a repeat of a create. By default each create has a new one. */
  idempotencyKey?: string | undefined;
}

export interface SentRequest extends Omit<SentCall, 'body'>, RequestSettings {
  body?: unknown;
  accept?: string;
  /** `Last-Event-ID`: the position after which a stream goes on. */
  after?: string | undefined;
}

/** A call that failed. `status` is the HTTP status of the answer, or 0 without an answer. */
export class CallFailed extends Error {
  readonly status: number;
  /** For programs: `Forbidden`, `ValidationFailed`, ... Empty without an answer of the API. */
  readonly code: string;
  /** The field or option that the error is about. */
  readonly target: string | undefined;
  readonly details: readonly Partial<ErrorDetail>[];
  /** The id of the request in the audit and in the log of the server. */
  readonly requestId: string | undefined;

  constructor(status: number, message: string, error: Partial<ErrorBodyError> = {}, requestId?: string) {
    super(message);
    this.name = 'CallFailed';
    this.status = status;
    this.code = error.code ?? '';
    this.target = error.target;
    this.details = error.details ?? [];
    this.requestId = requestId;
  }
}

type ErrorBodyError = Partial<ErrorDetail> & { details?: readonly Partial<ErrorDetail>[] };

/** Sends a request and returns its answer, when that is a success; throws `CallFailed` otherwise. */
export type RequestSender = (request: SentRequest) => Promise<Response>;

const delays = { delaysMs: doublingDelays(500, 16_000), jitter: [0.5, 1.5] as const };

/** Resolves after `ms`; rejects as soon as the signal ends it. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => (clearTimeout(timer), reject(signal?.reason));
    const timer = setTimeout(() => (signal?.removeEventListener('abort', end), resolve()), ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Returns for how long `Retry-After` asks to wait, in milliseconds: a number of seconds, or a date. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * Whether a repeat cannot do the work twice: the method says so, or the server recognises the key. A 429 is a refusal before the
 * work, so everything is repeated after it.
 */
const isRepeatable = ({ method, idempotencyKey }: SentRequest) => method !== 'POST' || idempotencyKey !== undefined;

/** The failure of a call that something else answers, such as another server, or the page of a network that asks for a sign-in. */
export const notOfApi = ({ status, statusText }: Response, server: string): CallFailed =>
  new CallFailed(status, `${server} answered ${`${status} ${statusText}`.trim()}, but not as CloudFit does. Is the address right?`);

/** The server's words for a refusal; the status where the answer is not of the API, as of a proxy. */
async function failureOf(answer: Response, server: string): Promise<CallFailed> {
  const id = answer.headers.get('x-request-id') ?? undefined;
  const body: { error?: ErrorBodyError } | null = await answer.json().catch(() => null);
  const error = typeof body?.error === 'object' ? body.error : undefined;
  if (error?.message !== undefined) return new CallFailed(answer.status, error.message, error, id);
  // That of a proxy, whose server is away.
  if (answer.status >= 500)
    return new CallFailed(answer.status, `The server answered ${answer.status} ${answer.statusText}`.trim(), error, id);
  return notOfApi(answer, server);
}

/** Returns a function that sends requests to one server in the name of one caller. */
export function createSend(options: CloudFitOptions): RequestSender {
  const { token, retries = 4, maxWaitSeconds = 60, answerSeconds = 60, fetch = globalThis.fetch } = options;
  const server = new URL(options.server);
  if (server.protocol !== 'https:' && server.protocol !== 'http:') throw new TypeError(`${options.server} is no http address.`);
  const tokenNow = (refused?: string) => (typeof token === 'function' ? token(refused) : Promise.resolve(token));

  async function once(request: SentRequest, bearer: string | undefined): Promise<Response> {
    const { method, path, body, accept = 'application/json', idempotencyKey, after, signal } = request;
    const headers = new Headers({ accept });
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    if (after !== undefined) headers.set('last-event-id', after);
    // Only the head of the answer is awaited for a time: a stream or a file may last as long as it needs.
    const late = new AbortController();
    const limit = setTimeout(
      () => late.abort(new CallFailed(0, `The server did not answer within ${answerSeconds} s.`)),
      answerSeconds * 1_000,
    );
    try {
      return await fetch(new URL(path, server), {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (late.signal.aborted) throw late.signal.reason;
      throw new CallFailed(0, `The server at ${server.origin} does not answer: ${reasonOf(error)}`);
    } finally {
      clearTimeout(limit);
    }
  }

  async function signed(request: SentRequest): Promise<Response> {
    const bearer = await tokenNow();
    const answer = await once(request, bearer);
    if (answer.status !== 401 || typeof token !== 'function') return answer;
    await answer.body?.cancel();
    return once(request, await tokenNow(bearer));
  }

  return async (request) => {
    for (let failures = 1; ; failures++) {
      const outcome = await signed(request).catch((error: unknown) => {
        if (error instanceof CallFailed && error.status === 0) return error;
        throw error;
      });
      if (outcome instanceof Response && outcome.ok) return outcome;
      const status = outcome.status;
      const failure = outcome instanceof Response ? await failureOf(outcome, server.origin) : outcome;
      const mayRepeat = status === 429 || ((status === 503 || status === 0) && isRepeatable(request));
      if (!mayRepeat || failures > retries) throw failure;
      const pauseMs = outcome instanceof Response ? retryAfterMs(outcome.headers.get('retry-after')) : undefined;
      if (pauseMs !== undefined && pauseMs > maxWaitSeconds * 1_000) throw failure;
      await wait(pauseMs ?? backoffMs(failures, delays), request.signal);
    }
  };
}

/** Node hides the reason of a network error in its cause. */
export function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  // OpenSSL says it in a line of its own language.
  if (cause instanceof Error && /wrong version number|packet length too long/.test(cause.message))
    return 'it does not speak TLS at this port; try http://';
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error instanceof Error ? error.message : String(error);
}
