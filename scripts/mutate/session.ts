/** Runs tests against the mutants of source files, in one long-running vitest. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { writeSource } from './children.ts';
import { instrument, type SwitchedMutant } from './instrument.ts';
import { folderVariable, readReports, report, writePlan, type MutationPlan, type MutationReport } from './plan.ts';

export interface FileMutants {
  path: string;
  mutants: readonly SwitchedMutant[];
  /** The test files to run against the mutants, the nearest first. */
  tests: readonly string[];
}

export interface MutantOutcome {
  /** The test that killed each mutant, by the mutant's id. */
  killed: ReadonlyMap<number, string>;
  timedOut: ReadonlySet<number>;
  reached: ReadonlySet<number>;
  unfit: readonly { file: string; test: string; why: string }[];
}

/**
 * Milliseconds; longer tests are postponed, and run only against mutants that faster tests did not kill. More for tests with a
 * server or database: their files take seconds to start, so that only the slowest tests are worth a second start.
 */
const quickMs = 250;
const quickMsOfServer = 2_000;
/** Milliseconds without a report after which a process counts as hanging in the mutant that it started last: more than a test and its hooks take. */
const hangsAfterMs = 35_000;
/** The maximum `numRuns` of a property test, and of one with a server or database; those of `npm test` would take hours. */
const randomRuns = 150;
const randomRunsOfServer = 5;
const maxRounds = 25;

/** Whether a test file may start an installation or a database. */
const usesServer = (code: string): boolean => /from '[^']*\/testing\//.test(code);

export function withFewerRuns(code: string): string {
  const max = usesServer(code) ? randomRunsOfServer : randomRuns;
  return code.replaceAll(
    /\bnumRuns: (?:runs\()?([\d_]+)(?:, [\d_]+\))?/g,
    (_, runs: string) => `numRuns: ${Math.min(Number(runs.replaceAll('_', '')), max)}`,
  );
}

function instrumented(root: string, files: readonly FileMutants[]): Plugin {
  const byPath = new Map(files.map((file) => [join(root, file.path), file]));
  return {
    name: 'mutants',
    enforce: 'pre',
    // Disables vitest's cache on disk for these files, which would contain mutants of an earlier run.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (byPath.has(id.split('?')[0] ?? '') || /\.test\.tsx?/.test(id) ? false : undefined)),
    transform(code, id) {
      const path = id.split('?')[0] ?? '';
      const file = byPath.get(path);
      if (file) return { code: instrument(file.path, code, file.mutants), map: null };
      return /\.test\.tsx?$/.test(path) ? { code: withFewerRuns(code), map: null } : undefined;
    },
  };
}

/** Writes the instrumented sources for the processes that tests start; those of the portal run in none. */
function writeSources(root: string, folder: string, files: readonly FileMutants[]): void {
  for (const { path, mutants } of files)
    if (path.endsWith('.ts') && !path.startsWith('portal/')) writeSource(folder, path, instrument(path, sourceOf(root, path), mutants));
}

function openVitest(root: string, files: readonly FileMutants[], tests: readonly string[]): Promise<Vitest> {
  // A bundle has no mutants.
  process.env['SERVER_BUNDLE'] = 'off';
  const hasDatabase = tests.some((test) => test.startsWith('server/'));
  const usesPortal = tests.some((test) => test.startsWith('portal/'));
  return createVitest(
    'test',
    {
      config: false,
      root,
      watch: false,
      include: [...tests],
      environment: usesPortal ? 'jsdom' : 'node',
      runner: join(import.meta.dirname, 'runner.ts'),
      globalSetup: hasDatabase ? [join(root, 'server/src/testing/global-setup.ts')] : [],
      setupFiles: [...(hasDatabase ? ['prepared-names.ts'] : []), ...(usesPortal ? ['waits.ts'] : [])].map((name) =>
        join(import.meta.dirname, name),
      ),
      reporters: [{}],
      silent: true,
      pool: 'forks',
      maxWorkers: 1,
      maxConcurrency: 1,
      testTimeout: 15_000,
      hookTimeout: 30_000,
      dangerouslyIgnoreUnhandledErrors: true,
    },
    { plugins: [instrumented(root, files)], logLevel: 'silent' },
  );
}

/** Kills a hanging test process: an endless loop in a file that is not instrumented has no counter that stops it. */
function watch(folder: string): NodeJS.Timeout {
  return setInterval(() => {
    const path = join(folder, 'reports.jsonl');
    const reports = readReports(folder);
    const [worker, start] = [reports.findLast((line) => line.kind === 'worker'), reports.at(-1)];
    if (start?.kind !== 'start' || worker?.kind !== 'worker' || Date.now() - statSync(path).mtimeMs < hangsAfterMs) return;
    try {
      process.kill(worker.pid, 'SIGKILL');
    } catch {
      // The process had ended already.
    }
  }, 5_000);
}

const ofKind = <K extends MutationReport['kind']>(reports: readonly MutationReport[], kind: K): Extract<MutationReport, { kind: K }>[] =>
  reports.filter((line): line is Extract<MutationReport, { kind: K }> => line.kind === kind);

/** Returns the first item of each list, then the second of each, and so on, without duplicates. */
export function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return [...new Set(Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat())];
}

