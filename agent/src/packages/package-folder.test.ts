import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPackageFolder } from './package-folder.ts';

it('removes what a killed download or unpacking left, but not the download that goes on', () => {
  const root = mkdtempSync(join(tmpdir(), 'package-folder-'));
  try {
    const folder = openPackageFolder(root, 'p1');
    folder.change({ current: null });
    for (const id of ['v1', 'v2', 'v3']) writeFileSync(folder.download(id), 'part');
    folder.draft('v2');
    mkdirSync(join(root, 'p1', 'v1'));
    folder.sweepDownloads('v3');
    expect(readdirSync(join(root, 'p1')).toSorted()).toEqual(['current', 'v1', 'v3.zip']);
    folder.sweepDownloads(undefined);
    expect(readdirSync(join(root, 'p1')).toSorted()).toEqual(['current', 'v1']);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it('unpacks into an empty folder, also of the first version', () => {
  const root = mkdtempSync(join(tmpdir(), 'package-folder-'));
  try {
    const folder = openPackageFolder(root, 'p1');
    for (const leftover of [false, true]) {
      const draft = folder.draft('v1');
      expect([leftover, readdirSync(draft)]).toEqual([leftover, []]);
      writeFileSync(join(draft, 'script'), 'part');
    }
    folder.complete('v1');
    expect(readdirSync(join(root, 'p1', 'v1'))).toEqual(['script']);
    expect([folder.load('v1'), folder.load(null)]).toEqual([undefined, undefined]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
