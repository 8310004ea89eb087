/** The agent's only way to the server: one request, its answer, or a reason why there is none. */
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { backoffMs, retryAfterMs } from './backoff.ts';

export interface Answer {
  status: number;
  /** Parsed JSON; null when the body is none. */
  body: unknown;
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

export interface Client {
  /** Repeats until the server has dealt with the request: while it is away, busy or refuses the token. Null only when `signal` aborts. */
  ask(method: 'GET' | 'POST', path: string, signal: AbortSignal, options?: RequestOptions): Promise<Answer | null>;
}

export interface ClientOptions {
  url: string;
  token: () => string;
  log: Log;
  random?: () => number;
}

/** Answers after which the same request may succeed later. */
const later = new Set([401, 403, 408, 425, 429]);
const timeoutMs = 30_000;

export function createClient(options: ClientOptions): Client {
  let isAway = false;

  function tellAway(reason: string): void {
    if (!isAway) options.log('warn', `The server ${options.url} cannot be reached (${reason}); measuring goes on, packets are kept.`);
    isAway = true;
  }

  function tellBack(): void {
    if (isAway) options.log('info', 'The server answers again.');
    isAway = false;
  }

  async function once(
    method: string,
    path: string,
    signal: AbortSignal,
    request: RequestOptions,
  ): Promise<Answer & { retryAfter: string | null }> {
    const limit = new AbortController();
    const askedAt = performance.now();
    const abort = () => limit.abort(new Error('stopped'));
    const timer = setTimeout(() => limit.abort(new Error('no answer in time')), request.timeoutMs ?? timeoutMs);
    signal.addEventListener('abort', abort);
    try {
      const response = await fetch(options.url + path, {
        method,
        // A followed redirect could turn a POST into a GET and carry the token elsewhere.
        redirect: 'error',
        signal: limit.signal,
        headers: {
          authorization: `Bearer ${options.token()}`,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      const text = await response.text();
      options.log(
        'trace',
        `${method} ${path.split('?')[0]} was answered with ${response.status} after ${Math.round(performance.now() - askedAt)} ms.`,
      );
      return { status: response.status, body: parse(text), retryAfter: response.headers.get('retry-after') };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    ask: async (method, path, signal, request = {}) => {
      for (let failures = 1; !signal.aborted; failures++) {
        let pauseMs = backoffMs(failures, options.random);
        try {
          const answer = await once(method, path, signal, request);
          if (answer.status < 500 && !later.has(answer.status)) {
            tellBack();
            return answer;
          }
          // A random share on top of what the server asks for keeps those it turned away apart.
          pauseMs += retryAfterMs(answer.retryAfter) ?? 0;
          if (answer.status === 401 || answer.status === 403)
            options.log('error', `The server refuses the token (${answer.status} ${messageOf(answer.body)}); trying again.`);
          else tellAway(`status ${answer.status}`);
        } catch (error) {
          if (signal.aborted) return null;
          tellAway(reasonOf(error));
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

/** The text of the API's error form, or nothing. */
export function messageOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' ? error.message : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return error.message;
}
