/** Finds the tests that run a source file: those that import or start it, directly or indirectly; the nearest first. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findImports } from '../rooms.ts';

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** The programs that a source starts: `new URL('./main.ts', import.meta.url)`, and in a test also `programOf('agent/src/main.ts')`. */
const programsIn = (path: string, source: string): string[] => {
  const bundled = isTest(path) ? [...source.matchAll(/programOf\('([^'\n]+\.ts)'\)/g)] : [];
  return [...source.matchAll(/new URL\('(\.[^'\n]+\.ts)', import\.meta\.url\)/g), ...bundled].map(([, program]) => program ?? '');
};

/** Returns for each file the files that import it or start it as a program; paths are relative to the root. */
export function readImporters(root: string): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' });
  const importers = new Map<string, string[]>();
  for (const path of listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))) {
    const source = readFileSync(join(root, path), 'utf8');
    for (const specifier of [...findImports(source), ...programsIn(path, source)]) {
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier)
        : specifier.replace(/^@cloudfit\/contract\//, 'contract/src/');
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return importers;
}

/** Returns the number of common leading folders of two paths. */
function sharedFolders(a: string, b: string): number {
  const [left, right] = [posix.dirname(a).split('/'), posix.dirname(b).split('/')];
  const differs = left.findIndex((name, i) => name !== right[i]);
  return differs < 0 ? left.length : differs;
}

/** What `--reach` measured: for each source, the test files that reach each of its mutants. */
export type MutantCoverage = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Returns the key of a mutant in a measurement: the text of its line and its change, which stay equal when lines move. */
export const coverageKey = (mutant: { text: string; change: string }): string => `${mutant.text} | ${mutant.change}`;

/**
 * Returns the tests in the workspace of a file that import the file, nearest first: by common folders and the length of the
 * import chain. If there are none, returns up to two tests of other workspaces.
 */
export function relatedTests(importers: ReadonlyMap<string, readonly string[]>, path: string): string[] {
  const distances = new Map([[path, 0]]);
  const queue = [path];
  for (let current = queue.shift(); current !== undefined; current = queue.shift())
    for (const importer of importers.get(current) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, (distances.get(current) ?? 0) + 1);
      queue.push(importer);
    }
  // The test with the name of the source comes first.
  const isOwn = (test: string): boolean => test.replace(/\.test\.tsx?$/, '') === path.replace(/\.tsx?$/, '');
  const rank = (test: string): number => (isOwn(test) ? -Infinity : (distances.get(test) ?? 0) - 3 * sharedFolders(path, test));
  const tests = [...distances.keys()].filter(isTest).toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const near = tests.filter((test) => test.split('/')[0] === path.split('/')[0]);
  return near.length > 0 ? near : tests.slice(0, 2);
}

/**
 * Returns the related tests to run against the mutants `keys` of a file: up to `max` tests that reach each mutant. Test files
 * in the folder of the source come first, then those that reach most mutants. If the measurement lacks a mutant, tests that
 * reach any mutant of the file count; a test file that it lacks counts for all mutants of sources in its folder.
 */
export function chooseTests(
  related: readonly string[],
  path: string,
  keys: readonly string[],
  coverage: MutantCoverage,
  max: number,
): string[] {
  const ofSource = coverage[path];
  if (!ofSource) return related.slice(0, max);
  const measured = new Set(Object.values(coverage).flatMap((tests) => Object.values(tests).flat()));
  const ofAny = new Set(Object.values(ofSource).flat());
  const isBeside = (test: string): boolean => posix.dirname(test) === posix.dirname(path);
  const reaches = (test: string, key: string): boolean => {
    if (!measured.has(test)) return isBeside(test);
    return ofSource[key]?.includes(test) ?? ofAny.has(test);
  };
  const count = (test: string): number => keys.filter((key) => reaches(test, key)).length;
  const missing = new Map(keys.map((key) => [key, max]));
  return related
    .map((test) => ({ test, count: count(test), rank: isBeside(test) ? 1 : 0 }))
    .filter((item) => item.count > 0)
    .toSorted((a, b) => b.rank - a.rank || b.count - a.count)
    .filter(({ test }) => {
      const wanting = keys.filter((key) => reaches(test, key) && (missing.get(key) ?? 0) > 0);
      for (const key of wanting) missing.set(key, (missing.get(key) ?? 0) - 1);
      return wanting.length > 0;
    })
    .map(({ test }) => test);
}
