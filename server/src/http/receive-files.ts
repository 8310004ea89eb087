/** Receives a multipart body: files are hashed and written to disk, never held in memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { ReceivedFile } from '../features/packages/upload.ts';

export interface ReceivedForm {
  fields: Record<string, string>;
  files: ReceivedFile[];
  /** Removes files that no call has taken over. */
  discard(): Promise<void>;
}

const fieldBytes = 4_096;
const filePart = /^file-\d{1,4}$/i;

const unknownPart = (name: string): string =>
  /^signature-\d/i.test(name)
    ? `Send ${name} as text in base64, not as a file: with curl, -F '${name}=<package.zip.sig'.`
    : `The part ${name} is not known; files are file-1, file-2 ...`;

/** Returns the name without folders and without characters that are harmful in a log or a header; shown to people only. */
function displayName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  return last.replaceAll(/[\p{Cc}"<>|:*?]/gu, '_').slice(-200) || 'file';
}

async function receive(part: MultipartFile, path: string, maxBytes: number): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(part.file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw new ApiError('Unavailable', 'There is no room for this file on the server. Please tell its administrator.', {
      target: part.fieldname,
    });
  }
  if (part.file.truncated)
    throw new ApiError('PayloadTooLarge', `The file is larger than ${maxBytes / 1024 ** 2} MiB.`, { target: part.fieldname });
  return { part: part.fieldname, fileName: displayName(part.filename), path, size, sha256: hash.digest('hex') };
}

/** Receives files into `folder`, where they stay until a call takes them over; each may have `maxBytes`. */
export async function receiveFiles(request: FastifyRequest, folder: string, maxBytes: number): Promise<ReceivedForm> {
  if (!request.isMultipart()) throw new ApiError('UnsupportedMediaType', 'Send the files as multipart/form-data.');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fields: Record<string, string> = {};
  const files: ReceivedFile[] = [];
  const paths: string[] = [];
  const discard = async (): Promise<void> => void (await Promise.all(paths.map((path) => rm(path, { force: true }))));
  try {
    const limitsOfParts = {
      fileSize: maxBytes,
      files: limits.uploadFiles,
      fields: limits.uploadFiles + 10,
      fieldSize: fieldBytes,
      parts: 2 * limits.uploadFiles + 10,
    };
    for await (const part of request.parts({ limits: limitsOfParts })) {
      if (part.type === 'field') {
        if (part.valueTruncated) throw validationFailed([{ target: part.fieldname, message: `${part.fieldname} is too long.` }]);
        fields[part.fieldname] = String(part.value);
      } else if (filePart.test(part.fieldname)) {
        const path = join(folder, randomUUID());
        paths.push(path);
        files.push(await receive(part, path, maxBytes));
      } else throw validationFailed([{ target: part.fieldname, message: unknownPart(part.fieldname) }]);
    }
    return { fields, files, discard };
  } catch (error) {
    await discard();
    if (error instanceof Error && /^Unexpected end of (?:form|multipart data)/.test(error.message))
      throw new ApiError('InvalidBody', 'The multipart body ends before its last part is complete. Please send it again.');
    throw error;
  }
}
