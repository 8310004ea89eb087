import type { Readable } from 'node:stream';
import { notFound } from '@cloudfit/contract/errors.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import type { FileStore } from '../../platform/file-store.ts';

export interface PackageFile {
  fileName: string;
  size: number;
  sha256: string;
  content: (range?: { start: number; end: number }) => Promise<Readable>;
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
    content: (range) => store.open(version.storage_name, range),
  };
}
