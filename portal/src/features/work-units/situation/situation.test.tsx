/** What is going on, on the first tab of a unit: its line, its cause with the value and the limit, other units, what is to come. */
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from '../panel/panel.fixtures.ts';

const matchId = '01a1fcdb-e335-7785-970a-0000000000b1';
const deviceId = '01a1fcdb-e335-7785-970a-0000000000d1';
const byRule = {
  ...incident,
  ruleId: 'r',
  relations: [{ referenceType: 'RuleMatch', referenceId: matchId }],
};
const first = new Date(Date.now() - 1_800_000).toISOString();
const match = {
  ruleMatchId: matchId,
  ruleId: 'r',
  tenantId,
  subjectId: deviceId,
  label: 'CPU high: db-primary-2',
  matchCount: 44,
  created: first,
  firstMatch: first,
  lastMatch: first,
  expires: new Date(Date.now() + 600_000).toISOString(),
  closed: null,
  rulePacket: { Metrics: { Cpu: 95 } },
  usual: null,
  rule: {
    ruleId: 'r',
    name: 'CPU high',
    color: null,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
  },
  device: { deviceId, name: 'db-primary-2' },
};
const minute = 60_000;
const series = {
  step: minute,
  series: [
    {
      entityId: deviceId,
      metric: 'Cpu',
      kind: 'number' as const,
      gap: 3 * minute,
      bands: [],
      buckets: [
        [Date.now() - 3 * minute, 40, 40, 40, 40, 1],
        [Date.now() - 2 * minute, 94, 94, 94, 94, 1],
      ] as [number, number, number, number, number, number][],
    },
  ],
};
const ofRule = { 'GET /v1/ruleMatches': list([match]), 'POST /v1/series': series };

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
const open = (unit: object, more: Answers = {}, query = '') => renderApp(`/workunitsv2?workUnitId=7${query}`, answersFor(unit, more));

it('says in a line under the title how severe it is, in which state, which number, whose, since when, of which tenant', async () => {
  await open(incident);
  const title = await screen.findByRole('heading', { name: 'Edit Work Unit #1007: Gateway east-07 is silent' });
  await waitFor(() =>
    expect(title.closest('.head')?.querySelector('.unit-line')?.textContent).toMatch(
      /^Sev1Acknowledged#1007Incident.*Jonas Feldopened .* agoNorthwind Energy/,
    ),
  );
  expect(document.title).toContain('Edit Work Unit #1007: Gateway east-07 is silent');
});

it('shows the runbook of the rule with the cause, and reads it in place', async () => {
  const article = { knowledgeArticleId: '01a1fcdb-e335-7785-970a-0000000000a1', title: 'Cool the machine' };
  const { inputsOf } = await open(byRule, {
    ...ofRule,
    suggestArticles: {
      articles: [
        { ...article, excerpt: 'Open a window', isRunbook: true },
        { knowledgeArticleId: matchId, title: 'Hot machines', excerpt: 'They are', isRunbook: false },
      ],
    },
    [`GET /v1/knowledgeArticles(${article.knowledgeArticleId})`]: { ...article, body: 'Open a window.', state: 'Published', tenantId },
    countArticleUse: { counted: true },
  });
  await screen.findByRole('link', { name: 'CPU high' });
  const cause = within(screen.getByRole('region', { name: 'Cause' }));
  fireEvent.click(await cause.findByRole('button', { name: 'Cool the machine' }));
  await within(await screen.findByRole('dialog', { name: 'Cool the machine' })).findByText('Open a window.', undefined, { timeout: 5_000 });
  // The other article may help; the runbook is not suggested a second time.
  await screen.findByText('Hot machines');
  expect(cause.queryByText('Hot machines')).toBeNull();
  expect(screen.getAllByRole('button', { name: 'Cool the machine', hidden: true })).toHaveLength(1);
  await waitFor(() => expect(inputsOf('countArticleUse')).toEqual([{ id: article.knowledgeArticleId, kind: 'Viewed' }]));
});

it('shows the rule, the device, the value that matched, and the metric around the match with the limit and the value now', async () => {
  const { inputsOf } = await open(byRule, ofRule);
  const link = await screen.findByRole('link', { name: 'CPU high' });
  const cause = within(screen.getByRole('region', { name: 'Cause' }));
  expect(link.getAttribute('href')).toBe(`/${tenantId}/rules?id=r&q=disabled`);
  expect(cause.getByRole('link', { name: 'db-primary-2' }).getAttribute('href')).toBe(`/${tenantId}/devices?id=${deviceId}`);
  cause.getByText('Cpu 95');
  expect((await cause.findByText(/^Limit 90 % · Cpu now/)).textContent).toBe('Limit 90 % · Cpu now 94 %');
  expect((await cause.findByRole('group', { name: /^Cpu around the match/ })).getAttribute('aria-label')).toContain('Limit of the rule');
  const [request] = inputsOf('readSeries');
  expect(request?.series).toEqual([{ entityId: deviceId, metric: 'Cpu' }]);
  // Two hours before the match are enough to see what is usual.
  expect(Date.parse(first) - Date.parse(request?.from ?? '')).toBe(7_200_000);
});

