/** Unpacking base copies: copies in parts, older copies that store each file separately, and damaged copies. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BaseCopy, baseCopies, unpackCopy } from './base-copies.ts';
import { folderArchive } from './folder-store.ts';

const contents: Record<string, string> = {
  PG_VERSION: '18\n',
  'base/1/empty': '',
  'base/1/1255': 'x'.repeat(5_000),
  'global/pg_control': 'control',
};
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'copies-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** An archive with one copy, which contains these files by their paths below the copy. */
async function archiveOf(name: string, manifest: Partial<BaseCopy>, files: Record<string, Buffer | string>) {
  const copy = {
    started: '2026-11-22T03:00:00.000Z',
    ended: '2026-11-22T03:00:09.000Z',
    firstSegment: '000000010000000000000002',
    bytes: 0,
    folders: ['pg_wal'],
    files: Object.entries(contents).map(([path, text]) => ({
      path,
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
    ...manifest,
  };
  for (const [path, content] of Object.entries({ ...files, 'manifest.json': JSON.stringify(copy) })) {
    const target = join(home, name, 'base/20261122T030000Z', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  return folderArchive(join(home, name));
}

const all = Object.values(contents).join('');

async function unpacked(
  name: string,
  manifest: Partial<BaseCopy>,
  files: Record<string, Buffer | string>,
): Promise<Record<string, string>> {
  const store = await archiveOf(name, manifest, files);
  const [copy] = await baseCopies(store);
  if (!copy) throw new Error('There is no copy.');
  const cluster = join(home, `${name}-cluster`);
  await unpackCopy(store, copy, cluster);
  const paths = [...Object.keys(contents), 'backup_label'];
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(join(cluster, path), 'utf8')] as const)));
}

it('puts files together that are in one part, or reach into the next', async () => {
  for (const cut of [2, 3, 1_000, all.length]) {
    const parts = [all.slice(0, cut), all.slice(cut)].filter(Boolean);
    const files = Object.fromEntries(parts.map((text, index) => [`part-0000${index + 1}.gz`, gzipSync(text)]));
    const got = await unpacked(`cut-${cut}`, { parts: parts.length, label: 'START' }, files);
    expect(got).toEqual({ ...contents, backup_label: 'START' });
  }
});

it('reads an older copy, which has a file for each file', async () => {
  const files = Object.fromEntries(Object.entries(contents).map(([path, text]) => [`files/${path}.gz`, gzipSync(text)]));
  expect(await unpacked('older', {}, { ...files, backup_label: 'START' })).toEqual({ ...contents, backup_label: 'START' });
});

it.for([
  ['is missing', {}, /part-00001\.gz is missing in /],
  ['is no gzip', { 'part-00001.gz': 'nothing' }, /part-00001\.gz in .* cannot be read: incorrect header check/],
  ['ends early', { 'part-00001.gz': gzipSync(all).subarray(0, 40) }, /part-00001\.gz in .* cannot be read: unexpected end of file/],
  ['has other content', { 'part-00001.gz': gzipSync(all.replace('18', '17')) }, /PG_VERSION is not what was written/],
  ['is too short', { 'part-00001.gz': gzipSync(all.slice(0, -1)) }, /global\/pg_control is not whole/],
  ['is too long', { 'part-00001.gz': gzipSync(`${all}.`) }, /it has more than its manifest says/],
] as const)('refuses a copy whose part %s', async ([how, files, message]) => {
  await expect(unpacked(how.replaceAll(' ', '-'), { parts: 1, label: 'START' }, files)).rejects.toThrow(message);
});

it('sees no copy without a manifest', async () => {
  const store = await archiveOf('unfinished', { parts: 1 }, { 'part-00001.gz': gzipSync(all) });
  await store.remove('base/20261122T030000Z/manifest.json');
  expect(await baseCopies(store)).toEqual([]);
});
