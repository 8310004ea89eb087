/** Messages between the main process and the processes that run tests, in files of one folder. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable with the folder. */
export const folderVariable = 'MUTATE_FOLDER';

export interface MutationPlan {
  /** All ids are below this. */
  count: number;
  /** Tests that take longer without a mutant are postponed; undefined while postponed tests run. */
  maxMs?: number;
  /** Names of the postponed tests to run now. */
  slowTests?: readonly string[];
  /**
   * This mutant is active while the whole file is imported and run, for code that runs only once; other mutants are switched
   * between tests.
   */
  active?: number;
  /** Each test runs once without a mutant, to find out what the file reaches. */
  onlyReach?: boolean;
}

export type MutationReport =
  | { kind: 'worker'; file: string; pid: number }
  | { kind: 'start'; file: string; id: number }
  | { kind: 'killed'; id: number; by: string }
  /** The mutant left state behind that makes the test fail without it, so the file runs again. */
  | { kind: 'dirty'; file: string }
  /** Tests that fail without a mutant and therefore cannot judge one. */
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
