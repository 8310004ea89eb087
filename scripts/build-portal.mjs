/** Builds the portal in each language when its sources changed since the last build. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';

/** The languages that the server offers; each is a build of its own. */
const languages = ['en', 'de'];

const dist = join(root, 'portal/dist');
const stamp = join(dist, '.sources');

/** Builds the portal if necessary. Returns vite's output when it failed, otherwise undefined. */
export function buildPortal() {
  const sources = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return undefined;
  console.log('Building the portal ...');
  for (const language of languages) {
    const failure = build(language);
    if (failure) return failure;
    if (language !== 'en') addLanguage(language);
  }
  // vite builds into a temporary folder, so that a running server does not serve an incomplete portal.
  rmSync(dist, { recursive: true, force: true });
  renameSync(`${dist}.next`, dist);
  writeFileSync(stamp, sources);
  return undefined;
}

const folderOf = (language) => (language === 'en' ? `${dist}.next` : join(`${dist}.next`, '.language'));

/** Builds one language into a folder of its own; returns vite's output when it failed. */
function build(language) {
  const args = [
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    '--logLevel',
    'warn',
    '--outDir',
    folderOf(language),
    '--emptyOutDir',
  ];
  const { status, stdout, stderr } = spawnSync(modernNode(), args, {
    cwd: join(root, 'portal'),
    encoding: 'utf8',
    env: modernEnvironment({ NODE_ENV: 'production', PORTAL_LANGUAGE: language }),
  });
  return status === 0 ? undefined : `${stdout}${stderr}`.trim() || 'vite ended without a word';
}

/**
 * Puts the pages of a language beside the English ones, as `index.de.html`, and its assets among theirs: the name of an asset contains
 * a hash of its content, so both languages share what is the same.
 */
function addLanguage(language) {
  const [from, to] = [folderOf(language), folderOf('en')];
  for (const name of readdirSync(join(from, 'assets'))) renameSync(join(from, 'assets', name), join(to, 'assets', name));
  for (const name of ['index', 'silent']) renameSync(join(from, `${name}.html`), join(to, `${name}.${language}.html`));
  rmSync(from, { recursive: true, force: true });
}

/** Hashes names, sizes and modification times of all input files; reading all contents would take too long. */
function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const portal = readdirSync(join(root, 'portal'))
    .filter((name) => statSync(join(root, 'portal', name)).isFile())
    .map((name) => `portal/${name}`);
  for (const path of [...portal, ...filesIn('portal/src'), ...filesIn('portal/public'), ...filesIn('contract/src')].sort()) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}

if (process.argv[1] === import.meta.filename) {
  const failure = buildPortal();
  if (failure) {
    console.error(failure);
    process.exit(1);
  }
}
