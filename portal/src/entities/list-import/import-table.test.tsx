/** The import of a spreadsheet: a file of any encoding is tried, columns are chosen again, and only then it is written. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const { files } = vi.hoisted(() => ({ files: [] as [string, string][] }));
vi.mock('../../components/save-file.ts', () => ({
  saveFile: (name: string, content: string) => files.push([name, content]),
  saveCsv: () => undefined,
}));

const outcome: ListOutcome = {
  dryRun: true,
  delimiter: ';',
  headings: ['Rechner', 'Tags', 'Note'],
  sample: [
    ['web-1', 'site:Riga', ''],
    ['web-2', '', 'old'],
  ],
  columns: ['name', 'tags', null],
  key: 'name',
  lacks: [],
  ambiguousDates: null,
  rows: 3,
  added: 1,
  changed: 1,
  unchanged: 0,
  changes: [
    {
      resource: 'devices',
      verb: 'change',
      name: 'web-1',
      key: 'k1',
      line: 2,
      fields: [{ field: 'tags', before: null, after: 'site:Riga' }],
    },
    { resource: 'devices', verb: 'add', name: 'web-2', key: 'k2', line: 3, fields: [{ field: 'name', before: null, after: 'web-2' }] },
  ],
  refusedRows: 1,
  refused: [{ line: 4, column: 'tags', message: 'Tags is at most 500 characters.' }],
  refusedCsv: 'the refused lines',
  remarks: [],
  names: {},
};

beforeEach(() => {
  files.length = 0;
  localStorage.clear();
});

const open = async (answers: Answers) => {
  const app = await renderApp(`/${tenantId}/devices`, { 'GET /v1/devices': list([]), ...answers });
  fireEvent.click(await screen.findByRole('button', { name: 'Import CSV' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Import Devices' }));
  return { ...app, panel };
};

it('tries a file, reads its columns as a person says, gives refused lines back, and writes the others', async () => {
  const { panel, inputsOf } = await open({ importList: ({ dryRun = true }) => ({ ...outcome, dryRun }) });
  // Windows-1252, as a spreadsheet in German writes it.
  const file = new File([new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65])], 'devices.csv');
  fireEvent.change(panel.getByLabelText(/^File/), { target: { files: [file] } });
  await panel.findByText('3 lines. 1 new, 1 changed, 0 unchanged.');
  const report = panel.getByRole('region', { name: '1 line cannot be imported' });
  expect(report.textContent).toContain('4TagsTags is at most 500 characters.');
  fireEvent.click(within(report).getByRole('button', { name: 'Save these lines with the reasons' }));
  expect(files).toEqual([['devices-refused.csv', 'the refused lines']]);

  fireEvent.change(panel.getByRole('combobox', { name: 'Note is read as' }), { target: { value: 'tags' } });
  await waitFor(() => expect(inputsOf('importList')).toHaveLength(2));
  // One column of the file is the tags, so the other one is no longer read.
  expect(inputsOf('importList').at(-1)).toMatchObject({ text: 'Größe', columns: ['name', null, 'tags'], dryRun: true });

  await waitFor(() => expect(panel.getByRole('button', { name: 'Import 2 rows' })).toHaveProperty('disabled', false));
  fireEvent.click(panel.getByRole('button', { name: 'Import 2 rows' }));
  await panel.findByText(/The lines were imported/);
  expect(inputsOf('importList').at(-1)).toMatchObject({ columns: ['name', null, 'tags'], dryRun: false, tenantId, list: 'devices' });
});

it('asks for a column that is missing and for the order of dates before anything can be imported', async () => {
  const { panel } = await open({ importList: { ...outcome, lacks: ['name'], ambiguousDates: 'Note' } });
  fireEvent.change(panel.getByLabelText(/^Or paste/), { target: { value: 'a\n1' } });
  fireEvent.click(panel.getByRole('button', { name: 'Read' }));
  expect((await panel.findByRole('alert')).textContent).toBe('Choose which column is: Name.');
  expect(panel.getByLabelText('The dates of "Note" can be read in two ways. Which comes first?')).toBeTruthy();
  expect(panel.queryByRole('button', { name: /^Import/ })).toBeNull();
});

it('says why a text is no table', async () => {
  const { panel } = await open({ importList: refused(400, 'A quotation mark is not closed (line 2).') });
  fireEvent.change(panel.getByLabelText(/^Or paste/), { target: { value: 'a\n"1' } });
  fireEvent.click(panel.getByRole('button', { name: 'Read' }));
  expect((await panel.findByRole('alert')).textContent).toContain('A quotation mark is not closed');
});
