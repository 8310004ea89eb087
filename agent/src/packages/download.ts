/** Downloads a version's zip; continues after an interruption. */
import { open, rm, stat } from 'node:fs/promises';
import type { AgentPackage } from '@cloudfit/contract/agent/messages.ts';
import { apiMessageOf, type Client } from '../connection/client.ts';
import { retryAfterMs, retryDelayMs } from '../connection/backoff.ts';
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { PackageFault, reasonOf } from './fault.ts';

export type TargetVersion = NonNullable<AgentPackage['wanted']>;

interface DownloadOptions {
  client: Client;
  packageId: string;
  target: TargetVersion;
  file: string;
  /** Called with the number of bytes on disk. */
  onProgress: (bytes: number) => void;
  log: Log;
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0;

/** Returns the size of a partial file, after which the download continues. Deletes a file that is longer than the version. */
async function startingSize(file: string, size: number): Promise<number> {
  const present = await sizeOf(file);
  if (present <= size) return present;
  await rm(file, { force: true });
  return 0;
}

/** Downloads until the file is complete or `signal` aborts; continues a partial file. Rejects if the server refuses. */
export async function download(options: DownloadOptions, signal: AbortSignal): Promise<void> {
  const { target, file } = options;
  let present = await startingSize(file, target.fileSize);
  for (let failures = 1; present < target.fileSize && !signal.aborted; failures++) {
    let pauseMs = retryDelayMs(failures);
    try {
      const retryAfter = await receive(options, present, signal);
      if (retryAfter === undefined) continue;
      pauseMs += retryAfterMs(retryAfter) ?? 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof PackageFault || (error as NodeJS.ErrnoException).syscall === 'write') throw error;
      options.log('trace', `The download of ${target.version} was interrupted: ${reasonOf(error)}`);
    } finally {
      const next = await startingSize(file, target.fileSize);
      // After progress, the backoff restarts.
      if (next > present) failures = 0;
      present = next;
    }
    if (present < target.fileSize) await wait(pauseMs, signal);
  }
}

/** Sends one request. Returns undefined at the end of the body, and `Retry-After` (or "") when the request must be retried. */
async function receive(options: DownloadOptions, from: number, signal: AbortSignal): Promise<string | undefined> {
  const { client, packageId, target, file, onProgress } = options;
  const path = `/v1/packages/${packageId}/versions/${target.packageVersionId}/content`;
  const range = from > 0 ? { range: `bytes=${from}-`, 'if-range': `"${target.sha256}"` } : undefined;
  await using answer = await client.open(path, signal, range);
  const { status } = answer;
  if (status === 401 || status === 403 || status === 408 || status === 429 || status >= 500) return answer.retryAfter ?? '';
  if (status === 416) {
    await rm(file, { force: true });
    return '';
  }
  if (status !== 200 && status !== 206)
    throw new PackageFault(`The server does not hand out this version (${status} ${apiMessageOf(await answer.json())}).`);
  const handle = await open(file, status === 206 ? 'a' : 'w', 0o600);
  let bytes = status === 206 ? from : 0;
  try {
    for await (const chunk of answer.chunks()) {
      bytes += chunk.length;
      if (bytes > target.fileSize)
        throw new PackageFault(`The file is longer than the ${target.fileSize} bytes that the server announced.`);
      await handle.appendFile(chunk);
      onProgress(bytes);
    }
    await handle.sync();
  } catch (error) {
    if (error instanceof PackageFault) await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return undefined;
}
