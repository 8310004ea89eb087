/** Stores uploaded files in an S3-compatible store. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { FileStore } from '../platform/file-store.ts';
import { s3Client, S3Refusal, type S3Options } from './s3-client.ts';

const storeName = 'The file store';

export function s3Store(options: S3Options): FileStore {
  const client = s3Client(options, storeName);
  return {
    keep: async (name, path, { size, sha256 }) => {
      await client.settle({ method: 'PUT', key: name, body: createReadStream(path), size, sha256 });
      await rm(path, { force: true });
    },
    open: async (name, range) => {
      const answer = await client.send({ method: 'GET', key: name, range });
      if (answer.statusCode === (range ? 206 : 200)) return answer.body;
      throw new S3Refusal(storeName, { method: 'GET', key: name }, answer.statusCode, await answer.body.text());
    },
    remove: async (name) => {
      await client.settle({ method: 'DELETE', key: name });
    },
    keptBefore: async function* (then) {
      for await (const { key, at } of client.list('')) if (/^[0-9a-f]+$/.test(key) && at < then.getTime()) yield key;
    },
  };
}
