import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clearReached, followChildren, readReached, withMutant, writeSource } from './children.ts';
import { instrument } from './instrument.ts';
import { writePlan } from './plan.ts';
import { findMutants } from './points.ts';
import { nameMutant } from './report.ts';
import { sourceOf } from './session.ts';

const root = join(import.meta.dirname, '../..');
const path = 'scripts/mutate/sample.ts';
const source = sourceOf(root, path);
const mutants = findMutants(path, source).map((mutant, id) => ({ ...nameMutant(path, source, mutant), id }));
const first = mutants.findIndex(({ kind, text }) => kind === 'statement' && text.startsWith('state = '));
const program = `const { sample } = await import('./${path}'); console.log(sample([1, 2, 3, 4, 5, 6, 7, 8], 3, 1).join());`;
const args = ['--input-type=module', '-e', program];
let state = { folder: '', active: -1, attempt: 7 };

beforeAll(() => {
  state.folder = mkdtempSync(join(tmpdir(), 'mutate-test-'));
  writePlan(state.folder, { count: mutants.length });
  writeSource(state.folder, path, instrument(path, source, mutants));
  followChildren(() => state);
});
afterAll(() => rmSync(state.folder, { recursive: true, force: true }));

const inSync = (): string => {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return stdout.trim() || stderr;
};

it('a process that a test starts has the mutant of its try, and says what it reaches without one', async () => {
  const original = inSync();
  expect(original).toMatch(/^\d,\d,\d$/);
  expect(new Set(readReached(state.folder).map(({ attempt }) => attempt))).toEqual(new Set([7]));
  expect(readReached(state.folder).map(({ id }) => id)).toContain(first);
  clearReached(state.folder);
  state = { ...state, active: first };
  expect(inSync()).not.toBe(original);
  expect(inSync()).toMatch(/^\d,\d,\d$/);
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: {} });
  expect(stdout.trim()).toBe(inSync());
  expect(readReached(state.folder)).toEqual([]);
});

it('keeps the options of Node that a test gives to a process', () => {
  const env = withMutant(['A=1', 'NODE_OPTIONS=--no-warnings'], state);
  expect(env).toEqual(expect.arrayContaining(['A=1', expect.stringMatching(/^NODE_OPTIONS=--no-warnings --import=file:.*child\.ts$/)]));
  expect(env.filter((pair) => pair.startsWith('NODE_OPTIONS='))).toHaveLength(1);
});
