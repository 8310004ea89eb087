import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exitCodes, runCommand } from './run-command.ts';

let home: string;
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'cloudfit-import-'))));
afterEach(() => rm(home, { recursive: true, force: true }));

const tenantId = '0197f000-0000-7000-8000-00000000000a';
const tried = {
  dryRun: true,
  delimiter: ';',
  headings: ['Rechner', 'Tags'],
  sample: [],
  columns: [null, 'tags'],
  key: 'name',
  lacks: [],
  ambiguousDates: null,
  rows: 2,
  added: 1,
  changed: 0,
  unchanged: 0,
  changes: [],
  refusedRows: 1,
  refused: [{ line: 3, column: 'name', message: 'Name is empty.' }],
  refusedCsv: 'the refused lines',
  remarks: [],
  names: {},
};

async function typed(line: readonly string[], answer: (body: { dryRun: boolean }) => object = () => tried) {
  const written = { out: '', err: '' };
  const sent: { columns?: unknown; dryRun: boolean; text: string; tenantId: string }[] = [];
  const code = await runCommand(['import', ...line], {
    env: { CLOUDFIT_SERVER: 'https://ops.example.com', CLOUDFIT_TOKEN: 'cfst_a' },
    fetch: (input, init) => {
      if (new URL(String(input)).pathname === '/v1/tenants')
        return Promise.resolve(Response.json({ value: [{ tenantId, name: 'Leeds' }] }));
      const body = JSON.parse(String(init?.body)) as (typeof sent)[number];
      sent.push(body);
      return Promise.resolve(Response.json(answer(body)));
    },
    readIn: () => Promise.resolve(new TextEncoder().encode('')),
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    columns: undefined,
    signal: new AbortController().signal,
    platform: 'linux',
    home,
  });
  return { ...written, code, sent };
}

it('tries a file of any encoding, with the headings that a person names, and writes it only when told to', async () => {
  const [file, refused] = [join(home, 'devices.csv'), join(home, 'refused.csv')];
  // Windows-1252, as a spreadsheet in German writes it.
  await writeFile(file, Buffer.from('Rechner;Tags\nM\u00fchle;site:K\u00f6ln\n', 'latin1'));
  const first = await typed(['devices', file, '--columns', 'Rechner=name', '--refused', refused]);
  expect(first.sent.map(({ columns, dryRun }) => [columns, dryRun])).toEqual([
    [undefined, true],
    [['name', 'tags'], true],
  ]);
  expect(first.sent[0]).toMatchObject({ tenantId, text: 'Rechner;Tags\nMühle;site:Köln\n' });
  expect(first.out).toBe('1 new, 0 changed, 0 unchanged, 1 refused.\nLine 3, name: Name is empty.\n');
  expect(first.err).toContain('Add --apply');
  expect(first.code).toBe(exitCodes.failed);
  expect(await readFile(refused, 'utf8')).toBe('the refused lines');

  const applied = await typed(['devices', file, '--columns', 'Rechner=name', '--apply'], ({ dryRun }) => ({
    ...tried,
    dryRun,
    refusedRows: 0,
    refused: [],
  }));
  expect(applied.sent.map(({ dryRun }) => dryRun)).toEqual([true, true, false]);
  expect(applied.code).toBe(0);
});

it('says what is missing before anything is written', async () => {
  const file = join(home, 'days.csv');
  await writeFile(file, 'a\n1\n');
  const missing = await typed(['holidays', file, '--apply'], () => ({ ...tried, lacks: ['date'] }));
  expect([missing.sent.length, missing.err]).toEqual([1, expect.stringContaining('No heading is date. The headings are Rechner, Tags')]);
  const query = await typed(['holidays', file, '--apply'], () => ({ ...tried, ambiguousDates: 'Tag' }));
  expect([query.sent.length, query.err]).toEqual([1, expect.stringContaining('--dates day-first or month-first')]);
  expect((await typed(['days', file])).err).toContain('Name a list and a file');
});
