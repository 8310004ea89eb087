/** HTTP calls to addresses that the server does not choose itself: checked at connection time, limited in time and size. */
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Dispatcher } from 'undici';
import { addressRules, type AddressRules } from './addresses.ts';
import { callThroughBreaker, alwaysClosed, OutboundFailed, OutboundRefused, type CircuitBreaker } from './circuit-breaker.ts';

export interface OutboundRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  /** Sent as `Idempotency-Key`: the same on every try, so that the receiver can recognise a repeat. */
  messageId: string;
  /** Whether the call has secrets, so that a redirect to another site is refused, also of a GET. */
  confined?: boolean;
  /** The tenant whose circuit breaker counts the failures. */
  owner?: string;
  /** Returns up to 1 MiB of the answer as `bytes` too. */
  keepsBytes?: true;
  /** The circuit was closed and without failures a moment ago, so it need not be asked for. */
  isClosed?: boolean;
  /** Runs right before the call, when the circuit breaker allows it; if it throws, nothing is sent. */
  begin?: () => Promise<void>;
}

export interface OutboundAnswer {
  status: number;
  /** The first 4 KiB of the answer as text, or as many bytes as `keepBytes`. */
  body: string;
  /** The bytes of the answer; only with `keepsBytes`. */
  bytes?: Buffer;
  /** Whether the answer was longer than the part that was read. */
  truncated: boolean;
  durationMs: number;
  retryAfterMs: number | undefined;
}

export interface OutboundHttp {
  send(call: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Private addresses, CIDR ranges and host names that may be called. */
  allow?: readonly string[];
  /** Without a breaker, every call is made. */
  breaker?: CircuitBreaker;
  /** Resolves names; by default the system's resolver. */
  resolve?: (hostname: string) => Promise<dns.LookupAddress[]>;
  /** Maximum number of bytes of an answer that are returned as `body`. */
  keepBytes?: number;
  connectMs?: number;
  totalMs?: number;
}

const maxRedirects = 3;
const maxAnswerBytes = 1_048_576;
const keptBytes = 4_096;
const ports = new Set(['', '80', '443', '8080', '8443']);

/** Error code by which `explain` recognises a refusal that `checkedLookup` passed through the connector. */
const refusedCode = 'OUTBOUND_REFUSED';

type ResolveHost = NonNullable<OutboundOptions['resolve']>;

async function reachable(hostname: string, rules: AddressRules, resolve: ResolveHost): Promise<dns.LookupAddress[]> {
  const addresses = await resolve(hostname);
  const passed = addresses.filter(({ address }) => !rules.refusal(address, hostname));
  if (passed.length > 0) return passed;
  const why = addresses[0] ? rules.refusal(addresses[0].address, hostname) : `${hostname} has no address.`;
  throw Object.assign(new Error(why), { code: refusedCode });
}

function checkedLookup(rules: AddressRules, resolve: ResolveHost): LookupFunction {
  const find = callbackify((hostname: string) => reachable(hostname, rules, resolve));
  return (hostname, options, callback) =>
    find(hostname, (error, addresses) => {
      const first = addresses?.[0];
      if (!first) callback(error, [], 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

function literalOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return /^[\d.]+$/.test(host) || host.includes(':') ? host : undefined;
}

function requireCallable(url: URL, rules: AddressRules): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new OutboundRefused('Only http and https addresses can be called.');
  if (url.username || url.password) throw new OutboundRefused('An address with a user name or password cannot be called.');
  const literal = literalOf(url);
  // A literal address is not looked up, so it is checked here.
  const why = literal && rules.refusal(literal, literal);
  if (why) throw new OutboundRefused(why);
  if (!ports.has(url.port) && !rules.isAllowed(literal ?? '', url.hostname))
    throw new OutboundRefused(`The port ${url.port} may only be called where the allow list names the host.`);
}

/** Returns a function that returns why an address is never called, as far as that is known without resolving its name. */
export function callPolicy(allow: readonly string[]): (url: string) => string | undefined {
  const rules = addressRules(allow);
  return (text) => {
    try {
      const url = parseUrl(text);
      requireCallable(url, rules);
      return /^(?:.+\.)?localhost$/.test(url.hostname) ? rules.refusal('127.0.0.1', url.hostname) : undefined;
    } catch (error) {
      if (error instanceof OutboundRefused) return error.message;
      throw error;
    }
  };
}

function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw new OutboundRefused('The address is not valid.');
  }
}

function retryAfter(value: string | string[] | undefined): number | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 3_600_000) : undefined;
}

async function readCapped(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const parts: Buffer[] = [];
  let keptLength = 0;
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    length += part.length;
    if (keptLength < maxBytes) {
      const piece = part.subarray(0, maxBytes - keptLength);
      parts.push(piece);
      keptLength += piece.length;
    }
    if (length > maxAnswerBytes) return { bytes: Buffer.concat(parts), truncated: true };
  }
  return { bytes: Buffer.concat(parts), truncated: length > maxBytes };
}

