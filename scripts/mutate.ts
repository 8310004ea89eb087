/** `npm run mutate -- <path>`: how many small defects in a folder or file its tests catch. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { equivalents } from './mutate/equivalents.ts';
import type { Switched } from './mutate/instrument.ts';
import { findMutants } from './mutate/points.ts';
import { readImporters, relatedTests } from './mutate/related.ts';
import { formatReport, nameMutant, type NamedMutant } from './mutate/report.ts';
import { sample } from './mutate/sample.ts';
import { sourceOf, tryMutants } from './mutate/session.ts';

const usage = `npm run mutate -- <folder or file> [--sample N] [--seed S] [--tests N] [--jobs N]
  --sample N  tries N mutants drawn at random instead of all; --seed S draws the same ones again
  --tests N   test files for each source at most, the nearest first (12)
  --jobs N    test processes at a time (1)`;

const root = join(import.meta.dirname, '..');

function sourcesIn(path: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', path], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$|\/testing\/|\/cases\.ts$/.test(file));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sample: { type: 'string' }, seed: { type: 'string' }, tests: { type: 'string' }, jobs: { type: 'string' } },
  });
  const [path] = positionals;
  if (!path) {
    console.error(usage);
    process.exitCode = 1;
    return;
  }
  const every = sourcesIn(path).flatMap((file): NamedMutant[] => {
    const source = sourceOf(root, file);
    return findMutants(file, source).map((mutant) => nameMutant(file, source, mutant));
  });
  const isEquivalent = (one: NamedMutant): boolean =>
    equivalents.some((equivalent) => equivalent.file === one.file && equivalent.line === one.text && equivalent.change === one.change);
  const seed = Number(values.seed ?? Date.now() % 100_000);
  const chosen = sample(every, Number(values.sample ?? every.length), seed);
  const tried = chosen.filter((one) => !isEquivalent(one));
  if (tried.length === 0) {
    console.log('There is nothing to mutate.');
    return;
  }
  const numbered = tried.map((one, id): NamedMutant & Switched => ({ ...one, id }));
  const files = [...Map.groupBy(numbered, (one) => one.file)].map(([file, mutants]) => ({ path: file, mutants }));
  const importers = readImporters(root);
  const tests = new Set(files.flatMap((file) => relatedTests(importers, file.path).slice(0, Number(values.tests ?? 12))));
  console.log(`${tried.length} of ${every.length} mutants, ${tests.size} test files, seed ${seed}`);
  const started = Date.now();
  const outcome = await tryMutants(root, files, [...tests], {
    jobs: Number(values.jobs ?? 1),
    onProgress: (text) => console.error(`${Math.round((Date.now() - started) / 1_000)} s  ${text}`),
  });
  console.log(formatReport(numbered, outcome, chosen.length - tried.length));
}

await main();
