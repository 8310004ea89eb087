/** `npm run mutate -- <path>`: which share of small defects in a folder or file its tests detect. */
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

const usage = `npm run mutate -- <folder or file> [--sample N] [--seed S] [--tests N]
  --sample N  tries N mutants drawn at random instead of all
  --seed S    draws another sample (1)
  --tests N   test files for each source at most, the nearest first (12)
  --help      prints this`;

const root = join(import.meta.dirname, '..');

function sourcesIn(path: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', path], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$|\/testing\/|\/cases\.ts$/.test(file));
}

interface MutateArguments {
  mutants: readonly NamedMutant[];
  sample: number;
  seed: number;
  maxTests: number;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number above 0, not ${text}.`);
}

/** Throws an error with a message for the person who typed the command. */
function readArguments(): MutateArguments | 'help' {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sample: { type: 'string' }, seed: { type: 'string' }, tests: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return 'help';
  const [path] = positionals;
  if (!path) throw new Error('Which folder or file is to be mutated?');
  const mutants = sourcesIn(path).flatMap((file): NamedMutant[] => {
    const source = sourceOf(root, file);
    return findMutants(file, source).map((mutant) => nameMutant(file, source, mutant));
  });
  if (mutants.length === 0) throw new Error(`Nothing in ${path} can be mutated.`);
  return {
    mutants,
    sample: wholeNumber('sample', values.sample) ?? mutants.length,
    seed: wholeNumber('seed', values.seed) ?? 1,
    maxTests: wholeNumber('tests', values.tests) ?? 12,
  };
}

async function mutate({ mutants, sample: size, seed, maxTests }: MutateArguments): Promise<void> {
  const isEquivalent = (one: NamedMutant): boolean =>
    equivalents.some((equivalent) => equivalent.file === one.file && equivalent.line === one.text && equivalent.change === one.change);
  const chosen = sample(mutants, size, seed);
  const numbered = chosen.filter((one) => !isEquivalent(one)).map((one, id): NamedMutant & Switched => ({ ...one, id }));
  const importers = readImporters(root);
  const files = [...Map.groupBy(numbered, (one) => one.file)].map(([path, some]) => ({
    path,
    mutants: some,
    tests: relatedTests(importers, path).slice(0, maxTests),
  }));
  console.log(`${numbered.length} of ${mutants.length} mutants, seed ${seed}`);
  const started = Date.now();
  const outcome = await tryMutants(root, files, (text) => console.error(`${Math.round((Date.now() - started) / 1_000)} s  ${text}`));
  console.log(formatReport(numbered, outcome, chosen.length - numbered.length));
}

let run: MutateArguments | 'help' | undefined;
try {
  run = readArguments();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
if (run === 'help') console.log(usage);
else if (run) await mutate(run);
