/** A log that is written, rotated and read in random histories: each line is read once, whatever happens between two runs. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshSeed, runs } from '@cloudfit/contract/testing/runs.ts';
import { playLogHistory } from '../../testing/log-history.ts';

const count = runs(1_000, 10_000);
const firstSeed = freshSeed();
let root: string;
beforeAll(() => {
  // In memory where there is such a folder, because a history makes many files.
  root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'log-histories-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it(`reads each line once in ${count} random histories of writing, rotating, compressing and vanishing`, async () => {
  let lines = 0;
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { steps, written, read, faults } = await playLogHistory(root, seed);
    lines += written.length;
    // Compares texts, because an assertion for each line would take longer than the history.
    if (read.toSorted().join('\n') !== written.toSorted().join('\n') || faults.length > 0)
      expect({ read: read.toSorted(), faults }, `history of TEST_SEED=${seed}: ${steps.join(', ')}`).toEqual({
        read: written.toSorted(),
        faults: [],
      });
  }
  expect(lines).toBeGreaterThan(count);
});
