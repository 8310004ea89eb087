/** The agent's HTTP client, with its access token; `request` repeats until the server has processed the request. */
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { awayDelayMs, isAway, retryAfterMs, retryDelayMs } from './backoff.ts';
import { apiMessageOf, type Answer, type Http, type RequestOptions, type StreamedAnswer } from './http.ts';

export { apiMessageOf, type Answer, type StreamedAnswer } from './http.ts';

export interface Client {
  /** Tries a GET once; rejects when the server cannot be reached. The caller must dispose of the answer. */
  open(path: string, signal: AbortSignal, headers?: Record<string, string>): Promise<StreamedAnswer>;
  /** Repeats the request until the server works and accepts the token. Returns null only when `signal` aborts. */
  request(method: 'GET' | 'POST', path: string, signal: AbortSignal, options?: RequestOptions): Promise<Answer | null>;
}

export interface TokenSource {
  /** Returns an access token, waiting until the server issues it; null only when `signal` aborts. */
  token(signal: AbortSignal): Promise<string | null>;
  /** Discards `token`, which the server no longer accepts; without an argument, discards the current token. */
  forget(token?: string): void;
}

export interface ClientOptions {
  http: Http;
  credentials: TokenSource;
  log: Log;
  random?: () => number;
}

/** HTTP statuses after which the request is repeated, besides 5xx. */
const retryStatuses = new Set([401, 403, 408, 425, 429]);

export function createClient({ http, credentials, log, random }: ClientOptions): Client {
  return {
    open: async (path, signal, headers) => {
      const token = await credentials.token(signal);
      if (token === null) throw new Error('stopped');
      const answer = await http.open(path, signal, { authorization: `Bearer ${token}`, ...headers });
      if (answer.status === 401) credentials.forget(token);
      return answer;
    },
    request: async (method, path, signal, request = {}) => {
      // Counted apart: a server that is back and busy is not one that was away for long.
      const failures = { refused: 0, away: 0 };
      while (!signal.aborted) {
        let pauseMs: number;
        const token = await credentials.token(signal);
        if (token === null) return null;
        try {
          const headers = { authorization: `Bearer ${token}`, ...request.headers };
          const answer = await http.send(method, path, signal, { ...request, headers });
          if (answer.status < 500 && !retryStatuses.has(answer.status)) return answer;
          // The random delay is added to Retry-After, so that refused agents do not all retry at the same moment.
          if (isAway(answer)) pauseMs = awayDelayMs(++failures.away, random);
          else {
            failures.away = 0;
            pauseMs = retryDelayMs(++failures.refused, random) + (retryAfterMs(answer.retryAfter) ?? 0);
          }
          if (answer.status === 401) credentials.forget(token);
          // A first 401 is not logged: the sign-in that follows it logs the reason.
          if (answer.status === 403 || (answer.status === 401 && failures.refused > 1))
            log('error', `The server refuses a call (${answer.status} ${apiMessageOf(answer.body)}); trying again.`);
        } catch {
          if (signal.aborted) return null;
          pauseMs = awayDelayMs(++failures.away, random);
        }
        await wait(pauseMs, signal);
      }
      return null;
    },
  };
}
