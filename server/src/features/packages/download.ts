import type { Readable } from 'node:stream';
import { notFound } from '@cloudfit/contract/errors.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { allOf, tenantPredicate } from '../../resources/scope.ts';
import { compile } from '../../resources/compile.ts';
import { servedPackageVersions } from './packages.served.ts';
import { sql } from 'kysely';

export interface PackageFile {
  fileName: string;
  size: number;
  sha256: string;
  content: () => Promise<Readable>;
}

/** A version's file: for an agent of its tenant, or whoever may view packages there. 404 for what they may not see. */
export async function packageFile(ctx: Ctx, store: FileStore, packageId: string, packageVersionId: string): Promise<PackageFile> {
  const isAgent = ctx.actor.kind === 'token' && ctx.actor.scopes.includes('agent');
  const scope = isAgent ? ctx.tenants : requireScope(ctx, 'Packages', 'view');
  const is = sql`t.package_version_id = ${packageVersionId}::uuid and t.package_id = ${packageId}::uuid`;
  const [found] = await ctx.db.query<{ file_name: string; file_size: number; sha256: string; storage_name: string }>(
    compile(
      sql`select file_name, file_size, sha256, storage_name from package_version t where ${allOf([is, tenantPredicate(servedPackageVersions.resource, 't', scope)])}`,
    ),
  );
  if (!found) throw notFound('Package version');
  return { fileName: found.file_name, size: found.file_size, sha256: found.sha256, content: () => store.open(found.storage_name) };
}
