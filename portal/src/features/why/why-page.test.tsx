/** The page that explains why a rule matched or did not, or what all rules did. */
import '../../testing/browser.ts';
import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { EntityExplanation, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

const [ruleId, deviceId, matchId, messageId] = [1, 2, 3, 4].map((n) => `01a1fcdb-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const at = '2026-11-22T14:12:30.000Z';

const miss: Explanation = {
  ruleId,
  ruleName: 'CPU high',
  entityId: deviceId,
  entityName: 'db-primary-2',
  at,
  outcome: 'miss',
  event: 'packet',
  eventAt: at,
  summary: 'The rule did not hold.',
  reasons: [],
  basis: 'evaluatedAgain',
  rule: { ruleTypeId: 1, enabled: true, since: at, conditions: 'Metric Cpu > 90', changedSince: false },
  packet: { packetId: messageId, timestamp: at, received: at, message: { Metrics: { Cpu: 93 } } },
  conditions: [
    {
      index: 0,
      group: 0,
      text: 'Metric Cpu > 90, 3 times in a row',
      value: 93,
      observed: true,
      held: true,
      satisfied: false,
      before: 1,
      after: 2,
      saw: 'saw 93, which holds, but not often enough yet',
      progress: '2 of 3 in a row',
    },
  ],
  inTimeWindow: null,
  newerPacket: null,
  disabled: null,
  maintenance: { inMaintenance: false, rules: [], windows: [], until: null },
  match: null,
  actions: [],
  workUnits: [],
};

const hit: Explanation = {
  ...miss,
  outcome: 'hit',
  basis: 'recorded',
  conditions: miss.conditions.map((condition) => ({ ...condition, satisfied: true, progress: '3 of 3 in a row' })),
  match: {
    ruleMatchId: matchId,
    firstMatch: at,
    lastMatch: at,
    expires: at,
    closed: at,
    matchCount: 2,
    inMaintenance: false,
    recovered: null,
    heldSince: null,
    heldUntil: null,
  },
  actions: [
    {
      messageId,
      actionDefinitionId: ruleId,
      name: 'Page on-call',
      phase: 'match',
      resultStatusId: 3,
      result: 'EnqueueSuccess',
      processed: at,
      keptSince: null,
      pausedUntil: null,
      nextTry: '2026-11-22T15:00:00.000Z',
      detail: { phase: 'match', attempt: 5, error: 'HTTP 500' },
    },
  ],
  workUnits: [{ workUnitId: 503, publicWorkUnitId: 1503, title: 'CPU high: db-primary-2', stateId: 'New' }],
};

beforeEach(() => localStorage.clear());

const open = (answers: Record<string, unknown>) => renderApp(`/${tenantId}/why?rule=${ruleId}&entity=${deviceId}&at=${at}`, answers);

it('says both sides of a condition that compares two readings', async () => {
  const [one] = miss.conditions;
  const compared = [
    { ...one, text: 'Metric Used > 0.9 × Metric Total', value: 93, right: 87.5 },
    { ...one, index: 1, value: 4, right: null },
  ];
  await open({ [`GET /v1/rules/${ruleId}/explain`]: { ...miss, conditions: compared }, 'GET /v1/ruleMatches': list([]) });
  const steps = await screen.findByRole('region', { name: 'How the rule evaluated it' });
  await within(steps).findByText('87.5');
  expect(steps.textContent).toContain('saw 93 against 87.5');
  expect(steps.textContent).toContain('saw 4 against nothing');
});

it('says what a condition on a baseline saw and what is usual, or that there is too little history', async () => {
  const [one] = miss.conditions;
  const usual = { value: 56, mean: 40, deviation: 5, readings: 240, weeks: 4 };
  const few = 'saw 90, which cannot be compared yet: 3 weeks of values of this hour are needed, there are 2';
  const compared = [
    { ...one, text: 'Metric Cpu > 3 standard deviations above', value: 3.200000001, satisfied: true, usual, progress: null },
    { ...one, index: 1, text: 'Metric Disk', value: null, observed: false, held: false, saw: few, usual: { ...usual, weeks: 2 } },
  ];
  await open({ [`GET /v1/rules/${ruleId}/explain`]: { ...miss, conditions: compared }, 'GET /v1/ruleMatches': list([]) });
  const steps = await screen.findByRole('region', { name: 'How the rule evaluated it' });
  const [satisfied, unknown] = within(steps).getAllByRole('listitem');
  expect(satisfied?.textContent).toContain('saw 56, 3.2 deviations above the usual 40 ± 5holds');
  expect(unknown?.textContent).toContain(`Metric Disk: ${few}`);
  expect(unknown?.textContent).toContain('too little history');
});

it('asks by the address, says what each condition saw, and leads to the next match and to the editor with this moment', async () => {
  const { calls } = await open({
    [`GET /v1/rules/${ruleId}/explain`]: miss,
    'GET /v1/ruleMatches': list([{ ruleMatchId: matchId, firstMatch: '2026-11-22T14:13:00.000Z' }]),
  });
  await screen.findByRole('heading', { name: 'Why did “CPU high” not match for db-primary-2?' });
  const request = calls.find((call) => call.path.endsWith('/explain'));
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ entityId: deviceId, at });
  const steps = within(screen.getByRole('region', { name: 'How the rule evaluated it' }));
  expect(steps.getByText(/Metric Cpu > 90, 3 times in a row/)).toBeTruthy();
  expect(steps.getByText('93')).toBeTruthy();
  expect(steps.getByText('(2 of 3 in a row)')).toBeTruthy();
  expect(steps.getByText('not yet')).toBeTruthy();
  const next = (await steps.findByText(/It matched later/)).querySelector('a');
  expect(next?.getAttribute('href')).toBe(`/${tenantId}/matches/${matchId}`);
  const edit = new URL(screen.getByRole('link', { name: /as its test case/ }).getAttribute('href') ?? '', 'http://x');
  expect([edit.pathname, edit.searchParams.get('id'), edit.searchParams.get('panel.case')]).toEqual([
    `/${tenantId}/rules`,
    ruleId,
    `${deviceId}@${at}`,
  ]);
  // No id is shown in place of a name.
  expect(document.body.textContent).not.toContain(deviceId);
});

it('leads from a match to its page, its executions and its unit by the public number', async () => {
  await open({ [`GET /v1/rules/${ruleId}/explain`]: hit });
  await screen.findByRole('heading', { name: 'Why did “CPU high” match for db-primary-2?' });
  const hrefs = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href');
  expect(hrefs(/^Opened at/)).toBe(`/${tenantId}/matches/${matchId}`);
  expect(hrefs('Page on-call')).toBe(`/${tenantId}/executions/${messageId}`);
  expect(hrefs('#1503 CPU high: db-primary-2')).toBe('/workunitsv2?workUnitId=503');
  expect(screen.getByText('Failed 5 times')).toBeTruthy();
});

it('without a rule tells what all rules made of the moment, and why nobody was told', async () => {
  const all: EntityExplanation = {
    entityId: deviceId,
    entityName: 'db-primary-2',
    entityKind: 'device',
    tenantId,
    at,
    packet: miss.packet,
    newerPacket: null,
    silentSeconds: 0,
    maintenance: miss.maintenance,
    summary: 'No rule matched, so nobody was notified.',
    reasons: [],
    actions: { run: 0, waiting: 0, failed: 0, suppressed: 0 },
    counts: { miss: 11, disabled: 1 },
    rules: [
      {
        ruleId,
        ruleName: 'CPU high',
        ruleTypeId: 1,
        outcome: 'miss',
        event: 'packet',
        basis: 'evaluatedAgain',
        summary: 'It did not hold.',
        reasons: ['Condition 1 saw 93, but not often enough yet.'],
        nearly: true,
        conditions: 'Metric Cpu > 90',
        disabled: null,
        match: null,
        actions: [],
        workUnits: [],
      },
      {
        ruleId: matchId,
        ruleName: 'Disk full',
        ruleTypeId: 1,
        outcome: 'disabled',
        event: null,
        basis: 'none',
        summary: 'It was disabled.',
        nearly: false,
        reasons: [],
        conditions: 'Metric Disk > 95',
        disabled: { by: 'mara@northwind.example', at },
        match: null,
        actions: [],
        workUnits: [],
      },
    ],
    leftOut: 10,
  };
  const { calls } = await renderApp(`/${tenantId}/why?entity=${deviceId}&at=${at}`, { 'GET /v1/explain': all });
  await screen.findByRole('heading', { name: /^Why was nobody notified about db-primary-2 at/ });
  // The answer is read aloud, and the next Tab focuses its first link.
  expect(document.activeElement).toBe(screen.getByRole('group', { name: /^Why was nobody notified about db-primary-2 at/ }));
  expect(Object.fromEntries(calls.find((call) => call.path === '/v1/explain')?.query ?? [])).toEqual({ entityId: deviceId, at });
  const rules = within(screen.getByRole('region', { name: 'How the rules evaluated it' }));
  expect(rules.getByText('12 rules')).toBeTruthy();
  expect(rules.getByText('No rule matched, so nobody was notified.')).toBeTruthy();
  expect(rules.getByText(/not often enough yet/)).toBeTruthy();
  expect(await rules.findByText(/^Disabled by Mara Okafor at/)).toBeTruthy();
  expect(rules.getByText('10 more rules did not match.')).toBeTruthy();
  expect(rules.getByRole('link', { name: 'CPU high' }).getAttribute('href')).toContain(
    `/${tenantId}/why?rule=${ruleId}&entity=${deviceId}`,
  );
});

it('says what to do while the question is not complete, and nothing to people who may not see rules', async () => {
  await renderApp(`/${tenantId}/why`);
  await screen.findByText(/Choose a device and a time/);
  expect(document.activeElement).toBe(document.body);
  await renderApp(`/${tenantId}/why?entity=${deviceId}`, { 'GET /v1/permissions': ['CloudFit.CFS.Devices:view'] });
  await screen.findByText('You may not see rules.');
});
