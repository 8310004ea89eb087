import { sql } from '../../db/sql.ts';
import { availableOperations, deletePackageVersion } from '@cloudfit/contract/actions/packages.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { inTransaction } from '../../context/ctx.ts';
import { implement, implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { remove } from '../../resources/remove.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { applyManifest } from './apply-manifest.ts';
import { servedPackages, servedPackageVersions } from './packages.served.ts';
import { lockPackage, promoteNewest } from './statuses.ts';

/** Deletes a version. The next sweep of orphaned files removes its file, so that a running download can end. */
const deleteVersion = implement(deletePackageVersion, (ctx, { packageId, packageVersionId }) =>
  inTransaction(ctx, async (ctx) => {
    await lockPackage(ctx, packageId);
    const version = await get(ctx, servedPackageVersions, packageVersionId);
    if (version.packageId !== packageId) throw notFound('Package version');
    if ((await get(ctx, servedPackages, packageId)).isBuiltIn)
      throw new ApiError('Conflict', `Version ${version.version} comes with the server and cannot be deleted.`);
    const [used] = await ctx.db.query({
      text: 'select 1 from device_installation where package_version_id = $1 or installed_version_id = $1 limit 1',
      values: [packageVersionId],
    });
    if (used) throw new ApiError('Conflict', `Version ${version.version} cannot be deleted while devices have it or should have it.`);
    await remove(ctx, servedPackageVersions, packageVersionId);
    const manifest = await promoteNewest(ctx, packageId);
    if (manifest) await applyManifest(ctx, packageId, version.tenantId, manifest);
  }),
);

/** Each row has the number of rows before `$filter`, which the panel shows (API-125). */
const available = implementList(
  availableOperations,
  (ctx, { tenantId, operatingSystemId }, t) => {
    requireTenant(ctx, tenantId);
    const column = (name: string) => sql.ref(`${t}.${name}`);
    return sql<boolean>`((${column('tenant_id')} = ${tenantId}::uuid or ${column('tenant_id')} is null)
      and exists (select from package fp where fp.package_id = ${column('package_id')}
        and (fp.operating_system_rids_id in (0, 7) or fp.operating_system_rids_id & ${operatingSystemId}::int <> 0)))`;
  },
  async (count) => ({ totalBeforeFiltering: await count() }),
);

export const packageActions: readonly ImplementedAction[] = [deleteVersion, available];
