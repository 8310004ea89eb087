/** Keeps the archive for restoring to a point in time in an S3-compatible store. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArchiveStore } from '../platform/archive-store.ts';
import { StartError } from '../platform/start-error.ts';
import { s3Client, S3Refusal, type S3Options } from './s3-client.ts';

const pausesMs = [200, 1_000];

/** Whether another attempt would be refused in the same way. */
const isFinal = (error: unknown): boolean => error instanceof S3Refusal && error.status < 500 && error.status !== 429;

export function s3Archive(address: string, options: Omit<S3Options, 'bucket'>, drafts: string): ArchiveStore {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(address) ?? [];
  const prefix = path === '' ? '' : `${path}/`;
  const client = s3Client({ ...options, bucket }, address);
  const closing = new AbortController();
  const { signal } = closing;

  /** Retries after 0.2 s and after 1 s, which covers a brief outage; a longer outage is reported to the caller. */
  async function tried<T>(attempt: () => Promise<T>): Promise<T> {
    for (const pauseMs of [...pausesMs, undefined])
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) throw new Error(`The archive ${address} was closed while it was in use.`, { cause: error });
        if (pauseMs === undefined || isFinal(error)) throw named(error);
        await sleep(pauseMs, undefined, { signal });
      }
    throw new Error('unreachable');
  }

  function named(error: unknown): StartError {
    if (error instanceof S3Refusal) return new StartError(error.message.replace(/\.$/, ''), { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    return new StartError(`${address} cannot be reached at ${options.endpoint}: ${message || code}`, { cause: error });
  }

  /** Downloads to a file, so that a broken download can be repeated. Returns undefined if the object does not exist. */
  async function download(key: string): Promise<string | undefined> {
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    const file = join(drafts, randomUUID());
    try {
      return await tried(async () => {
        const answer = await client.send({ method: 'GET', key, signal });
        if (answer.statusCode === 200) {
          await pipeline(answer.body, createWriteStream(file, { mode: 0o600 }));
          return file;
        }
        const refusal = new S3Refusal(address, { method: 'GET', key }, answer.statusCode, await answer.body.text());
        if (answer.statusCode === 404 && refusal.message.includes('NoSuchKey')) return undefined;
        throw refusal;
      });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  return {
    name: address,
    drafts,
    keep: async (name, source, { size, sha256 }) => {
      await tried(() => client.settle({ method: 'PUT', key: prefix + name, body: createReadStream(source), size, sha256, signal }));
      await rm(source, { force: true });
    },
    open: async (name) => {
      const file = await download(prefix + name);
      if (file === undefined) return undefined;
      return createReadStream(file).once('close', () => void rm(file, { force: true }));
    },
    remove: async (name) => {
      await tried(() => client.settle({ method: 'DELETE', key: prefix + name, signal }));
    },
    list: (under) =>
      tried(async () => {
        const names: string[] = [];
        for await (const { key } of client.list(prefix + under, signal)) names.push(key.slice(prefix.length));
        return names;
      }),
    close: () => closing.abort(),
  };
}
