/** `npm run mutate -- <path>`: measures which share of small defects (mutants) in a folder or file the tests detect. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { equivalents } from './mutate/equivalents.ts';
import { equivalentsOfPortal } from './mutate/equivalents-of-portal.ts';
import { equivalentsOfRules } from './mutate/equivalents-of-rules.ts';
import type { SwitchedMutant } from './mutate/instrument.ts';
import { findMutants } from './mutate/points.ts';
import { chooseTests, coverageKey, readImporters, relatedTests, type MutantCoverage } from './mutate/related.ts';
import { formatReport, nameMutant, type NamedMutant } from './mutate/report.ts';
import { sample } from './mutate/sample.ts';
import { measureCoverage, sourceOf, tryMutants, type FileMutants } from './mutate/session.ts';

/** The file with the last results of `--reach`. */
const coveragePath = '.cache/reached-mutants.json';

const usage = `npm run mutate -- <folders or files> [--sample N] [--seed S] [--tests N] [--reach]
  --sample N  tries N mutants drawn at random instead of all
  --seed S    draws another sample (1)
  --tests N   test files for each source at most, after --reach for each mutant, the nearest first (12; all with --reach)
  --reach     only measures which test files reach each mutant; later runs then choose these (${coveragePath})
  --help      prints this`;

const root = join(import.meta.dirname, '..');

function sourcesIn(paths: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixtures|d)\.tsx?$|\/testing\/|\/cases\.ts$/.test(file));
}

interface MutateArguments {
  mutants: readonly NamedMutant[];
  sample: number;
  seed: number;
  maxTests: number;
  onlyCoverage: boolean;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number above 0, not ${text}.`);
}

/** Parses the arguments. Throws an error with a message for the person who typed the command. */
function readArguments(): MutateArguments | 'help' {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      seed: { type: 'string' },
      tests: { type: 'string' },
      reach: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  if (positionals.length === 0) throw new Error('Which folder or file is to be mutated?');
  const mutants = sourcesIn(positionals).flatMap((file): NamedMutant[] => {
    const source = sourceOf(root, file);
    return findMutants(file, source).map((mutant) => nameMutant(file, source, mutant));
  });
  if (mutants.length === 0) throw new Error(`Nothing in ${positionals.join(' and ')} can be mutated.`);
  return {
    mutants,
    sample: wholeNumber('sample', values.sample) ?? mutants.length,
    seed: wholeNumber('seed', values.seed) ?? 1,
    maxTests: wholeNumber('tests', values.tests) ?? (values.reach ? Infinity : 12),
    onlyCoverage: values.reach === true,
  };
}

function readCoverage(): MutantCoverage {
  const path = join(root, coveragePath);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as MutantCoverage) : {};
}

function writeCoverage(coverage: MutantCoverage): void {
  mkdirSync(dirname(join(root, coveragePath)), { recursive: true });
  writeFileSync(join(root, coveragePath), JSON.stringify({ ...readCoverage(), ...coverage }));
}

async function mutate({ mutants, sample: size, seed, maxTests, onlyCoverage }: MutateArguments): Promise<void> {
  const isEquivalent = (namedMutant: NamedMutant): boolean =>
    [...equivalents, ...equivalentsOfPortal, ...equivalentsOfRules].some(
      (equivalent) =>
        equivalent.file === namedMutant.file && equivalent.line === namedMutant.text && equivalent.change === namedMutant.change,
    );
  const chosen = sample(mutants, size, seed);
  const numbered = chosen.filter((item) => !isEquivalent(item)).map((item, id): NamedMutant & SwitchedMutant => ({ ...item, id }));
  const importers = readImporters(root);
  const coverage = onlyCoverage ? {} : readCoverage();
  const files = [...Map.groupBy(numbered, (item) => item.file)].map(([path, some]): FileMutants => ({
    path,
    mutants: some,
    tests: chooseTests(relatedTests(importers, path), path, some.map(coverageKey), coverage, maxTests),
  }));
  const started = Date.now();
  const onProgress = (text: string): void => console.error(`${Math.round((Date.now() - started) / 1_000)} s  ${text}`);
  if (onlyCoverage) {
    const testsOf = await measureCoverage(root, files, onProgress);
    const byFile = Map.groupBy(numbered, (item) => item.file);
    const named = [...byFile].map(([path, some]) => [
      path,
      Object.fromEntries(
        [...Map.groupBy(some, coverageKey)].map(([key, same]) => [key, [...new Set(same.flatMap(({ id }) => testsOf.get(id) ?? []))]]),
      ),
    ]);
    return writeCoverage(Object.fromEntries(named) as MutantCoverage);
  }
  console.log(`${numbered.length} of ${mutants.length} mutants, seed ${seed}`);
  const outcome = await tryMutants(root, files, onProgress);
  console.log(formatReport(numbered, outcome, chosen.length - numbered.length));
}

let run: MutateArguments | 'help' | undefined;
try {
  run = readArguments();
} catch (error) {
  console.error(`${messageOf(error)}\n\n${usage}`);
  process.exitCode = 1;
}
if (run === 'help') console.log(usage);
else if (run) await mutate(run);
