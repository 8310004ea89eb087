/** Packages that come with the server: packed from their sources and added to the catalogue when their version is new. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { manifestName, parseManifest, type PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import type { PackageKey } from '../../auth/package-key.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { FileStore } from '../../platform/file-store.ts';
import { storeUpload } from './upload.ts';

/** The folder of files that every package contains. */
const shared = 'shared';
/** The same time in every zip, so that the same sources give the same bytes. */
const packedOn = new Date(2026, 0, 1);

interface BuiltInOptions {
  store: FileStore;
  key: PackageKey;
  /** A folder per package. */
  sources: string;
  /** Folder of uploads that are being received. */
  incoming: string;
}

/** Matches an import of a library, which is neither a file of the package nor a part of Node. */
const importsLibrary = /^import .* from '(?!node:|\.)/m;

/** Bundles a script with the libraries that it imports, because devices have no libraries. */
async function scriptWithLibraries(path: string): Promise<Buffer> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: path, platform: 'node', external: (id, importer) => importer === path && id.startsWith('./') });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return Buffer.from(output[0].code);
}

async function filesOf(folder: string): Promise<[name: string, content: Buffer][]> {
  const files: [string, Buffer][] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name);
    const content = await readFile(path);
    files.push([name, name.endsWith('.mjs') && importsLibrary.test(content.toString()) ? await scriptWithLibraries(path) : content]);
  }
  return files;
}

/** The files of a package as they are in its zip. */
export async function filesOfBuiltIn(sources: string, name: string): Promise<[name: string, content: Buffer][]> {
  return [...(await filesOf(join(sources, name))), ...(await filesOf(join(sources, shared)))];
}

export async function manifestOfBuiltIn(sources: string, name: string): Promise<PackageManifest> {
  const parsed = parseManifest(await readFile(join(sources, name, manifestName), 'utf8'));
  if ('faults' in parsed)
    throw new Error(`The manifest of ${name} is wrong: ${parsed.faults.map(({ field, message }) => `${field} ${message}`).join(', ')}`);
  return parsed.manifest;
}

async function zipOf(files: readonly [name: string, content: Buffer][]): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const [file, content] of files) zip.addBuffer(content, file, { mtime: packedOn, mode: 0o100644 });
  zip.end();
  return buffer(zip.outputStream);
}

export async function zipOfBuiltIn(sources: string, name: string): Promise<Buffer> {
  return zipOf(await filesOfBuiltIn(sources, name));
}

/** The package that people download as a first example. It is in the catalogue only after somebody uploads it. */
export async function zipOfSample(): Promise<Buffer> {
  return zipOf(await filesOf(join(import.meta.dirname, '../../../sample-package')));
}

export async function builtInNames(sources: string): Promise<string[]> {
  return (await readdir(sources)).filter((name) => name !== shared).toSorted();
}

interface CataloguePackage {
  is_built_in: boolean;
  has_version: boolean;
}

/**
 * Adds new versions of the built-in packages to the catalogue; stored versions do not change. A package for everyone that
 * people have created with the same name stays as it is.
 */
export async function ensureBuiltIns(ctx: Ctx, options: BuiltInOptions): Promise<void> {
  const { store, key, sources, incoming } = options;
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const name of await builtInNames(sources)) {
    const manifest = await manifestOfBuiltIn(sources, name);
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
    const zip = await zipOfBuiltIn(sources, name);
    const path = join(incoming, randomBytes(16).toString('hex'));
    const fileName = `${name}-${manifest.version}.zip`;
    const file = { part: name, fileName, path, size: zip.length, sha256: createHash('sha256').update(zip).digest('hex') };
    try {
      await writeFile(path, zip, { mode: 0o600 });
      await storeUpload(ctx, store, key, {
        label: 'Comes with the server',
        tenantId: null,
        files: [file],
        isBuiltIn: true,
        comesWithServer: true,
      });
    } catch (error) {
      // Another server has just added this version.
      if (error instanceof ApiError && error.code === 'Conflict') continue;
      // A full disk or a file store that does not answer must not keep the server from starting.
      ctx.log.warn({ err: error }, `The package ${manifest.name} of the server could not be stored. The next start tries again.`);
    } finally {
      await rm(path, { force: true });
    }
  }
}
