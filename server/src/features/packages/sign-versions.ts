/** Signs versions that have no signature yet, because they were stored while the server had no key. */
import type { Db } from '../../db/db.ts';
import type { PackageKey } from '../../auth/package-key.ts';

const atOnce = 500;

interface UnsignedVersion {
  packageId: string;
  packageVersionId: string;
  sha256: string;
}

/**
 * Signs the versions and returns their number. `db` must see all tenants. Several servers may do this at once, because they
 * compute the same signatures.
 */
export async function signVersions(db: Db, key: PackageKey): Promise<number> {
  for (let signed = 0; ;) {
    const rows = await db.query<UnsignedVersion>({
      text: `select package_id as "packageId", package_version_id as "packageVersionId", sha256
        from package_version where signature is null limit ${atOnce}`,
    });
    if (rows.length === 0) return signed;
    await db.query({
      text: `update package_version v set signature = s.signature
        from jsonb_to_recordset($1::jsonb) as s(id uuid, signature text) where v.package_version_id = s.id`,
      values: [JSON.stringify(rows.map((row) => ({ id: row.packageVersionId, signature: key.sign(row) })))],
    });
    signed += rows.length;
  }
}
