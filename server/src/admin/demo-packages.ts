/** The packages of the demonstration: real ones, with a script that runs on a machine that installs them. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { incomingFolder, openFileStore } from '../app/open-file-store.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey } from '../auth/master-key.ts';
import { loadPackageKey } from '../auth/package-key.ts';
import type { Ctx } from '../context/ctx.ts';
import { demoPackages } from '../demo/software.ts';
import { storeUpload } from '../features/packages/upload.ts';
import type { Config } from '../platform/config.ts';

const scripts: Record<(typeof demoPackages)[number]['name'], { parameters: object[]; text: string }> = {
  'Backup age': {
    parameters: [{ name: 'Folder', description: 'Where the backups are', required: true, default: '/var/backups' }],
    text: `import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
const { Folder: folder = '/var/backups' } = JSON.parse(process.env.CLOUDFIT_PARAMETERS || '{}');
const newest = Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs));
if (!Number.isFinite(newest)) throw new Error('There is no backup in ' + folder + '.');
console.log(JSON.stringify({ value: Math.round((Date.now() - newest) / 360000) / 10 }));
`,
  },
  'Open files': {
    parameters: [],
    text: `import { readFileSync } from 'node:fs';
const [open] = readFileSync('/proc/sys/fs/file-nr', 'utf8').split(/\\s+/).map(Number);
console.log(JSON.stringify({ value: open }));
`,
  },
};

/** Adds the missing versions of the demonstration's packages to the catalogue, for all tenants. */
export async function ensureDemoPackages(ctx: Ctx, config: Config): Promise<void> {
  const log = { warn: (line: unknown) => console.error(line) };
  const masterKey = await loadMasterKey({ ...config, log, inUse: await masterKeysInUse(ctx.db) });
  const key = await loadPackageKey(ctx.db, masterKey);
  const incoming = incomingFolder(config);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const { name, operation, versions } of demoPackages) {
    for (const version of versions) {
      const existing = await ctx.db.query({
        text: `select from package p join package_version v on v.package_id = p.package_id
          where p.tenant_id is null and lower(p.name) = lower($1) and v.version = $2`,
        values: [name, version],
      });
      if (existing.length > 0) continue;
      const { parameters, text } = scripts[name];
      const manifest = {
        name,
        version,
        description: 'Part of the demonstration.',
        type: 'Watcher',
        executable: 'run.mjs',
        executableType: 'Script',
        operations: [{ name: operation, type: 'Metric', result: 'Numeric', frequencies: ['Recurring', 'OnDemand'], parameters }],
      };
      const zip = new ZipFile();
      zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), 'cloudfit.json');
      zip.addBuffer(Buffer.from(text), 'run.mjs');
      zip.end();
      const content = await buffer(zip.outputStream);
      const path = join(incoming, randomBytes(16).toString('hex'));
      try {
        await writeFile(path, content, { mode: 0o600 });
        const sha256 = createHash('sha256').update(content).digest('hex');
        const file = { part: name, fileName: `${name}.zip`, path, size: content.length, sha256 };
        await storeUpload(ctx, openFileStore(config), key, { label: 'Demonstration', tenantId: null, files: [file] });
      } finally {
        await rm(path, { force: true });
      }
    }
  }
}