it('answers Why? over the unit, without leaving it', async () => {
  const { search } = await open(byRule, {
    ...ofRule,
    explainMatch: () => Response.json({ error: { message: 'Not now.' } }, { status: 500 }),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Why? CPU high: db-primary-2' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Why did “CPU high” match for db-primary-2?' }));
  expect(dialog.getByRole('link', { name: 'Open as a page' }).getAttribute('href')).toBe(`/${tenantId}/matches/${matchId}`);
  expect(search().get('workUnitId')).toBe('7');
  fireEvent.click(dialog.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Why did/ })).toBeNull());
});

it('lists other open units with what they share', async () => {
  const other = { title: 'Pump is hot', severityId: 'Sev2' as const, stateId: 'New' as const, created: first };
  const none = { device: null, location: null, sameRule: false, sameGroup: false };
  await open(incident, {
    alsoNow: {
      total: 9,
      value: [
        { ...other, ...none, workUnitId: 8, publicWorkUnitId: 1008, device: 'pump-1', location: 'Hall 3', sameGroup: true },
        { ...other, ...none, workUnitId: 9, publicWorkUnitId: 1009, location: 'Hall 3', sameRule: true },
        { ...other, ...none, workUnitId: 10, publicWorkUnitId: 1010, sameGroup: true },
      ],
    },
  });
  const around = within(await screen.findByRole('region', { name: 'Also now' }));
  expect(around.getByRole('heading').textContent).toBe('Also now 9 other open work units');
  expect(around.getAllByRole('listitem').map((element) => element.textContent)).toEqual([
    expect.stringMatching(/#1008 Pump is hotpump-1\d/),
    expect.stringMatching(/#1009 Pump is hotHall 3, same rule\d/),
    expect.stringMatching(/#1010 Pump is hotassigned to Network\d/),
  ]);
  expect(around.getByRole('link', { name: '#1008 Pump is hot' }).getAttribute('href')).toBe('/workunitsv2?workUnitId=8');
  around.getByText('and 6 more');
});

it('runs and rejects a waiting action in the timeline', async () => {
  const action = {
    protocolActionId: '01a1fcdb-e335-7785-970a-0000000000a1',
    actionDefinitionId: 'a',
    name: 'Restart exporter',
    description: null,
    summary: null,
    workUnitEventTypeId: 2,
    sequence: 1,
    repeatable: false,
    inputParameters: '',
    parameters: '{}',
    status: 'waiting' as const,
    messageId: null,
    actionHistoryId: null,
    nextTry: null,
    actionProcessed: null,
    resultDetail: null,
    mayRun: true,
  };
  const { inputsOf } = await open(incident, {
    pendingActions: { waiting: 1, protocolName: 'Outage', manualActions: null, value: [action] },
    triggerProtocolAction: () => new Response(null, { status: 204 }),
  });
  const item = within(await screen.findByRole('list', { name: 'To come' })).getByRole('listitem');
  expect(item.textContent).toMatch(/^Restart exporter waits for a person/);
  fireEvent.click(within(item).getByRole('button', { name: /^Reject/ }));
  const question = within(await screen.findByRole('dialog', { name: 'Reject this action?' }));
  fireEvent.click(question.getByRole('button', { name: 'Reject' }));
  await waitFor(() => expect(inputsOf('triggerProtocolAction')).toMatchObject([{ reject: true }]));
});

it('shows a reader values to read, and no disabled boxes', async () => {
  const text = { ...incident, description: 'No packet since 04:12.' };
  await open(text, { permissionsOfCaller: [permission('WorkUnits', 'view')] });
  expect((await screen.findByText('No packet since 04:12.')).closest('dd')).not.toBeNull();
  const panel = within(screen.getByRole('dialog', { name: /^Edit Work Unit/ }));
  expect(panel.queryAllByRole('textbox')).toEqual([]);
  expect(panel.queryAllByRole('combobox')).toEqual([]);
  expect(panel.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('is a page when the address asks so, and says how to go back beside the list', async () => {
  const { search } = await open(incident, {}, '&view=page');
  const panel = await screen.findByRole('dialog', { name: /^Edit Work Unit/ });
  expect(panel.className).toContain('as-page');
  fireEvent.click(within(panel).getByRole('button', { name: 'Show beside the list' }));
  await waitFor(() => expect(screen.getByRole('dialog', { name: /^Edit Work Unit/ }).className).not.toContain('as-page'));
  expect(search().has('view')).toBe(false);
});

it('shows the description to read before the fields, and clips a long one until it is asked for', async () => {
  const text = `Nobody knows why. ${'The neighbours report. '.repeat(20)}`;
  await open({ ...incident, description: text });
  const words = await screen.findByText((_, element) => element?.matches('p.unit-words') === true);
  expect([words.textContent, words.className]).toEqual([text, 'unit-words clipped']);
  fireEvent.click(screen.getByRole('button', { name: 'Show the whole description' }));
  expect(words.className).toBe('unit-words');
});
