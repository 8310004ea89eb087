/** What the process that leads tells the processes that run tests, and what they answer; both through files in one folder. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable with the folder. */
export const folderVariable = 'MUTATE_FOLDER';

export interface MutationPlan {
  /** Ids are below this. */
  count: number;
  /** Tests that take longer without a mutant are put off; undefined once it is their turn. */
  maxMs?: number;
  /** Names of the tests that were put off, when it is their turn. */
  slowTests?: readonly string[];
  /** Active while the whole file is imported and run, for what runs only once; otherwise mutants are switched from test to test. */
  active?: number;
}

export type MutationReport =
  | { kind: 'worker'; file: string; pid: number }
  | { kind: 'start'; file: string; id: number }
  | { kind: 'killed'; id: number; by: string }
  /** The mutant left something behind that fails the test without it: the file runs again. */
  | { kind: 'dirty'; file: string }
  /** Cannot judge a mutant: fails without one. */
  | { kind: 'unfit'; file: string; test: string; why: string }
  /** `steady`: what each run of a test reaches, `once`: what only its first run or the import reached. */
  | { kind: 'reached'; file: string; steady: number[]; once: number[] }
  /** A test that was put off, with what it reaches. */
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
