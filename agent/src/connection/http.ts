/** Single HTTP requests to the server, with a time limit; redirects are not followed. */
import { text } from 'node:stream/consumers';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import { openExchange, type ProxyEnvironment } from './exchange.ts';

export interface Answer {
  status: number;
  /** The parsed JSON; null when the body is not JSON. */
  body: unknown;
}

export interface RequestOptions {
  /** Sent as a form if it is a `URLSearchParams`, otherwise as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** An answer whose body is read as it arrives. */
export interface StreamedAnswer extends AsyncDisposable {
  status: number;
  /** The header `Retry-After`. */
  retryAfter: string | null;
  /** The chunks of the body; rejects when no bytes arrive for 30 seconds. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The parsed JSON; null when the body is not JSON. */
  json(): Promise<unknown>;
}

export type Send = (
  method: 'GET' | 'POST',
  path: string,
  signal: AbortSignal,
  options?: RequestOptions,
) => Promise<Answer & { retryAfter: string | null }>;

export interface Http {
  send: Send;
  /** Sends a GET whose answer is read as it arrives. The caller must dispose of the answer. */
  open(path: string, signal: AbortSignal, headers: Record<string, string>): Promise<StreamedAnswer>;
}

const timeoutMs = 30_000;
/** Statuses after which the server counts as unreachable, besides 5xx. */
const busyStatuses = new Set([408, 425, 429]);

interface HttpParts {
  url: string;
  proxy?: ProxyEnvironment | undefined;
  log: Log;
  clock: Clock;
}

/** Returns the host of the proxy, without the password that its address may have. */
function proxyHost(url: string, proxy: ProxyEnvironment): string {
  const address = url.startsWith('https:') ? proxy.https_proxy : proxy.http_proxy;
  return address !== undefined && URL.canParse(address) ? new URL(address).host : 'of the environment';
}

/** Creates the HTTP client of one server. `send` logs when the server becomes unreachable, and when it answers again. */
export function createHttp({ url, proxy, log, clock }: HttpParts): Http {
  const exchanging = openExchange(url, proxy);
  const way = proxy ? ` through the proxy ${proxyHost(url, proxy)}` : '';
  let isUnreachable = false;
  function report(reason?: string): void {
    if (reason !== undefined && !isUnreachable)
      log('warn', `The server ${url} cannot be reached${way} (${reason}); the agent goes on measuring and stores packets on disk.`);
    if (reason === undefined && isUnreachable) log('info', 'The server answers again.');
    isUnreachable = reason !== undefined;
  }

  const send: Send = async (method, path, signal, request = {}) => {
    const deadline = new AbortController();
    const sentAt = performance.now();
    const abort = () => deadline.abort(new Error('stopped'));
    const timer = setTimeout(() => deadline.abort(new Error('no answer in time')), request.timeoutMs ?? timeoutMs);
    signal.addEventListener('abort', abort);
    try {
      const { body } = request;
      const isForm = body instanceof URLSearchParams;
      const { whole } = await exchanging;
      const answer = await whole(path, {
        method,
        signal: deadline.signal,
        headers: {
          ...(body === undefined ? {} : { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
          ...request.headers,
        },
        ...(body === undefined ? {} : { body: isForm ? body.toString() : JSON.stringify(body) }),
      });
      // A followed redirect could turn a POST into a GET and carry the token elsewhere.
      if (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
        throw new Error(`it redirects to ${answer.headers.location ?? 'another address'}, which the agent does not follow`);
      clock.noteAnswer(answer.headers.date ?? null, performance.now() - sentAt);
      log(
        'trace',
        `${method} ${path.split('?')[0]} was answered with ${answer.status} after ${Math.round(performance.now() - sentAt)} ms.`,
      );
      report(answer.status >= 500 || busyStatuses.has(answer.status) ? `status ${answer.status}` : undefined);
      return { status: answer.status, body: parse(answer.text), retryAfter: answer.headers['retry-after'] ?? null };
    } catch (error) {
      if (!signal.aborted) report(reasonOf(error));
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };

  /** Sends a GET and streams the answer; each chunk restarts the time limit. */
  async function open(path: string, signal: AbortSignal, headers: Record<string, string>): Promise<StreamedAnswer> {
    const deadline = new AbortController();
    const expire = () => deadline.abort(new Error('no answer in time'));
    const abort = () => deadline.abort(new Error('stopped'));
    const timer = setTimeout(expire, timeoutMs);
    signal.addEventListener('abort', abort);
    const dispose = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      // Ends the connection of a body that was not read to its end.
      abort();
      return Promise.resolve();
    };
    try {
      const { begin } = await exchanging;
      const answer = await begin(path, {
        method: 'GET',
        signal: deadline.signal,
        headers,
      });
      log('trace', `GET ${path} was answered with ${answer.statusCode}.`);
      return {
        status: answer.statusCode ?? 0,
        retryAfter: answer.headers['retry-after'] ?? null,
        chunks: async function* () {
          for await (const chunk of answer) {
            timer.refresh();
            yield chunk as Uint8Array;
          }
        },
        json: async () => parse(await text(answer)),
        [Symbol.asyncDispose]: dispose,
      };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  return { send, open };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Returns the message of an API error, or an empty text. */
export function apiMessageOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' ? error.message : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ERR_PROXY_TUNNEL')
    return 'statusCode' in error ? `the proxy answers ${String(error.statusCode)}` : 'the proxy opens no connection in time';
  const cause = error.cause;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
