/** Notes and history of a unit: entries, past versions and undo. */
import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { historyTypes } from '@cloudfit/contract/enums.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';
import { counterTone } from './note-box.tsx';

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway is back',
  severityId: 'Sev1',
  stateId: 'InProgress',
  assignedTo: 'tom@northwind.example',
  tenantId,
  workUnitTypeId: 1,
  relations: [],
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'tom@northwind.example',
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
const by = { ...plain, createdBy: 'tom.berg@northwind.example' };
const entries = [
  { ...by, id: 1, created: '2026-11-21T10:00:00Z', historyType: 'WorkUnitEvent', detail: 'Work unit created.', createdBy: 'System' },
  {
    ...by,
    id: 2,
    created: '2026-11-21T10:01:00Z',
    historyType: 'FieldChange',
    field: 'title',
    oldValue: 'Gateway',
    newValue: 'Gateway is silent',
    detail: '',
  },
  { ...by, id: 3, created: '2026-11-21T10:02:00Z', detail: 'A fuse?', isExternalNote: true, isFromCustomer: true },
  {
    ...by,
    id: 4,
    created: '2026-11-21T10:03:00Z',
    historyType: 'FieldChange',
    field: 'title',
    oldValue: 'Gateway is silent',
    newValue: 'Gateway is back',
    detail: '',
  },
  {
    ...by,
    id: 5,
    created: '2026-11-21T10:04:00Z',
    historyType: 'WorkUnitStateChange',
    field: 'stateId',
    oldValue: 'Acknowledged',
    newValue: 'InProgress',
    detail: '',
  },
  { ...by, id: 6, created: '2026-11-21T10:05:00Z', historyType: 'ProtocolActionActivity', detail: 'Action Mail ran.', createdBy: 'System' },
  {
    ...by,
    id: 7,
    created: '2026-11-21T10:06:00Z',
    historyType: 'ProtocolActionFailure',
    detail: 'Action Call failed.',
    createdBy: 'System',
    historyUrl: 'https://example.com/log',
  },
  {
    ...by,
    id: 8,
    created: '2026-11-21T10:07:00Z',
    historyType: 'General',
    detail: 'Merged with another.',
    createdBy: 'System',
    historyUrl: 'javascript:alert(1)',
  },
  {
    ...by,
    id: 9,
    created: '2026-11-21T10:08:00Z',
    historyType: 'FieldChange',
    field: 'workUnitTypeId',
    oldValue: '3',
    newValue: '1',
    detail: 'Work Unit Type changed from Request to Incident.',
  },
  {
    ...by,
    id: 10,
    created: '2026-11-21T10:09:00Z',
    historyType: 'FieldChange',
    field: 'approved1By',
    oldValue: null,
    newValue: 'tom@northwind.example',
    detail: '',
  },
  { ...by, id: 11, created: '2026-11-21T10:10:00Z', detail: 'We are on it.', isExternalNote: true },
];
const then = (values: object) => ({
  unit: { ...unit, description: null, ...values },
  names: { 1: 'Incident', [tenantId]: 'Northwind Energy' },
});
const answers: Answers = {
  'GET /v1/workUnits(7)': unit,
  workUnitHistory: { value: entries },
  'GET /v1/workunits/GetWorkUnitAt(workUnitId=7,entryId=2)': then({ title: 'Gateway is silent', stateId: 'New', assignedTo: null }),
  'GET /v1/workunits/GetWorkUnitAt(workUnitId=7,entryId=3)': then({ title: 'Gateway is silent', stateId: 'New', assignedTo: null }),
  'GET /v1/workunits/GetWorkUnitAt(workUnitId=7,entryId=4)': then({ stateId: 'Acknowledged' }),
  'PUT /v1/workUnitNotes': {},
};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(cleanup);

const open = (address = '/workunitsv2?workUnitId=7', more: Answers = {}) => renderApp(address, { ...answers, ...more });
const feed = async () => within(await screen.findByRole('region', { name: 'Notes and history' }));
const items = async () => (await (await feed()).findAllByRole('listitem')).map((item) => item.textContent);

