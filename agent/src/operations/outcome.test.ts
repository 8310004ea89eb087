import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseManifest } from '@cloudfit/contract/packages/manifest.ts';
import { createSignal } from '../signal.ts';
import { nextBeat, restartDelayMs, shareOf } from './beat.ts';
import { outcomeOf, packetOf } from './outcome.ts';
import type { PreparedProgram } from './prepare.ts';
import type { ProgramEnd } from './program.ts';
import { collecting, shortened } from './reports.ts';

afterEach(() => void vi.useRealTimers());

const ends: ProgramEnd = {
  exitCode: 0,
  signal: null,
  failure: undefined,
  isTimedOut: false,
  isStopped: false,
  stdout: '',
  tail: '',
  stderr: '',
  droppedBytes: 0,
};

function prepared(output = 'text', result = 'Text', mask: PreparedProgram['mask'] = (text) => text): PreparedProgram {
  const manifest = { name: 'P', version: '1.0.0', type: 'Watcher', executable: 'x', executableType: 'Script' };
  const parsed = parseManifest(JSON.stringify({ ...manifest, operations: [{ name: 'o', output, result, timeLimit: '00:00:05' }] }));
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  const [operation] = parsed.manifest.operations;
  if (!operation) throw new Error('There is no operation.');
  return { operation, packageVersionId: 'v', command: [], env: {}, folder: '', mask };
}
const outcome = (end: Partial<ProgramEnd>, of = prepared(), isRead = false) => {
  const { status, message, output, reading } = outcomeOf({ ...ends, ...end }, of, 'The operation was removed.', isRead);
  return { status, message, output, value: reading.value };
};

describe('the outcome of a run', () => {
  it.each([
    [{ failure: 'ENOENT', isTimedOut: true }, 'Failed', 'The program could not be started: ENOENT'],
    [{ isTimedOut: true, isStopped: true, exitCode: null }, 'TimedOut', 'The program did not end within 00:00:05 and was stopped.'],
    [{ isStopped: true, exitCode: null }, 'Interrupted', 'The operation was removed.'],
    [{ exitCode: null, signal: 'SIGSEGV' as const }, 'Failed', 'The program was ended by SIGSEGV.'],
    [{ stdout: 'fine\n' }, 'Success', null],
    [{ exitCode: 3, stdout: 'one\ntwo\n', stderr: 'first\n why \n\n' }, 'Failed', 'Exit code 3: why'],
    [{ exitCode: 3, stdout: 'one\ntwo\n' }, 'Failed', 'Exit code 3: two'],
    [{ exitCode: 3 }, 'Failed', 'Exit code 3.'],
    [{ stdout: 'fine\n', droppedBytes: 1 }, 'Success', 'The output is longer than 1 MiB and was truncated.'],
  ])('%j is %s', (end, status, message) => {
    expect(outcome(end)).toMatchObject({ status, message });
  });

  it('has the output, then the errors, and says what is missing before its end', () => {
    expect(outcome({}).output).toBeNull();
    expect(outcome({ stdout: 'out\n\n', stderr: 'err\n' }).output).toBe('out\n[stderr]\nerr');
    expect(outcome({ stdout: 'begins\n', tail: 'cut line\nends\n', droppedBytes: 7 }).output).toBe(
      'begins\n[truncated: 7 more bytes were written and not kept]\nends',
    );
    // An end within one line has no whole line.
    expect(outcome({ stdout: 'begins', tail: 'no line', droppedBytes: 7 }).output).toBe(
      'begins\n[truncated: 7 more bytes were written and not kept]',
    );
  });

  it('says what is wrong with an output, and why', () => {
    const number = prepared('text', 'Numeric');
    expect(outcome({ stdout: 'abc', stderr: 'broken pipe\n' }, number)).toMatchObject({
      status: 'Failed',
      message: expect.stringMatching(/ broken pipe$/),
    });
    expect(outcome({ stdout: 'abc' }, number).message).not.toMatch(/undefined| $/);
    expect(outcome({ exitCode: 2, stdout: 'abc', stderr: 'broken pipe\n' }, number).message).toBe('Exit code 2: broken pipe');
  });

  it('keeps and reads nothing that holds a secret that cannot be masked', () => {
    const secret = prepared('text', 'Text', () => undefined);
    const hidden = 'The output holds a secret of the tenant in a form that cannot be masked, and is not kept.';
    expect(outcome({ stdout: 's3cret' }, secret)).toEqual({ status: 'Failed', message: hidden, output: hidden, value: undefined });
    const masked = prepared('text', 'Text', (text) => text.replaceAll('s3cret', '***'));
    expect(outcome({ stdout: 'is s3cret\n', exitCode: 1, stderr: 's3cret!' }, masked)).toMatchObject({
      message: 'Exit code 1: ***!',
      output: 'is ***\n[stderr]\n***!',
    });
  });

  it('of a process that is kept alive was read line by line', () => {
    expect(outcome({ stdout: '{"value":' }, prepared('json'), true)).toMatchObject({
      status: 'Success',
      message: 'The process has ended.',
    });
    expect(outcome({ exitCode: 1, stderr: 'no disk' }, prepared('text'), true)).toMatchObject({
      status: 'Failed',
      message: 'Exit code 1: no disk',
    });
  });
});

