/** Messages between the main process and the processes that run tests, in files of one folder. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable with the path of this folder. */
export const folderVariable = 'MUTATE_FOLDER';

export interface MutationPlan {
  /** The number of mutants; their ids are below this number. */
  count: number;
  /** Milliseconds; tests that take longer without a mutant are postponed. Undefined while postponed tests run. */
  maxMs?: number;
  /** Names of the postponed tests to run now. */
  slowTests?: readonly string[];
  /**
   * The mutant that is active from the import of the test file on, for code that runs only once. Undefined when the runner
   * switches mutants between the tries of each test.
   */
  active?: number;
  /** Whether each test only runs once, without a mutant, to measure which mutants the test file reaches. */
  onlyCoverage?: boolean;
}

export type MutationReport =
  | { kind: 'worker'; file: string; pid: number }
  | { kind: 'start'; file: string; id: number }
  | { kind: 'killed'; id: number; by: string }
  /** A mutant left state behind that makes a test fail without the mutant, so the file runs again. */
  | { kind: 'dirty'; file: string }
  /** A test that fails without a mutant and therefore cannot detect mutants. */
  | { kind: 'unfit'; file: string; test: string; why: string }
  /** `steady`: the mutants that each run of a test reaches; `once`: those that only its first run or the import reached. */
  | { kind: 'reached'; file: string; steady: number[]; once: number[] }
  /** A postponed test, with the mutants that it reaches. */
  | { kind: 'slow'; file: string; test: string; reached: number[] };

export function writePlan(folder: string, plan: MutationPlan): void {
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
}

export function readPlan(folder: string): MutationPlan {
  return JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as MutationPlan;
}

export function report(folder: string, line: MutationReport): void {
  appendFileSync(join(folder, 'reports.jsonl'), `${JSON.stringify(line)}\n`);
}

export function readReports(folder: string): MutationReport[] {
  const path = join(folder, 'reports.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as MutationReport);
}
