import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isNewer, openProgramState, type ProgramState } from './program-state.ts';

const trialMs = 300_000;
let folder: string;
let state: ProgramState;
const versionOf = (version: string) => ({ version, packageId: 'p1', packageVersionId: `id of ${version}` });
const propose = (version: string) => {
  writeFileSync(join(folder, 'source'), version);
  state.propose(join(folder, 'source'), versionOf(version));
};
const plan = () => state.plan('1.0.0', trialMs);
/** The stored executables. */
const executables = () => readdirSync(join(folder, 'program')).filter((name) => name !== 'state.json');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00.000Z') });
  folder = mkdtempSync(join(tmpdir(), 'program-'));
  state = openProgramState(folder);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('tries a version, which becomes the current one when it reports, and keeps its executable alone', () => {
  expect([plan(), state.isOnTrial()]).toEqual([{ file: null, version: '1.0.0' }, false]);
  for (const version of ['1.1.0', '1.2.0']) {
    propose(version);
    expect(state.isOnTrial()).toBe(true);
    const tried = plan();
    expect(tried).toMatchObject({ version, trialLeftMs: trialMs });
    expect(statSync(tried.file ?? '').mode & 0o777).toBe(0o700);
    state.confirm();
    expect([plan(), state.isOnTrial(), executables().length]).toEqual([{ file: tried.file, version }, false, 1]);
  }
  // A candidate that another replaces before it is tried leaves nothing either.
  propose('1.3.0');
  propose('1.4.0');
  expect(plan().version).toBe('1.4.0');
  state.confirm();
  expect([plan().version, executables().length]).toEqual(['1.4.0', 1]);
});

it('ends a trial after its time, or the fourth start, and says why, once', () => {
  propose('1.1.0');
  expect(plan().trialLeftMs).toBe(trialMs);
  vi.setSystemTime(Date.now() + trialMs - 1);
  expect(plan().trialLeftMs).toBe(1);
  vi.setSystemTime(Date.now() + 1);
  expect(plan()).toEqual({ file: null, version: '1.0.0' });
  expect(state.refused()).toEqual({ ...versionOf('1.1.0'), reason: 'It did not report within 300 s.', isReported: false });
  state.noteRefused('reported');
  expect(state.refused()).toMatchObject({ isReported: true });
  state.noteRefused('forgotten');
  expect(state.refused()).toBeNull();
  state.noteRefused('reported');
  expect(state.refused()).toBeNull();

  propose('1.2.0');
  expect([plan(), plan(), plan()].map(({ version }) => version)).toEqual(['1.2.0', '1.2.0', '1.2.0']);
  expect(plan().version).toBe('1.0.0');
  expect(state.refused()?.reason).toBe('It ended 3 times before it reported.');
  // The next version has all its starts, and once it reports nothing is refused any more.
  propose('1.3.0');
  expect(plan().version).toBe('1.3.0');
  state.confirm();
  expect(state.refused()).toBeNull();
  state.refuse('Too late.');
  expect(state.refused()).toBeNull();
});

it('does not make a trial longer when the clock is set back', () => {
  propose('1.1.0');
  plan();
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(plan().trialLeftMs).toBe(trialMs);
});

it('goes back to the installed version when the current one is missing, or the installed one is newer', () => {
  propose('1.1.0');
  const { file } = plan();
  state.confirm();
  expect(state.plan('1.1.0', trialMs)).toEqual({ file, version: '1.1.0' });
  expect(state.plan('1.2.0', trialMs)).toEqual({ file: null, version: '1.2.0' });
  expect(plan()).toEqual({ file: null, version: '1.0.0' });
  propose('1.3.0');
  rmSync(plan().file ?? '');
  expect(plan()).toEqual({ file: null, version: '1.0.0' });
});

it('hands over to the supervisor of a newer version three times, and again after a report', () => {
  expect(state.handOver('1.0.0')).toBeUndefined();
  propose('1.1.0');
  const { file } = plan();
  state.confirm();
  expect(state.handOver('1.1.0')).toBeUndefined();
  const three = () => [1, 2, 3].map(() => state.handOver('1.0.0'));
  const next = { file, version: '1.1.0' };
  expect([...three(), state.handOver('1.0.0')]).toEqual([next, next, next, 'failed']);
  state.confirm();
  expect([...three(), state.handOver('1.0.0')]).toEqual([next, next, next, 'failed']);
  rmSync(file ?? '');
  expect([state.handOver('1.0.0'), existsSync(file ?? '')]).toEqual([undefined, false]);
});

it('knows nothing of a state that cannot be read', () => {
  propose('1.1.0');
  writeFileSync(join(folder, 'program', 'state.json'), '{"current":');
  expect([plan(), state.isOnTrial(), state.refused()]).toEqual([{ file: null, version: '1.0.0' }, false, null]);
});

it('compares versions by their three numbers', () => {
  const newer = [
    ['1.0.1', '1.0.0'],
    ['1.1.0', '1.0.9'],
    ['2.0.0', '1.9.9'],
    ['1.10.0', '1.9.0'],
    ['1.1', '1.0.5'],
    ['1.0.1-beta', '1.0.0'],
  ] as const;
  expect(newer.map(([one, other]) => [isNewer(one, other), isNewer(other, one), isNewer(one, one)])).toEqual(
    newer.map(() => [true, false, false]),
  );
  expect([isNewer('1.0.0', '1.0.0-beta'), isNewer('1.0', '1.0.0')]).toEqual([false, false]);
});
