/** The agent's own executables as packages of the catalogue, so that agents are updated like everything else. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { PackageKey } from '../../auth/package-key.ts';
import type { Ctx } from '../../context/ctx.ts';
import { builtAgent, type AgentFolders } from '../../platform/agent-files.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { readManifest } from './read-manifest.ts';
import { storeUpload } from './upload.ts';

export interface AgentPackagesOptions {
  store: FileStore;
  key: PackageKey;
  folders: AgentFolders;
  /** Folder of uploads that are being received. */
  incoming: string;
}

/** Adds the versions that are built but not in the catalogue yet. Existing versions stay as they are. */
export async function offerAgentPackages(ctx: Ctx, { store, key, folders, incoming }: AgentPackagesOptions): Promise<void> {
  for (const { file } of (await builtAgent(folders))?.files ?? []) {
    const zip = join(folders.built, `${file}.zip`);
    if (!existsSync(zip)) continue;
    const { size } = await stat(zip);
    const parsed = await readManifest(zip, size);
    if (!('manifest' in parsed)) throw new Error(`${zip} has a wrong manifest.`);
    const { name, version } = parsed.manifest;
    const existing = await ctx.db.query({
      text: `select from package p join package_version v on v.package_id = p.package_id
        where p.tenant_id is null and lower(p.name) = lower($1) and v.version = $2`,
      values: [name, version],
    });
    if (existing.length > 0) continue;
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    const path = join(incoming, randomBytes(16).toString('hex'));
    try {
      await copyFile(zip, path);
      const hash = createHash('sha256');
      await pipeline(createReadStream(path), hash);
      const upload = { part: file, fileName: `${file}.zip`, path, size, sha256: hash.digest('hex') };
      await storeUpload(ctx, store, key, { label: 'Built on this server', tenantId: null, files: [upload], comesWithServer: true });
    } catch (error) {
      // Another server has just added this version.
      if (!(error instanceof ApiError) || error.code !== 'Conflict') throw error;
    } finally {
      await rm(path, { force: true });
    }
  }
}
