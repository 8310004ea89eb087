import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { IdentityFile } from './identity-file.ts';
import { checkMachine } from './other-machine.ts';

it('deletes what the other machine has stored to send, also what its listeners heard, and leaves the packages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'other-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['outbox', 'items', 'item-outbox', 'runs', 'packages']) mkdirSync(join(folder, name));
  const file = { read: () => ({ copiedFrom: {}, facts: {} }), write: () => undefined } as unknown as IdentityFile;
  await checkMachine(folder, file, {}, () => undefined);
  expect(readdirSync(folder)).toEqual(['packages']);
});
