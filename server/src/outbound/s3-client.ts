/** Calls an S3-compatible store: signed requests, path-style addresses, streamed content. */
import type { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import type { Dispatcher } from 'undici';

export interface S3Options {
  /** The address of the store, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The session token of temporary keys. */
  sessionToken?: string | undefined;
}

interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Name of the object; none for a list. */
  key?: string;
  query?: Record<string, string>;
  body?: Readable;
  size?: number;
  sha256?: string;
  range?: { start: number; end: number } | undefined;
  signal?: AbortSignal;
}

interface S3Object {
  key: string;
  /** When the object was stored, in epoch milliseconds. */
  at: number;
}

export interface S3Client {
  send(call: S3Call): Promise<Dispatcher.ResponseData>;
  /** Returns the text of the answer; throws `S3Refusal` if the status is not success. */
  settle(call: S3Call): Promise<string>;
  list(prefix: string, signal?: AbortSignal): AsyncIterable<S3Object>;
}

/** An answer that is not success. The message has the status and the store's error code, and nothing else of the answer. */
export class S3Refusal extends Error {
  override name = 'S3Refusal';
  readonly status: number;
  constructor(store: string, { method, key }: S3Call, status: number, text: string) {
    const [, code] = /<Code>(\w{1,60})<\/Code>/.exec(text) ?? [];
    super(`${store} answered ${status}${code ? ` (${code})` : ''} to ${method}${key === undefined ? ' of its list' : ''}.`);
    this.status = status;
  }
}

const pageSize = 1_000;
/** Timeout between two chunks of a body, and until an answer begins. */
const silenceMs = 60_000;
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Opens the client. `name` begins the messages of errors, such as "The file store". */
export function s3Client(options: S3Options, name: string): S3Client {
  const { accessKeyId, secretAccessKey, sessionToken, region } = options;
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken ? { sessionToken } : {}),
    region,
    service: 's3',
    retries: 0,
  });
  const base = `${options.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(options.bucket)}`;

  async function send({ method, key, query, body, size, sha256 = emptyHash, range, signal }: S3Call): Promise<Dispatcher.ResponseData> {
    const { request } = await import('undici');
    const path = key === undefined ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const signed = await signer.sign(`${base}${path}${search}`, { method, headers: { 'x-amz-content-sha256': sha256 } });
    return request(signed.url, {
      method,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(size === undefined ? {} : { 'content-length': String(size) }),
        ...(range ? { range: `bytes=${range.start}-${range.end}` } : {}),
      },
      body: body ?? null,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      ...(signal ? { signal } : {}),
    });
  }

  async function settle(call: S3Call): Promise<string> {
    const answer = await send(call);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new S3Refusal(name, call, answer.statusCode, text);
    return text;
  }

  return {
    send,
    settle,
    list: async function* (prefix, signal) {
      // Version 1 of the list call: the next page starts after the last name, without a token.
      for (let last: string | undefined = '', more = true; more;) {
        const query = { 'max-keys': String(pageSize), marker: last ?? '', ...(prefix ? { prefix } : {}) };
        const page = await settle({ method: 'GET', query, ...(signal ? { signal } : {}) });
        last = undefined;
        for (const [, content = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          last = /<Key>([^<]+)<\/Key>/.exec(content)?.[1] ?? last;
          const at = Date.parse(/<LastModified>([^<]+)</.exec(content)?.[1] ?? '');
          if (last !== undefined) yield { key: last, at };
        }
        more = last !== undefined && page.includes('<IsTruncated>true');
      }
    },
  };
}
