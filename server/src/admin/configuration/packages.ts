/** The packages of a configuration folder: zips in `global/packages`, of the operations that its checks run. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ConfigurationDocument } from '@cloudfit/contract/configuration.ts';
import { openFileStore } from '../../app/open-file-store.ts';
import type { Ctx } from '../../context/ctx.ts';
import { readManifest } from '../../features/packages/read-manifest.ts';
import type { Config } from '../../platform/config.ts';
import { UsageError } from '../command.ts';
import { hasVersion, uploadPackage } from '../upload-package.ts';

const folderOf = (folder: string): string => join(folder, 'global', 'packages');

const fileNameOf = (name: string, version: string): string => `${name.replaceAll(/[^\w.-]+/g, '-')}-${version}.zip`.toLowerCase();

async function zipsIn(folder: string): Promise<string[]> {
  const names = await readdir(folderOf(folder)).catch(() => []);
  return names.filter((name) => name.endsWith('.zip')).toSorted();
}

/**
 * Writes the latest version of each uploaded package for all tenants whose operations the document names, and removes zips of an earlier
 * export. Returns the number of zips.
 */
export async function writePackages(ctx: Ctx, config: Config, folder: string, { names }: ConfigurationDocument): Promise<number> {
  const operations = (names?.['operations'] ?? []).map(({ key }) => key);
  const rows = await ctx.db.query<{ name: string; version: string; storage_name: string }>({
    text: `select distinct p.name, v.version, v.storage_name from operation o join package p on p.package_id = o.package_id
      join package_version v on v.package_id = p.package_id and v.package_version_status_id = 1
      where o.operation_id = any($1::uuid[]) and p.tenant_id is null and not p.is_built_in order by p.name`,
    values: [operations],
  });
  for (const name of await zipsIn(folder)) await rm(join(folderOf(folder), name));
  if (rows.length > 0) await mkdir(folderOf(folder), { recursive: true });
  const store = openFileStore(config);
  for (const { name, version, storage_name: storageName } of rows)
    await pipeline(await store.open(storageName), createWriteStream(join(folderOf(folder), fileNameOf(name, version))));
  return rows.length;
}

/** Uploads the packages that are missing here; with `dryRun` none. Returns a line for each. */
export async function addPackages(ctx: Ctx, config: Config, folder: string, dryRun: boolean): Promise<string[]> {
  const lines: string[] = [];
  for (const fileName of await zipsIn(folder)) {
    const path = join(folderOf(folder), fileName);
    const read = await readManifest(path, (await stat(path)).size);
    if ('faults' in read) throw new UsageError(`${path} is no package: ${read.faults.map(({ message }) => message).join(' ')}`);
    const { name, version } = read.manifest;
    if (await hasVersion(ctx, name, version)) continue;
    if (!dryRun) await uploadPackage(ctx, config, { label: 'Configuration', fileName, content: await readFile(path) });
    lines.push(`+ packages ${name} ${version}${dryRun ? '; its checks can be compared once it is here' : ''}`);
  }
  return lines;
}
