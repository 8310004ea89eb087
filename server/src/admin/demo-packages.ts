/** The packages of the demonstration: real ones, with a script that runs on a machine that installs them. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Ctx } from '../context/ctx.ts';
import { demoPackages } from '../demo/software.ts';
import type { Config } from '../platform/config.ts';
import { hasVersion, uploadPackage } from './upload-package.ts';

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
  for (const { name, operation, versions } of demoPackages) {
    for (const version of versions) {
      if (await hasVersion(ctx, name, version)) continue;
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
      await uploadPackage(ctx, config, { label: 'Demonstration', fileName: `${name}.zip`, content: await buffer(zip.outputStream) });
    }
  }
}