/** Removes NUL, which PostgreSQL cannot store, so that no answer can prevent the record of its call. */
function textOf(bytes: Buffer): string {
  return bytes.toString().replaceAll('\0', '\uFFFD');
}

function explain(error: unknown): Error {
  const one = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const code = one.code ?? one.cause?.code;
  if (code === refusedCode) return new OutboundRefused(one.message);
  if (one.name === 'TimeoutError' || one.name === 'AbortError') return new OutboundFailed('The receiver took too long.');
  return new OutboundFailed(`The receiver could not be reached: ${code ?? one.message}.`);
}

/** Whether a redirect stays at its receiver: at the same origin, or at the encrypted address of the same host. */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  return from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname && from.port === '' && to.port === '';
}

/** The destination of a call, by which circuits and slots are counted. Throws `OutboundRefused` for an invalid address. */
export function originOf(address: string): string {
  return parseUrl(address).origin;
}

/** Opens the HTTP client of the process. */
export function openOutboundHttp(options: OutboundOptions = {}): OutboundHttp {
  const rules = addressRules(options.allow ?? []);
  const breaker = options.breaker ?? alwaysClosed;
  const resolve = options.resolve ?? ((hostname: string) => dns.promises.lookup(hostname, { all: true }));
  // undici is large, and often not needed, so it is loaded at the first call.
  const load = async () => {
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({
      connect: { lookup: checkedLookup(rules, resolve), timeout: options.connectMs ?? 10_000 },
      pipelining: 1,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
      maxHeaderSize: 32_768,
    });
    return { request, dispatcher };
  };
  let loaded: ReturnType<typeof load> | undefined;

  async function follow(call: OutboundRequest, signal: AbortSignal): Promise<Omit<OutboundAnswer, 'durationMs'>> {
    let url = parseUrl(call.url);
    const { method, body } = call;
    const isRead = method === 'GET' || method === 'HEAD';
    let headers: Readonly<Record<string, string>> = call.headers;
    const { request, dispatcher } = await (loaded ??= load());
    for (let redirects = 0; ; redirects += 1) {
      requireCallable(url, rules);
      const answer = await request(url, {
        dispatcher,
        signal,
        method: method as Dispatcher.HttpMethod,
        headers: { 'user-agent': 'CloudFit', ...headers, 'accept-encoding': 'identity', 'idempotency-key': call.messageId },
        ...(body === undefined || isRead ? {} : { body }),
      });
      const location = answer.headers['location'];
      const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode) && typeof location === 'string';
      if (!isRedirect || redirects === maxRedirects) {
        const shownBytes = options.keepBytes ?? keptBytes;
        const { bytes, truncated } = await readCapped(answer.body, call.keepsBytes ? maxAnswerBytes : shownBytes);
        const content = { body: textOf(bytes.subarray(0, shownBytes)), ...(call.keepsBytes ? { bytes } : {}) };
        return { status: answer.statusCode, ...content, truncated, retryAfterMs: retryAfter(answer.headers['retry-after']) };
      }
      answer.body.on('error', () => undefined).destroy();
      const next = parseUrl(location, url);
      if (call.confined && !isSameSite(url, next))
        throw new OutboundRefused('The receiver redirects to another origin, which a call with secrets does not follow.');
      // A method that is changed to GET loses the body, and another site is not the receiver that somebody chose.
      if (!isRead && (answer.statusCode === 303 || !isSameSite(url, next)))
        throw new OutboundRefused(
          `The receiver answered ${answer.statusCode}: it redirects to ${next.origin}${next.pathname}, and nothing was delivered. Give the action that address.`.slice(
            0,
            500,
          ),
        );
      // Headers for one receiver, which may contain keys, are not sent to another one.
      if (!isSameSite(url, next))
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type'));
      url = next;
    }
  }

  async function send(call: OutboundRequest): Promise<OutboundAnswer> {
    const destination = originOf(call.url);
    const once = async (): Promise<{ answer: OutboundAnswer; failure: string | undefined }> => {
      await call.begin?.();
      const started = performance.now();
      const answer = await follow(call, AbortSignal.timeout(options.totalMs ?? 30_000)).catch((error: unknown) => {
        throw error instanceof OutboundRefused ? error : explain(error);
      });
      return {
        answer: { ...answer, durationMs: Math.round(performance.now() - started) },
        failure: answer.status >= 500 || answer.status === 429 ? `The receiver answered ${answer.status}.` : undefined,
      };
    };
    const failureOf = (error: unknown) => (error instanceof OutboundFailed ? error.message : undefined);
    return callThroughBreaker(breaker, { destination, owner: call.owner ?? '', isClosed: call.isClosed ?? false }, once, failureOf);
  }

  return { send, close: async () => (await loaded)?.dispatcher.destroy() };
}