/** Runs every test file once without a mutant; returns the test files that reach each mutant, by the mutant's id. */
export async function measureCoverage(
  root: string,
  files: readonly FileMutants[],
  onProgress: (text: string) => void,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const tests = inTurn(files.map((file) => file.tests));
  const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
  process.env[folderVariable] = folder;
  writeSources(root, folder, files);
  const count = Math.max(...files.flatMap(({ mutants }) => mutants.map((mutant) => mutant.id))) + 1;
  const vitest = await openVitest(root, files, tests);
  try {
    writePlan(folder, { count, onlyCoverage: true });
    await vitest.standalone();
    for (const specification of await vitest.globTestSpecifications()) {
      await vitest.runTestSpecifications([specification]);
      onProgress(relative(root, specification.moduleId));
    }
    const testsOf = new Map<number, string[]>();
    for (const { file, steady } of ofKind(readReports(folder), 'reached'))
      for (const id of steady) testsOf.set(id, [...(testsOf.get(id) ?? []), file]);
    return testsOf;
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function tryMutants(root: string, files: readonly FileMutants[], onProgress: (text: string) => void): Promise<MutantOutcome> {
  const tests = inTurn(files.map((file) => file.tests));
  const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
  process.env[folderVariable] = folder;
  writeSources(root, folder, files);
  const ids = files.flatMap(({ mutants }) => mutants.map((mutant) => mutant.id));
  const count = Math.max(...ids) + 1;
  const timedOut = new Set<number>();
  const killed = () => new Map(ofKind(readReports(folder), 'killed').map((line) => [line.id, line.by]));
  const vitest = await openVitest(root, files, tests);
  const watching = watch(folder);

  /** Runs a test file once; returns whether it must run again because a mutant left state behind or ended the process. */
  async function runFile(specification: TestSpecification): Promise<boolean> {
    const before = readReports(folder).length;
    const { testModules } = await vitest.runTestSpecifications([specification]);
    const reports = readReports(folder).slice(before);
    const last = reports.at(-1);
    if (last?.kind === 'start' && testModules.some((module) => module.state() !== 'passed')) {
      timedOut.add(last.id);
      reportKilled(folder, last.id);
      return true;
    }
    return reports.some((line) => line.kind === 'dirty');
  }

  async function pass(specifications: readonly TestSpecification[], planOf: (test: string) => Omit<MutationPlan, 'count'>): Promise<void> {
    for (const specification of specifications) {
      const dead = killed();
      const test = relative(root, specification.moduleId);
      writePlan(folder, { count, ...planOf(test) });
      if (files.every(({ tests: reaching, mutants }) => !reaching.includes(test) || mutants.every(({ id }) => dead.has(id)))) continue;
      for (let round = 0; (await runFile(specification)) && round < maxRounds; round += 1);
      onProgress(`${test}: ${killed().size} of ${ids.length} killed`);
    }
  }

  try {
    await vitest.standalone();
    const all = await vitest.globTestSpecifications();
    const slowStarts = new Set(tests.filter((test) => usesServer(sourceOf(root, test))));
    // Tests without a server or database come first, because they kill most mutants at little cost.
    const inOrder = [...tests.filter((test) => !slowStarts.has(test)), ...slowStarts];
    const specifications = inOrder.flatMap((test) => all.filter((module) => relative(root, module.moduleId) === test));
    await pass(specifications, (test) => ({ maxMs: slowStarts.has(test) ? quickMsOfServer : quickMs }));
    const dead = killed();
    const slow = ofKind(readReports(folder), 'slow').filter((line) => line.reached.some((id) => !dead.has(id)));
    const slowFiles = new Set(slow.map((line) => line.file));
    await pass(
      specifications.filter((specification) => slowFiles.has(relative(root, specification.moduleId))),
      () => ({ slowTests: slow.map((line) => line.test) }),
    );
    await tryFromImport(specifications);
    const reports = readReports(folder);
    return {
      killed: killed(),
      timedOut,
      reached: new Set([
        ...ofKind(reports, 'reached').flatMap((line) => [...line.steady, ...line.once]),
        ...ofKind(reports, 'slow').flatMap((line) => line.reached),
      ]),
      unfit: ofKind(reports, 'unfit'),
    };
  } finally {
    clearInterval(watching);
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }

  /** Tries mutants in code that runs once, at the import or in a hook, each by whole runs of the nearest test files. */
  async function tryFromImport(specifications: readonly TestSpecification[]): Promise<void> {
    const reports = readReports(folder);
    // Files with tests that failed without a mutant, some only because of state that an earlier mutant had left behind.
    const broken = new Set(
      ofKind(reports, 'unfit')
        .filter((line) => !line.why.startsWith('Fails when'))
        .map((line) => line.file),
    );
    const reached = ofKind(reports, 'reached');
    const passesWith = async (test: string, active: number): Promise<boolean> => {
      writePlan(folder, { count, active });
      const { testModules } = await vitest.runTestSpecifications(
        specifications.filter((specification) => relative(root, specification.moduleId) === test),
      );
      const hasPassed = testModules.every((module) => module.state() === 'passed');
      if (active < 0 && hasPassed) broken.delete(test);
      return hasPassed;
    };
    for (const { mutants, tests: nearest } of files)
      for (const { id } of mutants) {
        if (killed().has(id)) continue;
        const near = nearest.filter((test) => reached.some((line) => line.file === test && line.once.includes(id)));
        for (const test of near.slice(0, 3)) {
          if ((broken.has(test) && !(await passesWith(test, -1))) || (await passesWith(test, id))) continue;
          if (!killed().has(id)) reportKilled(folder, id);
          break;
        }
        onProgress(`from the import: ${killed().size} of ${ids.length} killed`);
      }
  }
}

export function sourceOf(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function reportKilled(folder: string, id: number): void {
  report(folder, { kind: 'killed', id, by: 'the process that ran it' });
}
