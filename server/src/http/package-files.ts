/** Upload (multipart) and download of packages. */
import { z } from 'zod';
import { downloadPackageVersion, downloadSamplePackage, uploadPackages } from '@cloudfit/contract/actions/packages.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import type { Action } from '@cloudfit/contract/action.ts';
import type { PackageKey } from '../auth/package-key.ts';
import { zipOfSample } from '../features/packages/built-in.ts';
import { packageFile } from '../features/packages/download.ts';
import { readSignature } from '../features/packages/publisher-keys.ts';
import { storeUpload } from '../features/packages/upload.ts';
import type { FileStore } from '../platform/file-store.ts';
import { byteRangeOf } from './byte-range.ts';
import { namesTag } from '../resources/get.ts';
import { inputOf } from './action-routes.ts';
import type { RawCall, RawRoute } from './request-steps.ts';
import { receiveFiles, type ReceivedForm } from './receive-files.ts';

export interface FileOptions {
  store: FileStore;
  key: PackageKey;
  /** Folder of uploads that are being received. */
  incoming: string;
  maxBytes: number;
  /** The same for a file of a note. */
  maxNoteFileBytes: number;
}

const fields = z.strictObject({
  label: z.string({ error: 'Label is required.' }).trim().min(1, 'Label is required.').max(200, 'Label is at most 200 characters.'),
  tenantId: z
    .literal('')
    .transform(() => undefined)
    .or(guidSchema)
    .optional(),
});

const signaturePart = /^signature-(\d{1,4})$/i;

/** Moves each signature from the fields to the file with the same number. Returns the errors. */
function signFiles({ files, fields }: ReceivedForm): { target: string; message: string }[] {
  return Object.entries(fields).flatMap(([target, text]) => {
    const [, number] = signaturePart.exec(target) ?? [];
    if (number === undefined) return [];
    delete fields[target];
    const file = files.find(({ part }) => part.toLowerCase() === `file-${number}`);
    if (!file) return [{ target, message: `This signature belongs to no file. Send file-${number} too, or leave the signature out.` }];
    const signature = readSignature(text);
    if (typeof signature === 'string') return [{ target, message: `${file.fileName}: ${signature}` }];
    file.signature = signature;
    return [];
  });
}

function uploadOf(received: ReceivedForm) {
  const wrongSignatures = signFiles(received);
  const parsed = fields.safeParse(received.fields);
  const errors = parsed.success ? [] : parsed.error.issues.map((issue) => ({ target: issue.path.join('.'), message: issue.message }));
  errors.push(...wrongSignatures);
  if (received.files.length === 0) errors.push({ target: 'file-1', message: 'File is required.' });
  if (!parsed.success || errors.length > 0) throw validationFailed(errors);
  return { label: parsed.data.label, tenantId: parsed.data.tenantId ?? null, files: received.files };
}

const upload =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    const { store, key, incoming, maxBytes } = options;
    // A client that is refused early cannot send the rest of its body, so the connection is closed.
    void reply.header('connection', 'close');
    const received = await receiveFiles(request, incoming, maxBytes);
    try {
      const value = await storeUpload(ctx, store, key, uploadOf(received));
      return await reply.code(201).removeHeader('connection').send({ value });
    } finally {
      await received.discard();
    }
  };

/** The value of Content-Disposition of a file to save (RFC 6266). */
export function attachment(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|[\\"]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
}

const download =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    const { packageId, packageVersionId } = inputOf(downloadPackageVersion, request);
    const file = await packageFile(ctx, options.store, packageId, packageVersionId);
    const etag = `"${file.sha256}"`;
    void reply.header('etag', etag);
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    // With another ETag in `If-Range`, the whole file is sent: a part would not match the part that the caller has (RFC
    // 9110, 13.1.5).
    const ifRange = request.headers['if-range'];
    const range = ifRange === undefined || ifRange === etag ? byteRangeOf(request.headers.range, file.size) : undefined;
    if (range === 'none') {
      void reply.header('content-range', `bytes */${file.size}`);
      throw new ApiError('RangeNotSatisfiable', `The file has ${file.size} bytes.`);
    }
    void reply
      .header('content-disposition', attachment(file.fileName))
      .header('accept-ranges', 'bytes')
      .header('repr-digest', `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`)
      .header('x-content-sha256', file.sha256)
      .header('x-content-type-options', 'nosniff')
      .type('application/octet-stream');
    if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
    void reply.header('content-length', range ? range.end - range.start + 1 : file.size);
    return reply.send(request.method === 'HEAD' ? undefined : await file.content(range));
  };

const sample: RawCall = async (_ctx, request, reply) => {
  const zip = await zipOfSample();
  void reply.header('content-disposition', attachment('sample-package.zip')).header('content-length', zip.length);
  void reply.header('x-content-type-options', 'nosniff').type('application/zip');
  return reply.send(request.method === 'HEAD' ? undefined : zip);
};

export function packageFileRoutes(options: FileOptions): readonly RawRoute[] {
  return [
    { action: uploadPackages as Action, call: upload(options) },
    { action: downloadPackageVersion as Action, call: download(options), answersFile: true },
    { action: downloadSamplePackage as Action, call: sample, answersFile: true },
  ];
}