it('stands beneath the form, newest first, each kind in its own words', async () => {
  await open();
  await proves('[NOTE-003] has these kinds', () =>
    expect(historyTypes.toSorted()).toEqual(
      ['FieldChange', 'General', 'ProtocolActionActivity', 'ProtocolActionFailure', 'WorkUnitEvent', 'WorkUnitStateChange'].toSorted(),
    ),
  );
  await proves('[NOTE-002] shows a plain note', async () => (await feed()).findByText('A fuse?'));
  await (await feed()).findAllByText('Thomas Berg');
  const texts = await items();
  for (const [at, text] of [
    'We are on it.',
    'Thomas Berg changed Approved 1 by nothing → tom@northwind.example',
    'Thomas Berg changed Work Unit Type from Request to Incident',
    'System Merged with another.',
    'System Action Call failed. Open',
    'System Action Mail ran.',
    'Thomas Berg changed State Acknowledged → InProgress',
    'Thomas Berg changed Title Gateway is silent → Gateway is back',
    'A fuse?',
    'Thomas Berg changed Title Gateway → Gateway is silent',
    'System Work unit created.',
  ].entries())
    await proves('[WU-058] shows it at its place', () => expect(texts[at]).toContain(text));
  await proves('[NOTE-001] says what is external and where to read more', async () => {
    expect(texts[0]).toContain('External');
    expect(texts.find((text) => text?.includes('A fuse?'))).toContain('From the customer');
    expect((await feed()).getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('https://example.com/log');
  });
});

it('shows in amber what people have to see', async () => {
  const warning = { ...by, id: 20, created: '2026-11-21T11:00:00Z', historyType: 'ProtocolActionActivity', isWarning: true };
  await open(undefined, {
    workUnitHistory: {
      value: [...entries, { ...warning, detail: 'Mail was kept, not sent.' }],
    },
  });
  expect((await screen.findByText('Mail was kept, not sent.')).closest('li')?.className).toBe('entry warning');
  expect(screen.getByText('Action Mail ran.').closest('li')?.className).toBe('entry');
});

it('shows notes or history alone, as the address says', async () => {
  const { search } = await open();
  await (await feed()).findByText('A fuse?');
  fireEvent.click((await feed()).getByRole('button', { name: 'Notes' }));
  await waitFor(async () => expect(await items()).toHaveLength(2));
  expect(search().get('feed')).toBe('notes');
  cleanup();
  await open('/workunitsv2?workUnitId=7&feed=history');
  await (await feed()).findByText('Work unit created.');
  expect(await items()).toHaveLength(9);
});

it('counts a note up to 4000: orange at 80 %, red at 100 %', async () => {
  await open();
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  await proves('[NOTE-004] takes 4000 characters', () => expect(box.maxLength).toBe(4000));
  const isOfTone = async (length: number, tone: ReturnType<typeof counterTone>) => {
    fireEvent.change(box, { target: { value: 'x'.repeat(length) } });
    const counter = await proves('[NOTE-005] counts', () => screen.getByText(`${length}/4000`));
    expect([counter.className.includes('near'), counter.className.includes('full')]).toEqual([tone === 'near', tone === 'full']);
    expect(counterTone(length)).toBe(tone);
  };
  await isOfTone(3199, '');
  await proves('[NOTE-006] is orange at 80 %', () => isOfTone(3200, 'near'));
  await isOfTone(3999, 'near');
  await proves('[NOTE-007] is red at 100 %', () => isOfTone(4000, 'full'));
});

it('[NOTE-008] [NOTE-009] adds a note by the keyboard, and never an empty one', async () => {
  const { calls } = await open();
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  const send = () => fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true });
  for (const text of ['', '  \n ']) {
    fireEvent.change(box, { target: { value: text } });
    send();
  }
  fireEvent.change(box, { target: { value: 'It was a fuse.' } });
  send();
  await screen.findByText('Note added successfully!');
  expect(box.value).toBe('');
  expect(calls.filter((call) => call.path === '/v1/workUnitNotes').map((call) => call.body)).toEqual([
    { workUnitId: 7, detail: 'It was a fuse.', isExternalNote: false },
  ]);
});

