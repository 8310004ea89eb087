/** How many calls it takes to open a unit from the list, and to acknowledge it there. */
import '../../../testing/browser.ts';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { list, renderApp } from '../../../testing/render-app.tsx';
import { currentUserKey } from '../../../api/lookups.ts';
import { queryClient } from '../../../api/query-client.ts';
import { answersFor, incident, loadPanel } from './panel.fixtures.ts';

const matchId = '01a1fcdb-e335-7785-970a-52804d43e001';
const deviceId = '01a1fcdb-e335-7785-970a-52804d43e003';
const unit = {
  ...incident,
  stateId: 'New',
  assignedTo: 'tom.berg@northwind.example',
  createdBy: 'tom.berg@northwind.example',
  modifiedBy: 'tom.berg@northwind.example',
  ruleId: '01a1fcdb-e335-7785-970a-52804d43e002',
  occurrences: 3,
  protocolId: '01a1fcdb-e335-7785-970a-52804d43e004',
  protocol: { protocolId: '01a1fcdb-e335-7785-970a-52804d43e004', name: 'Hot machine' },
  relations: [{ workUnitRelationId: 1, referenceType: 'RuleMatch', referenceId: matchId }],
};
const match = {
  ruleMatchId: matchId,
  ruleId: unit.ruleId,
  subjectId: deviceId,
  tenantId: unit.tenantId,
  label: 'CPU is high: gw-east-07',
  matchCount: 3,
  firstMatch: '2026-11-21T10:00:00Z',
  lastMatch: '2026-11-21T10:05:00Z',
  expires: '2099-11-21T10:05:00Z',
  closed: null,
  rulePacket: { Metrics: { Cpu: 97 } },
  rule: { ruleId: unit.ruleId, name: 'CPU is high', color: null, conditions: [{ LeftOperandFieldName: 'Cpu' }] },
};
// A row of the list has no relations and no name of its protocol, so what these need is read after the unit.
const { relations: _relations, protocol: _protocol, ...listed } = unit;
const entry = { id: 1, created: '2026-11-21T10:06:00Z', detail: 'Called the site.', createdBy: 'tom.berg@northwind.example' };
const answers = answersFor(unit, {
  'GET /v1/workUnits': list([listed]),
  'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': { value: [entry] },
  'GET /v1/ruleMatches': list([match]),
  'GET /v1/unitMatches': list([
    { ...match, kind: 'Subject', shared: '', reason: null, state: 'Open' },
    { ...match, ruleMatchId: 'm2', kind: 'Subject', shared: '', reason: null, state: 'Open' },
  ]),
  watchersOfWorkUnit: { value: [] },
});

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

async function listWith() {
  const app = await renderApp('/workunitsv2?f=', answers);
  const link = await screen.findByRole('link', { name: unit.title });
  await waitFor(() => expect(queryClient.getQueryData(currentUserKey)).toBeTruthy());
  // What the list and the shell read for themselves, some of it when the browser is idle; the names of people who are in the list too.
  const ends = ['/savedViews', '/rules', '/callBacks/count', '/inbox/count', '/changes', '/version', '/workunittypes'];
  await waitFor(() => expect(ends.filter((end) => !app.calls.some(({ path }) => path.endsWith(end)))).toEqual([]));
  await screen.findAllByText(/Thomas Berg/);
  const before = app.calls.length;
  const sentSince = () => app.calls.slice(before).filter(({ isInBatch }) => !isInBatch);
  const has = (path: string) => app.calls.slice(before).some((call) => call.path.endsWith(path));
  return { ...app, link, sentSince, has };
}

it('opens a unit with its cause, matches and choices by at most four calls', async () => {
  const { link, sentSince, has } = await listWith();
  fireEvent.click(link);
  const ends = ['/workUnits(7)', '/alsoNow', '/watchers', '/ruleMatches', '/unitMatches', '/actionHistories', '/series', '/presence'];
  await waitFor(() => expect([...ends, '/workunitcatgories', '/assignmentGroups'].filter((end) => !has(end))).toEqual([]));
  await screen.findByText('Called the site.');
  await screen.findByDisplayValue('Hot machine');
  const sent = sentSince().map(({ method, path }) => `${method} ${path}`);
  expect(sent.toSorted()).toEqual(['POST /v1/$batch', 'POST /v1/$batch', 'POST /v1/series', 'POST /v1/workunits/7/presence']);
});

it('acknowledges a unit in the list by at most three calls', async () => {
  const { link, sentSince } = await listWith();
  const row = link.closest('tr') as HTMLElement;
  act(() => row.focus());
  fireEvent.keyDown(row, { key: 'a' });
  await screen.findByText('Work unit #1007 acknowledged.');
  await waitFor(() => expect(sentSince().some(({ method }) => method === 'GET')).toBe(true));
  expect(sentSince().length).toBeLessThanOrEqual(3);
});
