/**
 * Finds the file that runs a program: its bundle, which starts in half of the processor time, or its source. The bundle is made when
 * its sources have changed. Runs on any Node, without any package.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../install.mjs';
import { compiledFolder, modernNode } from '../run-node.mjs';

/** The programs that are bundled: the source of each, and the folder that its bundle gets. */
export const programs = { 'server/src/main.ts': 'server', 'server/src/admin/main.ts': 'admin', 'agent/src/main.ts': 'agent' };

/** A bundle that was chosen within this time stays, because its process may not be seen yet. */
const freshMs = 600_000;
/** Where processes cannot be listed, as on Windows, a bundle stays so long after it was last chosen. */
const unseenMs = 30 * 24 * 3_600_000;

const distOf = (project) => join(project, 'server/dist');

export const folderOf = (project, key) => join(distOf(project), key);

/** Projects of which this process has said that they run from their sources. */
const withoutBundle = new Set();

/**
 * Returns the path of the file that runs a program, which is named by its source, and the folder of its compile cache: that of a bundle
 * is removed with it. Says why when a program runs from its source though SERVER_BUNDLE is not off.
 */
export function programOf(source, { project = root, warn = console.error } = {}) {
  const fromSource = { file: join(project, source), compileCache: compiledFolder };
  if (process.env.SERVER_BUNDLE === 'off' || !(source in programs)) return fromSource;
  try {
    const folder = bundleOf(project);
    return { file: join(folder, programs[source], 'main.mjs'), compileCache: join(folder, 'compiled') };
  } catch (error) {
    if (!withoutBundle.has(project)) warn(`The server starts slower, from its sources, because it could not be bundled: ${error.message}`);
    withoutBundle.add(project);
    return fromSource;
  }
}

/** Returns the folder of the bundle of these sources; makes it if there is none, or not a whole one. Throws when that fails. */
function bundleOf(project) {
  const key = fingerprint(project);
  const folder = folderOf(project, key);
  if (isWhole(folder)) {
    touch(folder);
    return folder;
  }
  const side = join(distOf(project), `.next-${process.pid}-${Date.now()}`);
  try {
    // Fails at once where the folder cannot be written.
    mkdirSync(side, { recursive: true });
    make(project, side, key);
    // Two starts at the same time each make one; the second finds the first one's in its place.
    if (!isWhole(folder)) {
      if (existsSync(folder)) renameSync(folder, `${side}-broken`);
      renameSync(side, folder);
    }
  } catch (error) {
    if (!isWhole(folder)) throw error;
  } finally {
    for (const path of [side, `${side}-broken`]) rmSync(path, { recursive: true, force: true });
  }
  removeOld(distOf(project), key);
  return folder;
}

/** Bundles in a process of its own, because the Node of this process may be too old for it. */
function make(project, side, key) {
  const args = [join(import.meta.dirname, 'bundle.mjs'), project, side, key];
  const { status, signal, stderr, error } = spawnSync(modernNode(), args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder },
  });
  if (status !== 0) throw error ?? new Error(stderr.trim().slice(0, 2_000) || `the bundler ended (${signal ?? status})`);
}

/** Whether a bundle has all its files: a file of a full disk, or after a power cut, may be shorter than it was written. */
function isWhole(folder) {
  try {
    const files = Object.entries(JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')));
    return files.length > 0 && files.every(([file, size]) => statSync(join(folder, file)).size === size);
  } catch {
    return false;
  }
}

/** Notes that the bundle is in use. */
function touch(folder) {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Where it cannot be written, nobody removes it either.
  }
}

/** Removes other bundles that nobody uses, and what killed builds left. */
function removeOld(dist, key) {
  const running = commandLines();
  for (const name of readdirSync(dist)) {
    try {
      const folder = join(dist, name);
      const ageMs = Date.now() - statSync(folder).mtimeMs;
      const isUsed = running === undefined ? ageMs < unseenMs : running.includes(folder);
      if (name !== key && ageMs > freshMs && !isUsed) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another start removes it as well.
    }
  }
}

/** Returns the command lines of all processes, each of which has the path of its program; undefined where they cannot be read. */
function commandLines() {
  if (process.platform !== 'linux') {
    const { status, stdout } = spawnSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
}

/** Returns the files that decide what a bundle contains; paths are relative to the project. */
export function sourcesOf(project) {
  const sources = ['server/src', 'contract/src', 'agent/src'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && /\.[jt]s$/.test(file.name) && !file.name.endsWith('.test.ts'))
      .map((file) => relative(project, join(file.parentPath ?? file.path, file.name)))
      .filter((path) => !/[\\/]testing[\\/]/.test(path)),
  );
  const manifests = ['package-lock.json', 'contract/package.json', 'server/package.json', 'agent/package.json'];
  return [...sources, ...manifests.filter((path) => existsSync(join(project, path)))].sort();
}

/**
 * Returns the fingerprint of the sources. It hashes contents, not times, because a bundle that was made elsewhere with the same sources, or
 * before a change that was undone, is fresh. To read them all takes 50 ms, so the last fingerprint holds as long as no source has
 * changed, by what programs cannot set: the file's number and the time of its last change in nanoseconds.
 */
function fingerprint(project) {
  const paths = [...['bundle.mjs', 'program.mjs', 'stacks.mjs'].map((name) => join(import.meta.dirname, name)), ...sourcesOf(project)];
  const state = createHash('sha256').update(project);
  for (const path of paths) {
    const { ino, size, ctimeNs } = statSync(resolve(project, path), { bigint: true });
    state.update(`\0${path}\0${ino} ${size} ${ctimeNs}`);
  }
  const noted = join(project, 'node_modules/.cache/server-sources');
  const now = state.digest('hex');
  try {
    const [before, key] = readFileSync(noted, 'utf8').split(' ');
    if (before === now) return key;
  } catch {
    // The first start.
  }
  const key = keyOf(project, paths);
  note(noted, `${now} ${key}`);
  return key;
}

function keyOf(project, paths) {
  // The bundle contains the path of its sources.
  const hash = createHash('sha256').update(project);
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(resolve(project, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Writes a file in one step, so that another start reads no half of it. */
function note(file, text) {
  const side = `${file}-${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(side, text);
    renameSync(side, file);
  } catch {
    // Where it cannot be written, each start reads the sources.
    rmSync(side, { force: true });
  }
}