it('[ERR-046] keeps a note that was not saved, through the end of the session too, for the same person alone', async () => {
  await open('/workunitsv2?workUnitId=7', { 'PUT /v1/workUnitNotes': refused(500, 'x') });
  const box = await screen.findByRole('textbox', { name: 'Note' });
  fireEvent.change(box, { target: { value: 'It was a fuse.' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add note' }));
  await screen.findByText('Unable to save note.');
  await open();
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' })).value).toBe('It was a fuse.');
  await open('/workunitsv2?workUnitId=7', {
    currentUser: {
      personId: 'p2',
      name: 'Tom',
      userName: 'tom@northwind.example',
      tenantId,
      subscriptionId: null,
      photo: null,
      locale: null,
    },
  });
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' })).value).toBe('');
});

it('quotes a note behind what is typed, and goes on below it', async () => {
  await open();
  const note = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  fireEvent.change(note, { target: { value: 'Seen.' } });
  const entry = (await (await feed()).findByText('A fuse?')).closest('li');
  if (!entry) throw new Error('The note is in no list.');
  fireEvent.click(within(entry).getByRole('button', { name: 'Quote this note' }));
  expect(note.value).toBe('Seen.\n\n> A fuse?\n\n');
  await waitFor(() => expect(document.activeElement).toBe(note));
  expect(note.selectionStart).toBe(note.value.length);
});

it('shows the unit as it was at an entry, and goes on in time', async () => {
  const { search } = await open();
  await (await feed()).findByText('A fuse?');
  const note = (await (await feed()).findAllByRole('listitem'))[8] as HTMLElement;
  fireEvent.click(within(note).getByRole('button', { name: 'See the unit as it was then' }));
  const dialog = within(await screen.findByRole('dialog', { name: /^#1007 as it was at / }));
  expect(search().get('at')).toBe('3');
  const rows = async () =>
    within(await dialog.findByRole('region', { name: 'Different from now' }))
      .getAllByRole('row')
      .slice(1)
      .map((row) => [...row.children].map((cell) => cell.textContent));
  expect(await rows()).toEqual([
    ['Title', 'Gateway is silent', 'Gateway is back'],
    ['State', 'New', 'InProgress'],
    ['Assigned To', 'nothing', 'tom@northwind.example'],
  ]);
  expect(within(dialog.getByRole('region', { name: 'The same as now' })).getByText('Northwind Energy')).toBeTruthy();
  fireEvent.click(dialog.getByRole('button', { name: 'Later' }));
  await waitFor(async () => expect(await rows()).toEqual([['State', 'Acknowledged', 'InProgress']]));
  expect(search().get('at')).toBe('4');
  fireEvent.click(dialog.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(search().get('at')).toBeNull());
});

it('says when nothing is recorded of a time', async () => {
  await open('/workunitsv2?workUnitId=7&at=3', { workUnitAt: refused(404, 'x') });
  expect(await screen.findByText('Nothing is recorded for that time.')).toBeTruthy();
});

it('undoes one change as a new change, after asking', async () => {
  const { calls } = await open('/workunitsv2?workUnitId=7', { 'PATCH /v1/workUnits/7': unit });
  fireEvent.click(await screen.findByRole('button', { name: 'Undo this change of Title' }));
  await screen.findByText(/^Set Title back to “Gateway is silent”\?/);
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Title set back to “Gateway is silent”.');
  expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual([
    { op: 'test', path: '/title', value: 'Gateway is back' },
    { op: 'replace', path: '/title', value: 'Gateway is silent' },
  ]);
});

it('undoes a state with what the unit waited for', async () => {
  const change = { ...by, created: '2026-11-21T10:04:00Z', detail: '' };
  const history = [
    { ...change, id: 5, historyType: 'WorkUnitStateChange', field: 'stateId', oldValue: 'OnHold', newValue: 'InProgress' },
    { ...change, id: 6, historyType: 'FieldChange', field: 'holdReason', oldValue: 'Supplier', newValue: null },
    { ...change, id: 7, historyType: 'FieldChange', field: 'title', oldValue: 'Gateway', newValue: 'Gateway is back' },
  ];
  const { calls } = await open('/workunitsv2?workUnitId=7', { workUnitHistory: { value: history }, 'PATCH /v1/workUnits/7': unit });
  fireEvent.click(await screen.findByRole('button', { name: 'Undo this change of State' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText(/^State set back to/);
  expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual([
    { op: 'test', path: '/stateId', value: 'InProgress' },
    { op: 'replace', path: '/stateId', value: 'OnHold' },
    { op: 'test', path: '/holdReason', value: null },
    { op: 'replace', path: '/holdReason', value: 'Supplier' },
  ]);
});

it('undoes numbers as numbers', async () => {
  const { calls } = await open('/workunitsv2?workUnitId=7', { 'PATCH /v1/workUnits/7': unit });
  fireEvent.click(await screen.findByRole('button', { name: 'Undo this change of Work Unit Type' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'PATCH')?.body).toMatchObject([{ value: 1 }, { value: 3 }]));
});

it('refuses to undo what has changed since, and says so', async () => {
  await open('/workunitsv2?workUnitId=7', {
    'PATCH /v1/workUnits/7': refused(409, "The current value 'x' is not equal to the test value 'y'."),
  });
  // A later change replaced the older title, and nobody can undo fields that only the server sets.
  expect(await screen.findAllByRole('button', { name: 'Undo this change of Title' })).toHaveLength(1);
  expect(screen.queryByRole('button', { name: /Undo this change of Approved/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Undo this change of State' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText('State has changed since, so this change cannot be undone. Nothing was changed.');
  cleanup();
  await open('/workunitsv2?workUnitId=7&at=2');
  await screen.findByText('Title has changed since, so this change cannot be undone.');
});

it('offers neither notes nor undo to who may only look', async () => {
  await open('/workunitsv2?workUnitId=7', {
    permissionsOfCaller: allPermissions.filter((permission) => permission.endsWith('WorkUnits:view')),
  });
  await (await feed()).findByText('A fuse?');
  expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull();
  expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull();
  expect(screen.getAllByRole('button', { name: 'See the unit as it was then' })).toHaveLength(11);
});

it('has a mark in the colour of the rule where a rule opened the unit, for those who may see rules', async () => {
  const ruleMatchId = '01a1fcdb-e335-7785-970a-0000000000b1';
  const relations = [{ workUnitRelationId: 1, workUnitId: 7, referenceId: ruleMatchId, referenceType: 'RuleMatch', tenantId }];
  const opened = { ...by, id: 12, created: '2026-11-21T10:00:00Z', historyType: 'WorkUnitEvent', createdBy: 'Rule Hot' };
  const match = { ruleMatchId, ruleId: 'r', tenantId, label: 'Hot', matchCount: 1, created: opened.created };
  const more = {
    'GET /v1/workUnits(7)': { ...unit, relations },
    workUnitHistory: {
      value: [
        { ...opened, detail: 'Work unit created.' },
        { ...opened, id: 13, detail: 'Opened by the rule Hot.' },
      ],
    },
    'GET /v1/ruleMatches': list([{ ...match, rule: { ruleId: 'r', name: 'Hot', color: 'orange' } }]),
  };
  await open(undefined, more);
  const mark = await (await feed()).findByRole('img', { name: 'Opened by rule Hot' });
  expect(mark.className).toBe('color-dot orange');
  expect(mark.closest('li')?.textContent).toContain('Opened by the rule Hot.');
  cleanup();
  await open(undefined, { ...more, permissionsOfCaller: allPermissions.filter((permission) => !permission.includes('Rules')) });
  await (await feed()).findByText('Opened by the rule Hot.');
  expect((await feed()).queryByRole('img', { name: 'Opened by rule Hot' })).toBeNull();
});

it('says of a note that came by mail from whom, what was found about the sender, and where the whole mail is', async () => {
  const mail = { mailFrom: 'Mara <mara@customer.example>', mailFileId: '0197a3b0-1111-7222-8333-444455556666' };
  const note = (id: number, more: { detail: string; mailFrom: string; mailChecks: string | null; mailFileId: string | null }) => ({
    ...by,
    id,
    created: '2026-11-21T10:11:00Z',
    createdBy: 'mara@customer.example (mail)',
    ...more,
  });
  await open(undefined, {
    workUnitHistory: {
      value: [
        note(21, { ...mail, detail: 'It works.', mailChecks: 'SPF pass, DKIM pass, DMARC pass' }),
        note(22, { ...mail, detail: 'Hello.', mailChecks: null, mailFileId: null }),
      ],
    },
  });
  const checked = within(await screen.findByText('It works.').then((text) => text.closest('li') as HTMLElement));
  checked.getByText(/By mail from Mara <mara@customer.example>, SPF pass, DKIM pass, DMARC pass/);
  expect(await checked.findAllByRole('button', { name: /The whole mail/ })).not.toEqual([]);
  const other = within(screen.getByText('Hello.').closest('li') as HTMLElement);
  other.getByText(/the sender was not checked/);
  expect(other.queryByRole('button', { name: /The whole mail/ })).toBeNull();
});
