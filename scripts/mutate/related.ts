/** Finds the tests that run a file: those that import it, directly or indirectly; the nearest first. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findImports } from '../rooms.ts';

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** For each file, the files that import it; paths are relative to the root. */
export function readImporters(root: string): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' });
  const importers = new Map<string, string[]>();
  for (const path of listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))) {
    for (const specifier of findImports(readFileSync(join(root, path), 'utf8'))) {
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier)
        : specifier.replace(/^@cloudfit\/contract\//, 'contract/src/');
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return importers;
}

/** Number of common leading folders of two paths. */
function sharedFolders(a: string, b: string): number {
  const [left, right] = [posix.dirname(a).split('/'), posix.dirname(b).split('/')];
  const differs = left.findIndex((name, i) => name !== right[i]);
  return differs < 0 ? left.length : differs;
}

/**
 * Tests of one file: first those in its folder, then by the length of the import chain; of its own workspace if there are any.
 * `reach`: how many mutants of the file each test file reaches, where that was measured; `measured`: the test files that the
 * measurement ran. Those that reach none are left out, and after those in the folder come those that reach most.
 */
export function relatedTests(
  importers: ReadonlyMap<string, readonly string[]>,
  path: string,
  reach?: Readonly<Record<string, number>>,
  measured?: ReadonlySet<string>,
): string[] {
  const distances = new Map([[path, 0]]);
  const queue = [path];
  for (let current = queue.shift(); current !== undefined; current = queue.shift())
    for (const importer of importers.get(current) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, (distances.get(current) ?? 0) + 1);
      queue.push(importer);
    }
  const rank = (test: string): number => (distances.get(test) ?? 0) - 3 * sharedFolders(path, test);
  const tests = [...distances.keys()].filter(isTest).toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const near = tests.filter((test) => test.split('/')[0] === path.split('/')[0]);
  if (!reach) return near.length > 0 ? near : tests.slice(0, 2);
  // A test file that is newer than the measurement is not in it, and mostly stands in the folder.
  const reaching = near.filter((test) => reach[test] || (posix.dirname(test) === posix.dirname(path) && !measured?.has(test)));
  const isBeside = (test: string): number => (posix.dirname(test) === posix.dirname(path) ? 1 : 0);
  return reaching.toSorted((a, b) => isBeside(b) - isBeside(a) || (reach[b] ?? 0) - (reach[a] ?? 0));
}
