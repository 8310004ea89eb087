/** The agent's HTTP client: repeats a request until the server has processed it. */
import { text } from 'node:stream/consumers';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import { openExchange } from './exchange.ts';
import { wait } from '../wait.ts';
import { retryDelayMs, retryAfterMs } from './backoff.ts';

export interface Answer {
  status: number;
  /** The parsed JSON; null when the body is not JSON. */
  body: unknown;
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** An answer whose body is read as it arrives. */
export interface StreamedAnswer extends AsyncDisposable {
  status: number;
  /** The header `Retry-After`. */
  retryAfter: string | null;
  /** Rejects when no bytes arrive for a while. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The parsed JSON; null when the body is not JSON. */
  json(): Promise<unknown>;
}

export interface Client {
  /** One attempt at a GET; rejects when the server cannot be reached. Dispose of the answer. */
  open(path: string, signal: AbortSignal, headers?: Record<string, string>): Promise<StreamedAnswer>;
  /** Repeats the request while the server is unreachable, busy or refuses the token. Answers null only when `signal` aborts. */
  request(method: 'GET' | 'POST', path: string, signal: AbortSignal, options?: RequestOptions): Promise<Answer | null>;
}

export interface ClientOptions {
  url: string;
  token: () => string;
  log: Log;
  clock: Clock;
  random?: () => number;
}

/** Statuses after which the same request may succeed later. */
const retryStatuses = new Set([401, 403, 408, 425, 429]);
const timeoutMs = 30_000;

export function createClient(options: ClientOptions): Client {
  const exchanging = openExchange(options.url);
  let isUnreachable = false;

  function reportUnreachable(reason: string): void {
    if (!isUnreachable)
      options.log(
        'warn',
        `The server ${options.url} cannot be reached (${reason}); the agent goes on measuring and stores packets on disk.`,
      );
    isUnreachable = true;
  }

  function reportReachable(): void {
    if (isUnreachable) options.log('info', 'The server answers again.');
    isUnreachable = false;
  }

  async function once(
    method: string,
    path: string,
    signal: AbortSignal,
    request: RequestOptions,
  ): Promise<Answer & { retryAfter: string | null }> {
    const deadline = new AbortController();
    const sentAt = performance.now();
    const abort = () => deadline.abort(new Error('stopped'));
    const timer = setTimeout(() => deadline.abort(new Error('no answer in time')), request.timeoutMs ?? timeoutMs);
    signal.addEventListener('abort', abort);
    try {
      const { whole } = await exchanging;
      const answer = await whole(path, {
        method,
        signal: deadline.signal,
        headers: {
          authorization: `Bearer ${options.token()}`,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      // A followed redirect could turn a POST into a GET and carry the token elsewhere.
      if (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
        throw new Error(`it redirects to ${answer.headers.location ?? 'another address'}, which the agent does not follow`);
      options.clock.noteAnswer(answer.headers.date ?? null);
      options.log(
        'trace',
        `${method} ${path.split('?')[0]} was answered with ${answer.status} after ${Math.round(performance.now() - sentAt)} ms.`,
      );
      return { status: answer.status, body: parse(answer.text), retryAfter: answer.headers['retry-after'] ?? null };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** The time limit begins again with each part that arrives. */
  async function open(path: string, signal: AbortSignal, headers?: Record<string, string>): Promise<StreamedAnswer> {
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
        headers: { authorization: `Bearer ${options.token()}`, ...headers },
      });
      options.log('trace', `GET ${path} was answered with ${answer.statusCode}.`);
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

  return {
    open,
    request: async (method, path, signal, request = {}) => {
      for (let failures = 1; !signal.aborted; failures++) {
        let pauseMs = retryDelayMs(failures, options.random);
        try {
          const answer = await once(method, path, signal, request);
          if (answer.status < 500 && !retryStatuses.has(answer.status)) {
            reportReachable();
            return answer;
          }
          // The random pause is added to Retry-After, so that the agents that were refused do not return together.
          pauseMs += retryAfterMs(answer.retryAfter) ?? 0;
          if (answer.status === 401 || answer.status === 403)
            options.log('error', `The server refuses the token (${answer.status} ${messageOf(answer.body)}); trying again.`);
          else reportUnreachable(`status ${answer.status}`);
        } catch (error) {
          if (signal.aborted) return null;
          reportUnreachable(reasonOf(error));
        }
        await wait(pauseMs, signal);
      }
      return null;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The message of an API error, or an empty text. */
export function messageOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' ? error.message : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
