/** Merging work units from the unit and from a selection, what the unit shows of it, and taking apart. */
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { mergeSeveral } from './merge-units.ts';

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway is silent',
  severityId: 'Sev1',
  stateId: 'InProgress',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  relations: [],
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'System',
};
const plain = {
  isExternalNote: false,
  isFromCustomer: false,
  isWarning: false,
  historyType: null,
  historyUrl: null,
  field: null,
  oldValue: null,
  newValue: null,
};
const note = { ...plain, createdBy: 'tom.berg@northwind.example' };
const answers: Answers = {
  'GET /v1/workUnits(7)': unit,
  'GET /v1/workUnits': ({ query }: { query: URLSearchParams }) => ({
    value: query.get('$filter')?.includes('1003') ? [{ ...unit, workUnitId: 3, publicWorkUnitId: 1003, title: 'Site is down' }] : [],
  }),
  workUnitHistory: {
    value: [
      { ...note, id: 2, created: '2026-11-21T10:02:00Z', detail: 'Of the duplicate.', mergedNumber: 1009 },
      { ...note, id: 1, created: '2026-11-21T10:01:00Z', detail: 'Of its own.' },
    ],
    merges: [
      { workUnitId: 3, publicWorkUnitId: 1003, title: 'Site is down', isInto: true },
      { workUnitId: 9, publicWorkUnitId: 1009, title: 'Gateway again', isInto: false },
    ],
  },
  mergeWorkUnits: { value: [] },
  splitWorkUnit: () => Response.json({}),
};

beforeEach(() => {
  sessionStorage.clear();
  // jsdom lays nothing out, so that no element would have a visible parent.
  Object.defineProperty(HTMLElement.prototype, 'offsetParent', { configurable: true, get: () => document.body });
});
afterEach(cleanup);
const open = (more: Answers = {}) => renderApp('/workunitsv2?workUnitId=7', { ...answers, ...more });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

it('merges into the unit that is searched by its number, and asks before', async () => {
  const { inputsOf } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Merge into…' }));
  const search = within(await screen.findByRole('dialog', { name: 'Merge #1007 into' }));
  fireEvent.change(search.getByRole('combobox', { name: 'Work unit that stays' }), { target: { value: '#1003' } });
  fireEvent.click(await screen.findByRole('option', { name: /Site is down/ }));
  const question = await dialog('Merge #1007 into #1003');
  question.getByText(/closed as a duplicate of #1003 Site is down/);
  fireEvent.click(question.getByRole('button', { name: 'Merge' }));
  await screen.findByText('1 work unit merged into #1003.');
  expect(inputsOf('mergeWorkUnits')).toEqual([{ id: '3', ids: [7] }]);
});

it('merges a selection into its oldest open unit, of one customer alone', async () => {
  const { inputsOf } = await open({ mergeWorkUnits: refused(409, '#1012 is merged into another work unit already.') });
  const units = [12, 4, 2, 9].map((id) => ({
    ...unit,
    workUnitId: id,
    publicWorkUnitId: 1_000 + id,
    stateId: id === 2 ? 'Closed' : 'New',
  })) as unknown as PanelWorkUnit[];
  expect(await mergeSeveral(units.map((row, at) => (at === 0 ? { ...row, tenantId: 'other' } : row)))).toBe(false);
  const done = mergeSeveral(units);
  const question = await dialog('Merge 3 work units into #1004');
  fireEvent.click(question.getByRole('button', { name: 'Merge' }));
  expect(await done).toBe(false);
  expect(inputsOf('mergeWorkUnits')).toEqual([{ id: '4', ids: [9, 12, 2] }]);
  await screen.findByText('#1012 is merged into another work unit already.');
});

it('shows what it is merged with and whose entries are whose, and takes them apart', async () => {
  const { inputsOf } = await open();
  const feed = within(await screen.findByRole('region', { name: 'Notes and history' }));
  const entry = async (text: string) => within((await feed.findByText(text)).closest('li') as HTMLElement);
  (await entry('Of the duplicate.')).getByText('of #1009');
  expect((await entry('Of the duplicate.')).queryByRole('button', { name: 'See the unit as it was then' })).toBeNull();
  (await entry('Of its own.')).getByRole('button', { name: 'See the unit as it was then' });
  expect(screen.getByRole('link', { name: '#1003 Site is down' }).getAttribute('href')).toBe(`/${tenantId}/workunitsv2?workUnitId=3`);
  fireEvent.click(screen.getByRole('button', { name: 'Take apart #1009' }));
  fireEvent.click((await dialog('Take apart #1009')).getByRole('button', { name: 'Take apart' }));
  await screen.findByText('#1009 was taken apart.');
  screen.getByRole('button', { name: 'Take apart #1007' });
  expect(inputsOf('splitWorkUnit')).toEqual([{ id: '9' }]);
});
