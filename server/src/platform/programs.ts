/** The other programs of this installation, which the server starts. */
import { join } from 'node:path';

/** Only in a bundle: the folder that has a folder for each program (`scripts/server/bundle.mjs`). */
declare const bundleFolder: string | undefined;

const projectRoot = join(import.meta.dirname, '../../..');
const sources = { admin: 'server/src/admin/main.ts', agent: 'agent/src/main.ts' };

/** Returns the file to run: a bundled server starts the bundles that were made with it. */
export function programFile(name: keyof typeof sources): string {
  return typeof bundleFolder === 'undefined' ? join(projectRoot, sources[name]) : join(bundleFolder, name, 'main.mjs');
}
