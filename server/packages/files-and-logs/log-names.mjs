/** Which files belong to a log: those that its path or pattern names, and those that rotation has made of them. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, parse, resolve } from 'node:path';
import { reasonOf } from './log-faults.mjs';

/** Compares names by the numbers in them. */
const byNumber = new Intl.Collator('en', { numeric: true });
/** The maximum number of files of a log. */
const filesMax = 1_000;

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const wildcards = /[*?]/;
export const matcher = (segment) => new RegExp(`^${escaped(segment).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, 'u');

/** What logrotate, log4j and others append to the name of a rotated file, or insert before its suffix: a number or a date. */
const mark = '[._-]\\d[\\dTZ.:_-]*';
/** Before the suffix only a date or a short number after a dot, because app-2.log may be the log of another program. */
const insertedMark = '(?:\\.\\d{1,3}|[._-]\\d{4}[\\dTZ.:_-]*)';
const compression = '(?:\\.(?:gz|zst|bz2|xz))?';

/** Returns the expression for the names of files that were rotated from one with this name. */
function rotatedName(name, isDated) {
  const suffix = extname(name);
  const stem = name.slice(0, name.length - suffix.length);
  const plain = (text) => (isDated ? escaped(text).replaceAll(/\d+/g, '\\d+') : escaped(text));
  const itself = isDated ? `|${plain(name)}` : '';
  return new RegExp(
    `^(?:${plain(name)}(?:${mark}|[._-](?:old|bak|prev))|${plain(stem)}${insertedMark}${escaped(suffix)}${itself})${compression}$`,
    'u',
  );
}

/** Returns the names in a folder; none in one that does not exist. */
function namesIn(folder, onFault) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code !== 'ENOENT') onFault(error);
    return [];
  }
}

/** Returns the existing paths that a pattern with `*` and `?` names. A folder that cannot be read is a fault. */
function expand(pattern, faults) {
  if (!wildcards.test(pattern)) return [pattern];
  const { root } = parse(pattern);
  const segments = pattern.slice(root.length).split(process.platform === 'win32' ? /[\\/]+/ : /\/+/);
  let folders = [root];
  for (const segment of segments) {
    const next = [];
    for (const folder of folders) {
      if (!wildcards.test(segment)) {
        next.push(join(folder, segment));
        continue;
      }
      const entries = namesIn(folder, (error) => {
        if (error.code !== 'ENOTDIR') faults.push(`${folder} cannot be listed (${reasonOf(error)}).`);
      });
      // A shell's pattern does not name hidden files either.
      for (const name of entries.toSorted())
        if (matcher(segment).test(name) && (segment.startsWith('.') || !name.startsWith('.'))) next.push(join(folder, name));
    }
    folders = next.slice(0, filesMax);
  }
  return folders.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Returns a file with what identifies it; undefined if there is no such regular file. */
function fileAt(path, isCurrent) {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  return { path, isCurrent, id: `${stats.dev}:${stats.ino}`, size: Number(stats.size), mtimeMs: Number(stats.mtimeNs) / 1e6 };
}

/** Collects the files of a log, each once, also if several links lead to it. */
function createListing() {
  const files = new Map();
  const notes = [];
  const add = (file) => file && (!files.has(file.id) || file.isCurrent) && files.set(file.id, file);
  function addOther(path) {
    try {
      add(fileAt(path, false));
    } catch {
      // A folder of the last run that may not be entered any more: its files are absent.
    }
  }
  return {
    notes,
    addOther,
    /** Adds a file that the pattern names; returns whether there is one. */
    addCurrent: (path) => Boolean(add(fileAt(path, true))),
    /** Adds what rotation has made of a file. */
    addRotated: (path, isLink) => {
      const folder = dirname(path);
      const expression = rotatedName(basename(path), isLink);
      const siblings = namesIn(folder, (error) =>
        notes.push(`${folder} cannot be listed (${reasonOf(error)}), so lines that are rotated away between two runs are not seen.`),
      );
      for (const name of siblings.filter((sibling) => expression.test(sibling)).slice(-filesMax)) addOther(join(folder, name));
    },
    sorted: () =>
      [...files.values()].toSorted(
        (one, other) =>
          Number(one.isCurrent) - Number(other.isCurrent) || one.mtimeMs - other.mtimeMs || byNumber.compare(other.path, one.path),
      ),
  };
}

/**
 * Returns the files of a log, the oldest first. `records` are those of the last run: a link that names another file now has still to
 * be read to the end of the one before, and a pattern may not name a file any more that was renamed.
 */
export function logFiles(pattern, records) {
  if (!isAbsolute(pattern)) throw new Error(`${pattern} must be a whole path, such as ${resolve('/var/log/app.log')}.`);
  const faults = [];
  const listing = createListing();
  const current = new Set();
  let currentCount = 0;
  for (const named of expand(pattern, faults)) {
    let [path, isLink] = [named, false];
    try {
      isLink = lstatSync(named).isSymbolicLink();
      path = realpathSync(named);
      if (listing.addCurrent(path)) currentCount++;
      else faults.push(`${named} is not a file.`);
    } catch (error) {
      if (error.code !== 'ENOENT') faults.push(`${named} cannot be read (${reasonOf(error)}).`);
    }
    current.add(path);
    listing.addRotated(path, isLink);
  }
  for (const { path, isCurrent } of records.filter((record) => record.path !== undefined)) {
    listing.addOther(path);
    if (isCurrent && !current.has(path)) listing.addRotated(path, false);
  }
  return { files: listing.sorted(), currentCount, faults, notes: listing.notes };
}
