/** Stores files in an S3-compatible store: signed requests, path-style addresses, streamed content. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import type { FileStore } from '../platform/file-store.ts';

export interface S3Options {
  /** Such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const pageSize = 1_000;
/** Timeout between two chunks of a body, and until an answer begins. */
const silenceMs = 60_000;
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE';
  path: string;
  body?: Readable;
  size?: number;
  sha256?: string;
  range?: { start: number; end: number } | undefined;
}

export function s3Store(options: S3Options): FileStore {
  const signer = new AwsClient({ ...options, service: 's3', retries: 0 });
  const base = `${options.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(options.bucket)}`;

  async function send({ method, path, body, size, sha256 = emptyHash, range }: S3Call): Promise<Dispatcher.ResponseData> {
    const { request } = await import('undici');
    const signed = await signer.sign(`${base}${path}`, { method, headers: { 'x-amz-content-sha256': sha256 } });
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
    });
  }

  /** The answer's text; anything but success throws an error that contains only the status. */
  async function settle(call: S3Call): Promise<string> {
    const answer = await send(call);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`The file store answered ${answer.statusCode} to ${call.method}.`);
    return text;
  }

  return {
    keep: async (name, path, { size, sha256 }) => {
      await settle({ method: 'PUT', path: `/${name}`, body: createReadStream(path), size, sha256 });
      await rm(path, { force: true });
    },
    open: async (name, range) => {
      const answer = await send({ method: 'GET', path: `/${name}`, range });
      if (answer.statusCode === (range ? 206 : 200)) return answer.body;
      await answer.body.dump();
      throw new Error(`The file store answered ${answer.statusCode} to GET.`);
    },
    remove: async (name) => {
      await settle({ method: 'DELETE', path: `/${name}` });
    },
    keptBefore: async function* (then) {
      // Version 1 of the list call: the next page starts after the last name, without a token.
      for (let last: string | undefined = '', more = true; more;) {
        const page = await settle({ method: 'GET', path: `?max-keys=${pageSize}&marker=${last}` });
        last = undefined;
        for (const [, content = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          last = /<Key>([0-9a-f]+)<\/Key>/.exec(content)?.[1] ?? last;
          const at = Date.parse(/<LastModified>([^<]+)</.exec(content)?.[1] ?? '');
          if (last && at < then.getTime()) yield last;
        }
        more = last !== undefined && page.includes('<IsTruncated>true');
      }
    },
  };
}