it('says in a packet how a run ended, and leaves out what it does not have', () => {
  expect(packetOf('Failed', null, {})).toEqual({ Metrics: {}, States: { RunStatus: 'Failed' } });
  const reading = { value: 0, metrics: { A: 1 }, states: { B: 'x' }, diagnostics: { C: [1] } };
  expect(packetOf('Success', 'Fine.', reading, 1_500)).toEqual({
    Value: 0,
    Metrics: { A: 1, RunSeconds: 1.5 },
    States: { B: 'x', RunStatus: 'Success' },
    Diagnostics: { C: [1], Message: 'Fine.' },
  });
});

describe('the beat of an operation', () => {
  it.each([1_000, 60_000, 86_400_000])('of %i ms comes once in each interval, at the same place of it', (intervalMs) => {
    const phase = shareOf('op-1', intervalMs);
    expect([phase >= 0, phase < intervalMs, shareOf('op-2', 1_000_000) === shareOf('op-1', 1_000_000)]).toEqual([true, true, false]);
    let at = nextBeat('op-1', intervalMs, 1_800_000_000_000);
    expect([at > 1_800_000_000_000, at <= 1_800_000_000_000 + intervalMs, at % intervalMs]).toEqual([true, true, phase]);
    for (const beat of [1, 2, 3]) {
      expect([beat, nextBeat('op-1', intervalMs, at - 1), nextBeat('op-1', intervalMs, at)]).toEqual([beat, at, at + intervalMs]);
      at += intervalMs;
    }
  });

  it('pauses longer after each failure in a row, at most a minute', () => {
    expect([1, 2, 3, 7, 50].map(restartDelayMs)).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
  });
});

it('sends at once what is urgent, and the rest once within two seconds, each time', () => {
  vi.useFakeTimers();
  const notified = vi.fn<() => void>();
  const notify = collecting({ ...createSignal(), notify: notified });
  for (const round of [1, 2]) {
    notify(false);
    vi.advanceTimersByTime(1_000);
    notify(false);
    vi.advanceTimersByTime(999);
    expect([round, notified.mock.calls.length]).toEqual([round, round - 1]);
    vi.advanceTimersByTime(1);
    expect([round, notified.mock.calls.length]).toEqual([round, round]);
  }
  notify(false);
  notify(true);
  expect(notified).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(10_000);
  expect(notified).toHaveBeenCalledTimes(3);
});

it('keeps the beginning and the end of a long text, and no half of a character', () => {
  expect(shortened('x'.repeat(100), 100)).toBe('x'.repeat(100));
  const long = shortened(`${'a'.repeat(500)}${'b'.repeat(500)}`, 200);
  expect(long).toBe(`${'a'.repeat(60)}\n... 880 characters are left out ...\n${'b'.repeat(60)}`);
  expect(long.length).toBeLessThanOrEqual(200);
  expect(shortened(`${'a'.repeat(59)}😀${'b'.repeat(900)}😀${'c'.repeat(59)}`, 200)).toBe(
    `${'a'.repeat(59)}\ufffd\n... 902 characters are left out ...\n\ufffd${'c'.repeat(59)}`,
  );
});
