/** Mentions, links and numbers in notes, and the watchers of a unit. */
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway is back',
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
const note = {
  id: 1,
  created: '2026-11-21T10:00:00Z',
  createdBy: 'mara@northwind.example',
  detail: '@tom.berg@northwind.example: see #1504, <b>https://example.com/log</b> and #9',
  isExternalNote: false,
  isFromCustomer: false,
  isWarning: false,
  historyType: null,
  historyUrl: null,
  field: null,
  oldValue: null,
  newValue: null,
};
const tom = { personId: 'p2', name: 'Thomas Berg', userName: 'tom.berg@northwind.example' };
const answers: Answers = {
  'GET /v1/workUnits(7)': unit,
  workUnitHistory: { value: [note] },
  'GET /v1/workUnits': ({ query }: { query: URLSearchParams }) => ({
    value: query.get('$filter')?.includes('1504') ? [{ workUnitId: 4, title: 'Offline till', tenantId }] : [],
  }),
  peopleToMention: ({ text }) => ({ value: 'thomas'.startsWith(text ?? '') ? [tom] : [] }),
  watchersOfWorkUnit: { value: [tom] },
  watchWorkUnit: { value: [tom] },
};

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);
const open = () => renderApp('/workunitsv2?workUnitId=7', answers);
const feed = async () => within(await screen.findByRole('region', { name: 'Notes and history' }));

it('links addresses and units, names people, and shows markup as text', async () => {
  await open();
  await (await feed()).findByText('@Thomas Berg');
  const link = (name: string) => feed().then((region) => region.findByRole('link', { name }));
  expect((await link('https://example.com/log')).getAttribute('rel')).toBe('noreferrer');
  expect((await link('#1504')).getAttribute('href')).toBe(`/${tenantId}/workunitsv2?workUnitId=4`);
  const text = (await screen.findByText('@Thomas Berg')).closest('p');
  expect(text?.textContent).toBe('@Thomas Berg: see #1504, <b>https://example.com/log</b> and #9');
  expect(text?.querySelectorAll('a')).toHaveLength(2);
});

it('offers the people of the unit behind @, and inserts one by the keyboard', async () => {
  await open();
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  const type = (text: string) => {
    fireEvent.change(box, { target: { value: text } });
    box.setSelectionRange(text.length, text.length);
    fireEvent.select(box);
  };
  type('Ask @th');
  await screen.findByRole('option', { name: /Thomas Berg/ });
  fireEvent.keyDown(box, { key: 'Enter' });
  expect(box.value).toBe('Ask @tom.berg@northwind.example ');
  expect(screen.queryByRole('listbox', { name: 'People to mention' })).toBeNull();
  type('Ask @th');
  await screen.findByRole('option', { name: /Thomas Berg/ });
  fireEvent.keyDown(box, { key: 'Escape' });
  expect(screen.queryByRole('listbox', { name: 'People to mention' })).toBeNull();
  expect(box.value).toBe('Ask @th');
});

it('shows who watches, and watches by the same button', async () => {
  const { inputsOf } = await open();
  const button = await screen.findByRole('button', { name: /^Watch/ });
  expect(button.title).toBe('Watched by Thomas Berg');
  expect(button.getAttribute('aria-pressed')).toBe('false');
  fireEvent.click(button);
  await screen.findByText('You watch this unit. Its changes come to your inbox.');
  await waitFor(() => expect(inputsOf('watchWorkUnit')).toHaveLength(1));
});

it('watches by a key too', async () => {
  const { inputsOf } = await open();
  await screen.findByRole('button', { name: /^Watch/ });
  fireEvent.keyDown(document.body, { key: 'w' });
  await waitFor(() => expect(inputsOf('watchWorkUnit')).toHaveLength(1));
});
