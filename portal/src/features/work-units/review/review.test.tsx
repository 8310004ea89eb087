/** The timeline of a unit for the review, and units from notes and their actions. */
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderApp, refused, tenantId, type Answers } from '../../../testing/render-app.tsx';

const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`;
const matchId = '0197a3b0-1111-7222-8333-444455556666';
const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Disk *full* | now',
  severityId: 'Sev1',
  stateId: 'Resolved',
  assignedTo: null,
  tenantId,
  tenant: { tenantId, name: 'Northwind' },
  workUnitTypeId: 1,
  relations: [{ workUnitRelationId: 1, referenceType: 'RuleMatch', referenceId: matchId, created: at(1) }],
  resolution: 'Logs removed.',
  resolved: at(30),
  created: at(1),
  createdBy: 'System',
  modified: at(30),
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
const by = { ...plain, createdBy: 'tom.berg@northwind.example' };
const actions = '# Afterwards\n- [ ] Rotate the logs | weekly\n- [x] Free space\n  - [ ] Tell Mara';
const history = [
  { ...by, id: 3, created: at(12), detail: actions },
  {
    ...by,
    id: 2,
    created: at(4),
    historyType: 'WorkUnitStateChange',
    field: 'stateId',
    oldValue: 'New',
    newValue: 'Acknowledged',
    detail: '',
  },
  { ...plain, id: 1, created: at(1), createdBy: 'System', historyType: 'WorkUnitEvent', detail: 'Work unit created.' },
];
const match = {
  ruleMatchId: matchId,
  tenantId,
  label: 'Disk',
  rule: { name: 'Disk full', conditions: [{ LeftOperandFieldName: 'DiskUsed' }] },
  rulePacket: { Metrics: { DiskUsed: 97 } },
  device: { name: 'db-1' },
  firstMatch: at(0),
  closed: at(29),
  matchCount: 9,
  created: at(0),
};
const message = {
  notificationId: 'n1',
  name: 'Thomas Berg',
  channel: 'Sms',
  whom: 'on call',
  outcome: 'Sent',
  created: at(2),
  address: 'x',
};
const answers: Answers = {
  'GET /v1/workUnits(7)': unit,
  workUnitHistory: { value: history },
  'GET /v1/notifications': { value: [message] },
  'GET /v1/ruleMatches': { value: [match] },
  workUnitSeen: { value: [{ way: 'link', name: 'Thomas Berg', userName: 'tom.berg@northwind.example', first: at(3), last: at(3) }] },
};
let files: Blob[];

beforeEach(() => {
  sessionStorage.clear();
  files = [];
  URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`;
  URL.revokeObjectURL = () => undefined;
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});
const open = (more: Answers = {}) => renderApp('/workunitsv2?workUnitId=7', { ...answers, ...more });

it('saves who knew what when, with the open actions, from More', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Timeline for the review/ }));
  await screen.findByText('Timeline of work unit #1007 saved.');
  const text = await files.at(-1)?.text();
  expect(text?.split('\n')).toEqual([
    String.raw`# \#1007 Disk \*full\* \| now`,
    '',
    '- **Customer**: Northwind',
    '- **Severity**: Sev1',
    '- **State**: Resolved',
    '- **First match**: 2026-11-21 10:00:00 (after 0:00:00)',
    '- **Opened**: 2026-11-21 10:01:00 (after 0:01:00)',
    '- **First told**: 2026-11-21 10:02:00 (after 0:02:00)',
    '- **Acknowledged**: 2026-11-21 10:04:00 (after 0:04:00)',
    '- **Ended**: 2026-11-21 10:30:00 (after 0:30:00)',
    '- **Resolution**: Logs removed.',
    '',
    '## Who knew what when',
    '',
    'All times are UTC; the second column counts from the first entry.',
    '',
    '| Time | After | Who | What |',
    '| --- | --- | --- | --- |',
    '| 2026-11-21 10:00:00 | 0:00:00 | the record | Disk full matched on db-1: DiskUsed 97 |',
    '| 2026-11-21 10:01:00 | 0:01:00 | System | Work unit created. |',
    '| 2026-11-21 10:02:00 | 0:02:00 | System | told Thomas Berg by Sms (on call): Sent |',
    '| 2026-11-21 10:03:00 | 0:03:00 | Thomas Berg | opened the link of a message for the first time |',
    '| 2026-11-21 10:04:00 | 0:04:00 | Thomas Berg | changed State from New to Acknowledged |',
    String.raw`| 2026-11-21 10:12:00 | 0:12:00 | Thomas Berg | wrote: \# Afterwards / - \[ \] Rotate the logs \| weekly / - \[x\] Free space / - \[ \] Tell Mara |`,
    '| 2026-11-21 10:29:00 | 0:29:00 | the record | Disk full no longer matches, after 9 matches |',
    '',
    '## Actions',
    '',
    '- [ ] Rotate the logs | weekly',
    '- [ ] Tell Mara',
    '',
  ]);
});

it('saves the unit with its history as JSON, from More', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Export as JSON/ }));
  await screen.findByText('Work unit #1007 saved as JSON.');
  const saved = JSON.parse((await files.at(-1)?.text()) ?? '') as { title: string; relations: object[]; history: { id: number }[] };
  expect(saved).toMatchObject({ title: unit.title, tenant: { name: 'Northwind' }, relations: [{ referenceId: matchId }] });
  expect(saved.history.map(({ id }) => id)).toEqual(history.map(({ id }) => id));
});

it('says that the timeline could not be read', async () => {
  await open();
  await screen.findByRole('button', { name: 'More' });
  cleanup();
  await open({ 'GET /v1/notifications': refused(500, 'x') });
  fireEvent.click(await screen.findByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Timeline for the review/ }));
  await screen.findByText('The timeline could not be read. Please try again.');
  expect(files).toEqual([]);
});

it('makes a unit of a note and of an open action, linked to where they come from', async () => {
  const { calls } = await open({
    'PUT /v1/workUnits': { ...unit, workUnitId: 8, publicWorkUnitId: 1008 },
    'PUT /v1/workUnitRelations': {},
  });
  const sentTo = (path: string) => calls.flatMap((sent) => (sent.path === path && sent.body ? [sent.body] : []));
  const agree = async (title: string) => {
    const dialog = within(await screen.findByRole('dialog', { name: 'New work unit' }));
    if (title) fireEvent.change(dialog.getByRole('textbox', { name: /Another title/ }), { target: { value: title } });
    fireEvent.click(dialog.getByRole('button', { name: 'Create' }));
  };
  fireEvent.click(await screen.findByRole('button', { name: 'New work unit: Tell Mara' }));
  await agree('');
  await waitFor(() => expect(sentTo('/v1/workUnitRelations')).toEqual([{ workUnitId: 7, referenceId: '8', referenceType: 'WorkUnit' }]));
  expect(sentTo('/v1/workUnits')).toEqual([
    { workUnitId: -1, tenantId, severityId: 'Sev1', workUnitTypeId: 1, title: 'Tell Mara', description: 'Tell Mara\n\nFrom #1007.' },
  ]);
  expect(screen.queryByRole('button', { name: 'New work unit: Free space' })).toBeNull();
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'New work unit' })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'New work unit from this note' }));
  await agree('Log rotation');
  await waitFor(() => expect(sentTo('/v1/workUnits')).toHaveLength(2));
  expect(sentTo('/v1/workUnits')[1]).toMatchObject({ title: 'Log rotation', description: `${actions}\n\nFrom #1007.` });
});
