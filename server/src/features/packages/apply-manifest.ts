/** Updates a package and its operations from the manifest of its newest version. */
import type { PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import type { operations } from '@cloudfit/contract/resources/operations.ts';
import type { packages } from '@cloudfit/contract/resources/packages.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { operatingSystemRids } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { setFields, update } from '../../resources/update.ts';
import { servedOperations, servedPackages } from './packages.served.ts';

export function ridsOf(manifest: PackageManifest): number {
  return manifest.operatingSystems ?? operatingSystemRids.any;
}

/** Fields of the package that the manifest sets. */
export function packageFields(manifest: PackageManifest): RowInput<typeof packages> & { name: string } {
  return {
    name: manifest.name,
    description: manifest.description || null,
    packageTypeId: manifest.type,
    executableName: manifest.executable,
    executableTypeId: manifest.executableType,
    referenceUrl: manifest.referenceUrl ?? null,
    operatingSystemRidsId: ridsOf(manifest),
    parameterDefinitions: manifest.parameters,
  };
}

interface StoredOperation {
  operation_id: string;
  name: string;
  is_used: boolean;
}

/** Call this with the package locked. Operations that the manifest no longer declares are deleted, unless devices run them. */
export async function applyManifest(ctx: Ctx, packageId: string, tenantId: string | null, manifest: PackageManifest): Promise<void> {
  await update(ctx, servedPackages, packageId, packageFields(manifest));
  const storedOperations = await ctx.db.query<StoredOperation>({
    text: `select o.operation_id, o.name, exists (select from device_operation d where d.operation_id = o.operation_id and not d.is_deleted) as is_used
      from operation o where o.package_id = $1 and not o.is_deleted for update of o`,
    values: [packageId],
  });
  const byName = new Map(storedOperations.map((k) => [k.name.toLowerCase(), k]));
  for (const operation of manifest.operations) {
    const stored = byName.get(operation.name.toLowerCase());
    const fields: RowInput<typeof operations> = {
      description: operation.description || null,
      parameterDefinitions: operation.parameters,
      frequencyDefinitions: operation.frequencies,
      defaultInterval: operation.defaultInterval,
      operationTypeId: operation.type,
      operationResultTypeId: operation.result,
    };
    if (stored) await update(ctx, servedOperations, stored.operation_id, fields);
    else await create(ctx, servedOperations, { ...fields, name: operation.name, packageId, tenantId });
    byName.delete(operation.name.toLowerCase());
  }
  for (const removed of byName.values())
    if (!removed.is_used) await setFields(ctx, servedOperations, removed.operation_id, { isDeleted: true });
}
