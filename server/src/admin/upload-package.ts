/** Uploads packages from the command line, for all tenants. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { incomingFolder, openFileStore } from '../app/open-file-store.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey } from '../auth/master-key.ts';
import { loadPackageKey } from '../auth/package-key.ts';
import type { Ctx } from '../context/ctx.ts';
import { storeUpload } from '../features/packages/upload.ts';
import type { Config } from '../platform/config.ts';

/** Whether the package for all tenants has this version. */
export async function hasVersion(ctx: Ctx, name: string, version: string): Promise<boolean> {
  const rows = await ctx.db.query({
    text: `select from package p join package_version v on v.package_id = p.package_id
      where p.tenant_id is null and lower(p.name) = lower($1) and v.version = $2`,
    values: [name, version],
  });
  return rows.length > 0;
}

/** Stores the zip of a package as a new version. `label` says where it is from. */
export async function uploadPackage(
  ctx: Ctx,
  config: Config,
  { label, fileName, content }: { label: string; fileName: string; content: Buffer },
): Promise<void> {
  const log = { warn: (line: unknown) => console.error(line) };
  const masterKey = await loadMasterKey({ ...config, log, inUse: await masterKeysInUse(ctx.db) });
  const key = await loadPackageKey(ctx.db, masterKey);
  const incoming = incomingFolder(config);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const path = join(incoming, randomBytes(16).toString('hex'));
  try {
    await writeFile(path, content, { mode: 0o600 });
    const sha256 = createHash('sha256').update(content).digest('hex');
    const file = { part: fileName, fileName, path, size: content.length, sha256 };
    await storeUpload(ctx, openFileStore(config), key, { label, tenantId: null, files: [file] });
  } finally {
    await rm(path, { force: true });
  }
}
