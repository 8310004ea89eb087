/**
 * Maintains the statuses of a package's versions: the newest release is Latest, older releases are Archived, pre-releases are
 * PreRelease.
 */
import { sql } from '../../db/sql.ts';
import { packageVersionStatus } from '@cloudfit/contract/enums.ts';
import type { PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import type { Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedPackageVersions } from './packages.served.ts';

/** Locks the versions of a package against other transactions that add or delete some. Call it in a transaction. */
export async function lockPackage(ctx: Ctx, packageId: unknown): Promise<void> {
  await ctx.db.query({ text: 'select 1 from package where package_id = $1 for update', values: [packageId] });
}

async function setStatus(ctx: Ctx, id: string, status: number): Promise<void> {
  const before = await get(ctx, servedPackageVersions, id, { lock: 'edit' });
  const write = sql`update package_version set package_version_status_id = ${status} where package_version_id = ${id} returning *`;
  await writeRecorded(ctx, servedPackageVersions, 'update', write, before);
}

/** Archives the version that is Latest. Call this before another version becomes Latest: a unique index allows only one. */
export async function demoteLatest(ctx: Ctx, packageId: unknown): Promise<void> {
  const [former] = await ctx.db.query<{ id: string }>({
    text: `select package_version_id as id from package_version where package_id = $1 and package_version_status_id = ${packageVersionStatus.latest}`,
    values: [packageId],
  });
  if (former) await setStatus(ctx, former.id, packageVersionStatus.archived);
}

/** Call this after a deletion: the newest release becomes Latest. Returns its manifest if it was not Latest before. */
export async function promoteNewest(ctx: Ctx, packageId: unknown): Promise<PackageManifest | undefined> {
  const [newest] = await ctx.db.query<{ id: string; status: number; manifest: PackageManifest }>({
    text: `select package_version_id as id, package_version_status_id as status, manifest from package_version
      where package_id = $1 and package_version_status_id <> ${packageVersionStatus.preRelease} order by precedence desc limit 1`,
    values: [packageId],
  });
  if (!newest || newest.status === packageVersionStatus.latest) return undefined;
  await setStatus(ctx, newest.id, packageVersionStatus.latest);
  return newest.manifest;
}
