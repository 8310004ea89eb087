/** Packages and operations for tests about devices, inserted without an upload. */
import { randomUUID } from 'node:crypto';
import type { TestWorld } from '../world.ts';

export interface CreatedPackage {
  packageId: string;
  operationId: string;
  /** Ids of the package versions, by version number. */
  versions: Record<string, string>;
}

interface PackageOptions {
  tenantId: string | null;
  name?: string;
  /** In any order: the newest version is the one with the highest `precedence`. `status` is a package version status. */
  versions?: readonly { version: string; precedence: string; status: number; rids?: number }[];
  rids?: number;
  frequencies?: readonly number[];
  parameters?: readonly object[];
}

export async function makePackage(world: TestWorld, options: PackageOptions): Promise<CreatedPackage> {
  const { tenantId, name = `Package ${randomUUID()}`, rids = 0, frequencies = [1, 2], parameters = [] } = options;
  const versions = options.versions ?? [{ version: '1.0.0', precedence: '1', status: 1 }];
  const [inserted] = await world.system.db.query<{ package_id: string | null; operation_id: string }>({
    text: `with p as (insert into package (tenant_id, name, package_type_id, executable_type_id, operating_system_rids_id) values ($1, $2, 1, 2, $3) returning *)
      insert into operation (tenant_id, package_id, name, frequency_definitions, parameter_definitions, operation_type_id)
      select $1, package_id, 'Measure', $4, $5, 6 from p returning package_id, operation_id`,
    values: [tenantId, name, rids, JSON.stringify(frequencies), JSON.stringify(parameters)],
  });
  if (!inserted?.package_id) throw new Error('The package was not inserted.');
  const ids: Record<string, string> = {};
  for (const v of versions) {
    const [row] = await world.system.db.query<{ id: string }>({
      text: `insert into package_version (package_id, tenant_id, version, precedence, label, package_version_status_id, operating_system_rids_id, executable_name, file_name, file_size, sha256, manifest, storage_name, created_by)
        values ($1, $2, $3, $4, 'x', $5, $6, 'run.js', 'a.zip', 1, 'x', '{}', $7, 'test') returning package_version_id as id`,
      values: [inserted.package_id, tenantId, v.version, v.precedence, v.status, v.rids ?? rids, randomUUID()],
    });
    ids[v.version] = row?.id ?? '';
  }
  return { packageId: inserted.package_id, operationId: inserted.operation_id, versions: ids };
}
