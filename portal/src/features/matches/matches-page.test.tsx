/** The matches of all rules, and the page of one match. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

const ids = [1, 2, 3, 4, 5].map((n) => `01a1fcdb-0000-7000-8000-00000000000${n}`) as [string, string, string, string, string];
const [ruleId, deviceId, matchId, lateId, joinedId] = ids;
const time = '2026-11-22T14:12:30.000Z';

const match = {
  ruleMatchId: matchId,
  tenantId,
  ruleId,
  subjectId: deviceId,
  label: 'CPU high: db-1',
  created: time,
  expires: time,
  closed: time,
  matchCount: 3,
  firstMatch: time,
  lastMatch: time,
  inMaintenance: false,
  completionProcessed: true,
  rulePacket: { Metrics: { Cpu: 95, Memory: 4 } },
  correlationId: ids[3],
  modified: time,
  rule: { ruleId, name: 'CPU high', color: 'red', conditions: [{ LeftOperand: 62, LeftOperandFieldName: 'Cpu' }] },
  device: { deviceId, name: 'db-1' },
};
const late = { ...match, ruleMatchId: lateId, device: { deviceId, name: 'db-2' } };

const answers = {
  'GET /v1/ruleMatches': list([match, late]),
  [`GET /v1/ruleMatches(${matchId})`]: match,
  [`GET /v1/rulematches/${matchId}/explain`]: {
    ruleId,
    ruleName: 'CPU high',
    entityId: deviceId,
    entityName: 'db-1',
    at: time,
    outcome: 'hit',
    event: null,
    eventAt: null,
    summary: 'The rule held and opened a match.',
    reasons: [],
    basis: 'recorded',
    rule: null,
    packet: null,
    conditions: [],
    inTimeWindow: null,
    maintenance: { inMaintenance: false, rules: [], windows: [] },
    match: null,
    actions: [],
    workUnits: [],
  },
  'GET /v1/workUnitRelations': list([
    {
      workUnitRelationId: 1,
      workUnitId: 503,
      referenceId: matchId,
      workUnit: { workUnitId: 503, publicWorkUnitId: 1503, title: 'CPU high' },
    },
  ]),
  'GET /v1/actionHistories': list([
    { actionHistoryId: 1, referenceId: matchId, resultStatusId: 2, resultDetail: {}, nextTry: null, keptSince: null },
    { actionHistoryId: 2, referenceId: matchId, resultStatusId: 3, resultDetail: {}, nextTry: time, keptSince: null },
    { actionHistoryId: 3, referenceId: lateId, resultStatusId: 5, resultDetail: { reason: 'late' }, nextTry: null, keptSince: null },
  ]),
};

beforeEach(() => localStorage.clear());

it('shows the value that was seen, the unit by its public number, what failed or waits, and why actions did not run', async () => {
  const { calls } = await renderApp(`/${tenantId}/matches?f.ruleId=${ruleId}&q=over`, answers);
  const unit = await screen.findByRole('link', { name: '#1503' });
  expect(unit.getAttribute('href')).toBe('/workunitsv2?workUnitId=503');
  const [first, second] = screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row));
  expect(first?.getByText('Cpu 95')).toBeTruthy();
  expect(await first?.findByText('1 action failed')).toBeTruthy();
  expect(first?.getByText('1 action waits')).toBeTruthy();
  expect(second?.getByText('not run: it came too late')).toBeTruthy();
  const lists = calls.filter((call) => call.path === '/v1/ruleMatches').map((call) => call.query.get('$filter') ?? '');
  for (const filter of lists) {
    expect(filter).toContain(`tenantId eq ${tenantId}`);
    expect(filter).toContain(`ruleId eq ${ruleId}`);
    expect(filter).toContain('closed ne null');
  }
  const bars = screen.getByRole('group', { name: /^2 matches since/ });
  fireEvent.focus(bars);
  fireEvent.keyDown(bars, { key: 'Home' });
  expect(within(bars).getAllByText(/ – .*: 2 matches$/)).toHaveLength(2);
});

it('says of a rule with a baseline what was expected and by how many deviations the value differs', async () => {
  const usual = [{ metric: 'Cpu', value: 95, mean: 40, deviation: 5, readings: 240, weeks: 4 }];
  await renderApp(`/${tenantId}/matches`, { ...answers, 'GET /v1/ruleMatches': list([{ ...match, usual }]) });
  await screen.findByText('Cpu 95 (11 deviations above the usual 40 ± 5)');
});

it('names the work unit of the group that a match joined', async () => {
  const joined = { ...match, ruleMatchId: joinedId };
  const { calls } = await renderApp(`/${tenantId}/matches`, {
    ...answers,
    'GET /v1/ruleMatches': list([match, joined]),
    'GET /v1/unitMatches': list([
      { ruleMatchId: joinedId, workUnit: { workUnitId: 504, publicWorkUnitId: 1504, title: 'CPU high: Lyon' } },
    ]),
    'GET /v1/actionHistories': list([
      { actionHistoryId: 4, referenceId: joinedId, resultStatusId: 5, resultDetail: { reason: 'grouped' }, nextTry: null, keptSince: null },
    ]),
  });
  const unit = await screen.findByRole('link', { name: '#1504' });
  expect(unit.getAttribute('href')).toBe('/workunitsv2?workUnitId=504');
  expect(await screen.findByText('not run: part of a group')).toBeTruthy();
  const filter = calls.find((call) => call.path === '/v1/unitMatches')?.query.get('$filter');
  expect(filter).toContain(joinedId);
  expect(filter).not.toContain(matchId);
});

it('opens a match beside the list, and its page explains it', async () => {
  const { router } = await renderApp(`/${tenantId}/matches`, answers);
  fireEvent.click((await screen.findAllByRole('link', { name: 'CPU high' }))[0] as HTMLElement);
  const panel = within(await screen.findByRole('dialog', { name: 'CPU high: db-1' }));
  fireEvent.click(panel.getByRole('link', { name: 'Open as a page' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/matches/${matchId}`));
  await screen.findAllByText('The rule held and opened a match.');
  expect(screen.getAllByRole('link', { name: 'db-1' })[0]?.getAttribute('href')).toBe(`/${tenantId}/devices?id=${deviceId}`);
});
