/** Upload (multipart) and download of files in the notes of work units. */
import type { Action } from '@cloudfit/contract/action.ts';
import { addFileOfWorkUnit, deleteFileOfWorkUnit, fileOfWorkUnit } from '@cloudfit/contract/actions/work-units/files.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { deleteUnitFile, readUnitFile, requireFileWriter, storeUnitFile } from '../features/work-units/files/unit-files.ts';
import { namesTag } from '../resources/get.ts';
import { inputOf } from './action-routes.ts';
import { attachment, type FileOptions } from './package-files.ts';
import { receiveFiles } from './receive-files.ts';
import type { RawCall, RawRoute } from './request-steps.ts';

const upload =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    const { store, incoming, maxNoteFileBytes } = options;
    // A client that is refused early cannot send the rest of its body, so the connection is closed.
    void reply.header('connection', 'close');
    const { id } = inputOf(addFileOfWorkUnit, request);
    await requireFileWriter(ctx, id);
    const { files, fields, discard } = await receiveFiles(request, incoming, maxNoteFileBytes);
    try {
      const [file, ...others] = files;
      const [unknown] = Object.keys(fields);
      if (!file) throw validationFailed([{ target: 'file-1', message: 'File is required.' }]);
      if (others.length > 0 || unknown !== undefined)
        throw validationFailed([{ target: others[0]?.part ?? unknown ?? '', message: 'Send one file with each call, as file-1.' }]);
      const stored = await storeUnitFile(ctx, store, id, file);
      return await reply.code(201).removeHeader('connection').send(stored);
    } finally {
      await discard();
    }
  };

/**
 * A browser that opens the address saves the file, and a page that it is made to show gets no rights: people may have uploaded
 * anything.
 */
const download =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    const { id, small } = inputOf(fileOfWorkUnit, request);
    const file = await readUnitFile(ctx, options.store, id, small === 'true');
    const etag = `"${file.digest}"`;
    void reply
      .header('etag', etag)
      .header('cache-control', 'private, no-cache')
      .header('content-disposition', attachment(file.name))
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff');
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    void reply.type(file.contentType).header('content-length', file.size);
    return reply.send(request.method === 'HEAD' ? undefined : await file.content());
  };

const remove =
  (options: FileOptions): RawCall =>
  async (ctx, request, reply) => {
    await deleteUnitFile(ctx, options.store, inputOf(deleteFileOfWorkUnit, request).id);
    return reply.code(204).send();
  };

export function unitFileRoutes(options: FileOptions): readonly RawRoute[] {
  return [
    { action: addFileOfWorkUnit as Action, call: upload(options) },
    { action: deleteFileOfWorkUnit as Action, call: remove(options) },
    { action: fileOfWorkUnit as Action, call: download(options), answersFile: true },
  ];
}
