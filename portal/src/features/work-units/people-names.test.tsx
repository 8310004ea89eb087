/** A person has one name on every screen: the display name of the directory, never a name derived from the sign-in name. */
import '../../testing/browser.ts';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, type Answers, type ApiCall } from '../../testing/render-app.tsx';
import { answersFor, change, loadPanel } from './panel/panel.fixtures.ts';

const userName = 'u48213@corp.example';
const unit = {
  ...change,
  assignedTo: userName,
  approver1: userName,
  approver2: 'rule.engine@corp.example',
  modifiedBy: userName,
  createdBy: userName,
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
  createdBy: userName,
};
const records = [
  { ...plain, id: 1, created: '2026-11-21T10:00:00Z', detail: 'A fuse?' },
  {
    ...plain,
    id: 2,
    created: '2026-11-21T10:01:00Z',
    historyType: 'FieldChange',
    field: 'assignedTo',
    newValue: userName,
    detail: `Assigned To changed from empty to ${userName}.`,
  },
];
const directory = (call: ApiCall) => ({
  value: (call.body as { userNames: string[] }).userNames.includes(userName) ? [{ userName, name: 'Ruth Adeyemi' }] : [],
});
const answers: Answers = {
  ...answersFor(unit),
  'POST /v1/people/names': directory,
  workUnitHistory: { value: records },
  'GET /v1/workUnits': list([unit]),
  workUnitPresence: { value: [{ name: 'Ruth Adeyemi', userName, state: 'editing', since: unit.created }] },
};

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('gives one person one name in list, form, approvals, history and presence', async () => {
  const { calls } = await renderApp('/workunitsv2?workUnitId=7', answers);
  const row = await screen.findByRole('row', { name: /New firmware/, hidden: true });
  await waitFor(() => expect(row.textContent).toContain('Ruth Adeyemi'));
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Assigned To').value).toBe('Ruth Adeyemi'));
  const slot = within(await screen.findByLabelText('Approver 1', { selector: 'li' }));
  slot.getByText('Ruth Adeyemi');
  slot.getByRole('img', { name: 'Awaiting the decision of Ruth Adeyemi' });
  const feed = await screen.findByRole('region', { name: 'Notes and history' });
  await within(feed).findByText('A fuse?');
  expect([...feed.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
    expect.stringContaining('Ruth Adeyemi changed Assigned To nothing → Ruth Adeyemi'),
    expect.stringContaining('Ruth AdeyemiA fuse?'),
  ]);
  await screen.findByTitle(`Ruth Adeyemi is editing this work unit (${userName})`);
  screen.getByText('by Ruth Adeyemi');
  expect(document.body.textContent).not.toContain('48213');
  // Names that one screen shows are fetched together.
  expect(calls.filter((call) => call.path === '/v1/people/names').length).toBeLessThanOrEqual(3);
});

it('shows somebody whom the directory does not have by the sign-in name as it is', async () => {
  await renderApp('/workunitsv2?workUnitId=7', answers);
  const slot = within(await screen.findByLabelText('Approver 2', { selector: 'li' }));
  await slot.findByText('rule.engine@corp.example');
});

it('shows sign-in names where names cannot be looked up', async () => {
  const other = { ...unit, assignedTo: 'k7@corp.example' };
  await renderApp('/workunitsv2', { ...answers, 'GET /v1/workUnits': list([other]), 'POST /v1/people/names': refused(500, 'Down') });
  expect((await screen.findAllByText('k7@corp.example')).length).toBeGreaterThan(0);
});
