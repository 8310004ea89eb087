import { createHash } from 'node:crypto';
import { pipeline, Transform, type Readable } from 'node:stream';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import type { FileStore } from '../../platform/file-store.ts';

export interface PackageFile {
  fileName: string;
  size: number;
  sha256: string;
  content: (range?: { start: number; end: number }) => Promise<Readable>;
}

/**
 * Logs that the stored bytes are not those that were uploaded and signed. Returns the error for the caller: a Conflict, because
 * trying again does not help, and an agent goes on trying after a 5xx.
 */
function changedFile(ctx: Ctx, packageVersionId: string, storageName: string): ApiError {
  const message = 'The stored file of this version has changed. Upload the version again, or restore its file from a backup.';
  ctx.log.error({ packageVersionId, storageName }, message);
  return new ApiError('Conflict', message);
}

/** Passes bytes on, the last of them only when all of them have this digest, so that a changed file never arrives whole. */
function digestGate(sha256: string, changed: () => ApiError): Transform {
  const hash = createHash('sha256');
  let lastChunk: Buffer | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const before = lastChunk;
      lastChunk = chunk;
      done(null, before);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) done(null, lastChunk);
      else done(changed());
    },
  });
}

/**
 * Returns a version's file, for the agent of a device of its tenant or for people who may view packages in that tenant. Throws
 * 404 for a file of another tenant, 403 for callers without the permission.
 */
export async function packageFile(ctx: Ctx, store: FileStore, packageId: string, packageVersionId: string): Promise<PackageFile> {
  const scope = ctx.actor.kind === 'device' ? ctx.tenants : requireScope(ctx, 'Packages', 'view');
  const [version] = await ctx.db.query<{ file_name: string; file_size: number; sha256: string; storage_name: string }>({
    text: `select file_name, file_size, sha256, storage_name from package_version
      where package_version_id = $1 and package_id = $2 and ($3::uuid[] is null or tenant_id is null or tenant_id = any($3))`,
    values: [packageVersionId, packageId, scope === 'all' ? null : scope],
  });
  if (!version) throw notFound('Package version');
  return {
    fileName: version.file_name,
    size: version.file_size,
    sha256: version.sha256,
    content: async (range) => {
      const { storage_name: name, sha256 } = version;
      const gate = (): Transform => digestGate(sha256, () => changedFile(ctx, packageVersionId, name));
      const whole = pipeline(await store.open(name), gate(), () => undefined);
      if (!range) return whole;
      // A part proves nothing of itself, so the whole file is read before one is sent.
      for await (const _chunk of whole);
      return store.open(name, range);
    },
  };
}
