/** Packages that come with the server: packed from their sources and put into the catalogue when their version is new. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { manifestName, parseManifest, type PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import type { PackageKey } from '../../auth/package-key.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { storeUpload } from './upload.ts';

/** Files that every package gets. */
const shared = 'shared';
/** The same in every zip, so that the same sources make the same bytes. */
const packedOn = new Date(2026, 0, 1);

interface BuiltInOptions {
  store: FileStore;
  key: PackageKey;
  /** A folder per package. */
  sources: string;
  /** Folder of uploads that are being received. */
  incoming: string;
}

async function filesOf(folder: string): Promise<[name: string, content: Buffer][]> {
  const names = (await readdir(folder)).filter((name) => !name.includes('.test.')).toSorted();
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as [string, Buffer]));
}

/** The zip of a package, with the manifest that is in it. */
export async function packBuiltIn(sources: string, name: string): Promise<{ manifest: PackageManifest; zip: Buffer }> {
  const files = [...(await filesOf(join(sources, name))), ...(await filesOf(join(sources, shared)))];
  const parsed = parseManifest(files.find(([file]) => file === manifestName)?.[1].toString() ?? '');
  if ('faults' in parsed)
    throw new Error(`The manifest of ${name} is wrong: ${parsed.faults.map(({ field, message }) => `${field} ${message}`).join(', ')}`);
  const zip = new ZipFile();
  for (const [file, content] of files) zip.addBuffer(content, file, { mtime: packedOn, mode: 0o100644 });
  zip.end();
  return { manifest: parsed.manifest, zip: await buffer(zip.outputStream) };
}

export async function builtInNames(sources: string): Promise<string[]> {
  return (await readdir(sources)).filter((name) => name !== shared).toSorted();
}

interface CataloguePackage {
  is_built_in: boolean;
  has_version: boolean;
}

/** A version that is there already stays as it is. A package of the same name that people have made for everyone stays theirs. */
export async function ensureBuiltIns(ctx: Ctx, options: BuiltInOptions): Promise<void> {
  const { store, key, sources, incoming } = options;
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const name of await builtInNames(sources)) {
    const { manifest, zip } = await packBuiltIn(sources, name);
    const [existing] = await ctx.db.query<CataloguePackage>({
      text: `select p.is_built_in, exists (select from package_version v where v.package_id = p.package_id and v.version = $2) as has_version
        from package p where p.tenant_id is null and lower(p.name) = lower($1)`,
      values: [manifest.name, manifest.version],
    });
    if (existing?.has_version && existing.is_built_in) continue;
    if (existing && !existing.is_built_in) {
      ctx.log.warn(`The package ${manifest.name} of the server is not offered, because another package for everyone has its name.`);
      continue;
    }
    const path = join(incoming, randomBytes(16).toString('hex'));
    const fileName = `${name}-${manifest.version}.zip`;
    const file = { part: name, fileName, path, size: zip.length, sha256: createHash('sha256').update(zip).digest('hex') };
    try {
      await writeFile(path, zip, { mode: 0o600 });
      await storeUpload(ctx, store, key, { label: 'Comes with the server', tenantId: null, files: [file], isBuiltIn: true });
    } catch (error) {
      // Another server has just added it.
      if (error instanceof ApiError && error.code === 'Conflict') continue;
      // A full disk or a file store that does not answer must not keep the server from starting.
      ctx.log.warn({ err: error }, `The package ${manifest.name} of the server could not be stored. The next start tries again.`);
    } finally {
      await rm(path, { force: true });
    }
  }
}
