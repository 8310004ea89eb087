import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const ruleId = '01a1fcdb-0000-7000-8000-0000000000a1';
const copyId = '01a1fcdb-0000-7000-8000-0000000000a2';
const matchId = '01a1fcdb-0000-7000-8000-0000000000b1';
const deviceId = '01a1fcdb-0000-7000-8000-0000000000d1';
const correlationId = '01a1fcdb-0000-7000-8000-0000000000c1';
const rule = {
  ruleId,
  name: 'Cpu is high',
  enabled: true,
  description: null,
  ruleTypeId: 1,
  tenantId,
  subscriptionId: null,
  color: 'red',
  matchLifetime: '00:05:00',
  useSlidingExpiration: true,
  timeConditions: null,
  conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', OccurrencePattern: null }],
  matchActions: [{ ActionDefinitionId: '01a1fcdb-0000-7000-8000-0000000000d2', Parameters: {} }],
  expirationActions: [],
  protocolId: null,
  evaluationFailure: null,
  evaluationFailed: null,
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  subscription: null,
};
const copy = { ...rule, ruleId: copyId, name: 'Cpu is high (copy)', enabled: false };
const match = {
  ruleMatchId: matchId,
  tenantId,
  ruleId,
  subjectId: deviceId,
  label: 'Cpu is high: gateway-1',
  created: '2026-11-21T10:00:00.000Z',
  expires: new Date(Date.now() + 3_600_000).toISOString(),
  closed: null,
  matchCount: 7,
  firstMatch: '2026-11-21T10:00:00.000Z',
  lastMatch: '2026-11-21T10:20:00.000Z',
  inMaintenance: true,
  completionProcessed: false,
  rulePacket: { Metrics: { Cpu: 97 } },
  correlationId,
  modified: '2026-11-21T10:00:00.000Z',
  rule: { ruleId, name: 'Cpu is high', color: 'red' },
  device: { deviceId, name: 'gateway-1' },
};
const ended = { ...match, ruleMatchId: 'b2', label: 'Cpu is high: gateway-2', expires: '2026-11-20T10:00:00.000Z', inMaintenance: false };
const execution = {
  actionHistoryId: 4,
  actionDefinitionId: 'd1',
  actionDefinition: { name: 'Create work unit' },
  actionProcessed: '2026-11-21T10:00:02.000Z',
  resultStatusId: 1,
  inputParameters: '{"Title":"Cpu is high"}',
  resultDetail: { workUnitId: 40 },
  correlationId,
  referenceId: null,
  messageId: '01a1fcdb-0000-7000-8000-0000000000e1',
};
const answers: Answers = {
  'GET /v1/rules': list([rule]),
  [`GET /v1/rules(${ruleId})`]: rule,
  [`GET /v1/rules(${copyId})`]: copy,
  'GET /v1/ruleMatches': list([match, ended]),
  [`GET /v1/ruleMatches(${matchId})`]: match,
  'GET /v1/actionHistories': list([execution]),
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/rules${query}`, { ...answers, ...more });
const reads = (calls: readonly ApiCall[], path: string) => calls.filter((call) => call.method === 'GET' && call.path === path);
const filterOf = (calls: readonly ApiCall[]) => reads(calls, '/v1/rules').at(-1)?.query.get('$filter') ?? '';
const panel = async () => within(await screen.findByRole('dialog', { name: 'Rule Matches: Cpu is high' }));

async function choose(action: string) {
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Cpu is high' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: action }));
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('lists enabled rules until disabled ones are asked for; the search looks at names', async () => {
  const { calls } = await open('?search=cpu');
  await screen.findByRole('link', { name: 'Cpu is high' });
  expect(screen.getByRole('img', { name: 'red' })).toBeTruthy();
  const scope = `(tenantId eq ${tenantId} or tenantId eq null) and (subscriptionId eq ${subscriptionId} or subscriptionId eq null)`;
  await proves('[RULE-009] searches names', () => expect(filterOf(calls)).toContain("contains(folded(name),'cpu')"));
  await proves('[RULE-003] the enabled ones at first', () =>
    expect(filterOf(calls)).toBe(`${scope} and enabled eq true and contains(folded(name),'cpu')`),
  );
  await proves('[RULE-002] a checkbox shows the others', async () => {
    fireEvent.click(screen.getByRole('checkbox', { name: 'Show Disabled Rules' }));
    await waitFor(() => expect(filterOf(calls)).toBe(`${scope} and contains(folded(name),'cpu')`));
  });
});

it('[RULE-006] deletes a rule after a question; a failure says so', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  let refuse = true;
  await open('', { [`DELETE /v1/rules/${ruleId}`]: () => (refuse ? refused(500, 'x')() : new Response(null, { status: 204 })) });
  const remove = async () => {
    await choose('Delete');
    fireEvent.click(within(await screen.findByRole('dialog', { name: 'Delete Rule' })).getByRole('button', { name: 'Delete' }));
  };
  await remove();
  await proves('[ERR-007] says that it could not', () => screen.findByText('Unable to delete rule. Please try again.'));
  expect(warn).toHaveBeenCalledOnce();
  refuse = false;
  await remove();
  await proves('[RULE-048] says that it is deleted', () => screen.findByText('Rule deleted successfully.'));
});

it('a row switches its rule off; when that fails the server says why', async () => {
  const path = `POST /v1/rules/toggledisabled/${ruleId}`;
  const { calls } = await open('', { [path]: refused(409, 'The rule is part of a running import.') });
  const toggle = await screen.findByRole<HTMLInputElement>('switch', { name: 'Rule Cpu is high enabled' });
  fireEvent.click(toggle);
  await proves('[ERR-008] says why', () => screen.findByText('The rule is part of a running import.'));
  await proves('[RULE-007][RULE-019] asks the server', () =>
    expect(calls.filter((call) => call.method === 'POST').map((call) => `POST ${call.path}`)).toContain(path),
  );
  await waitFor(() => expect(toggle.checked).toBe(true));
});

it('enables and disables the selected rules in one call, and names a rule that cannot be evaluated', async () => {
  const failing = { ...rule, ruleId: copyId, name: 'Memory is high', evaluationFailure: 'Metric Memory is a text.' };
  let refuses = true;
  const { calls } = await open('', {
    'GET /v1/rules': list([rule, failing]),
    'PATCH /v1/rules': () => (refuses ? refused(409, 'The rule is part of a campaign.')() : list([rule, failing])),
  });
  expect((await screen.findByText('Failing')).title).toBe('Metric Memory is a text.');
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
  for (const box of screen.getAllByRole('checkbox', { name: /^Select (?!all)/ })) fireEvent.click(box);
  const disable = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Disable' }));
    const question = within(await screen.findByRole('dialog', { name: 'Disable 2 rules?' }));
    fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  };
  await disable();
  await screen.findByText('The rule is part of a campaign.');
  refuses = false;
  await disable();
  await screen.findByText('2 rules disabled.');
  expect(calls.filter(({ method }) => method === 'PATCH').at(-1)?.body).toEqual({ ids: [ruleId, copyId], newState: { enabled: false } });
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull());
});

it('marks a rule whose protocol never runs, in the list and in the form', async () => {
  const idle = { ...rule, protocolId: copyId, matchActions: [], expirationActions: [] };
  await open(`?id=${ruleId}`, { 'GET /v1/rules': list([idle]), [`GET /v1/rules(${ruleId})`]: idle });
  expect((await screen.findByText('Protocol never runs')).title).toMatch(/no action of the rule opens one/);
  await screen.findByText(/^The protocol never runs: /, { selector: '.notice' });
});

it("[RULE-008] copies a rule: disabled, with ' (copy)' after its name, without an id until it is saved", async () => {
  const { calls, search } = await open('', { 'PUT /v1/rules': copy });
  await choose('Copy');
  const editor = within(await screen.findByRole('dialog', { name: 'Create Rule' }));
  expect(Object.fromEntries(search())).toEqual({ id: 'new', 'panel.copyOf': ruleId });
  await proves('[RULE-021] with another name', () =>
    expect(editor.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Cpu is high (copy)'),
  );
  await proves('[RULE-020] disabled', () => expect(editor.getByLabelText<HTMLInputElement>('Enabled').checked).toBe(false));
  const sent = () => calls.filter((call) => call.method === 'PUT' && call.path === '/v1/rules').map((call) => call.body as object);
  expect(sent()).toEqual([]);
  fireEvent.click(editor.getByRole('button', { name: 'Create' }));
  await screen.findByText('Cpu is high (copy) created. It is disabled until you enable it.');
  expect(sent()).toHaveLength(1);
  expect(sent()[0]).toMatchObject({ name: 'Cpu is high (copy)', enabled: false, matchActions: rule.matchActions });
  expect(sent()[0]).toMatchObject({ conditions: [{ LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }] });
  await proves('[RULE-022] without an id', () => {
    for (const name of ['ruleId', 'created', 'modified']) expect(Object.keys(sent()[0] ?? {})).not.toContain(name);
  });
  expect(search().get('id')).toBeNull();
});

it('a row opens the matches of its rule, 100 to a page, newest first', async () => {
  const { calls, search } = await open();
  await choose('Matches');
  const matches = await panel();
  await proves('[MATCH-001] a panel shows them', () => matches.findByRole('button', { name: match.label }));
  const row = within(matches.getByRole('button', { name: match.label }).closest('tr') as HTMLElement);
  await proves('[MATCH-011] one that has not expired', () => row.getByText('Active'));
  await proves('[MATCH-010] its count and its device', () => {
    row.getByText('7');
    row.getByRole('link', { name: 'gateway-1' });
  });
  await proves('[MATCH-012] one that has expired', () =>
    within(matches.getByRole('button', { name: ended.label }).closest('tr') as HTMLElement).getByText('Inactive'),
  );
  await proves('[RULE-005] of this rule', () => expect(search().get('matchesOf')).toBe(ruleId));
  const query = reads(calls, '/v1/ruleMatches').at(-1)?.query;
  expect(query?.get('$filter')).toBe(`ruleId eq ${ruleId}`);
  await proves('[MATCH-008] newest first', () => expect(query?.get('$orderby')).toBe('created desc'));
  await proves('[MATCH-006] 100 to a page', () => expect(query?.get('$top')).toBe('100'));
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().toString()).toBe(''));
});

it('[MATCH-002] [MATCH-009] the search waits 250 ms; without a match it says so', async () => {
  const { calls, search } = await open(`?matchesOf=${ruleId}`, { 'GET /v1/ruleMatches': list([]) });
  const matches = await panel();
  await matches.findByText('No Rule Matches Found.');
  const box = matches.getByRole('searchbox', { name: 'Search rule matches' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.change(box, { target: { value: 'gate' } });
  vi.advanceTimersByTime(249);
  expect(search().get('panel.search')).toBeNull();
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await waitFor(() => expect(search().get('panel.search')).toBe('gate'));
  await waitFor(() => expect(reads(calls, '/v1/ruleMatches').at(-1)?.query.get('$filter')).toContain("contains(folded(label),'gate')"));
});

it('refreshes every 30 s, not while it shows what the actions of a match did', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { calls, search } = await open(`?matchesOf=${ruleId}`);
  const matches = await panel();
  const name = `Action history of ${match.label}`;
  await matches.findByRole('button', { name });
  const matchReads = () => reads(calls, '/v1/ruleMatches').length;
  const before = matchReads();
  await proves('[LIM-008] every 30 s', async () => {
    await act(() => vi.advanceTimersByTimeAsync(29_900));
    expect(matchReads()).toBe(before);
    await act(() => vi.advanceTimersByTimeAsync(200));
    await expect.poll(matchReads).toBe(before + 1);
  });
  fireEvent.click(matches.getByRole('button', { name }));
  const history = within(await matches.findByRole('region', { name }));
  expect(search().get('panel.match')).toBe(matchId);
  await proves('[MATCH-005] shows what the actions did', async () => {
    fireEvent.click(await history.findByText('Create work unit'));
    history.getByText('Success');
  });
  expect(JSON.parse(history.getByRole('group', { name: 'Input parameters' }).textContent)).toEqual({ Title: 'Cpu is high' });
  expect(JSON.parse(history.getByRole('group', { name: 'Packet that matched' }).textContent)).toEqual(match.rulePacket);
  expect(reads(calls, '/v1/actionHistories').at(-1)?.query.get('$filter')).toBe(`correlationId eq ${correlationId}`);
  await proves('[MATCH-004] rests meanwhile', async () => {
    await act(() => vi.advanceTimersByTimeAsync(90_000));
    expect(matchReads()).toBe(before + 1);
  });
  fireEvent.click(history.getByRole('button', { name: 'All matches' }));
  await act(() => vi.advanceTimersByTimeAsync(30_100));
  await expect.poll(matchReads).toBeGreaterThan(before + 1);
});

it('[MATCH-007] the matches of what a rule looked at are 50 to a page', async () => {
  const { calls } = await renderApp(`/${tenantId}/packets/${deviceId}?tab=ruleMatches`, answers);
  await screen.findAllByRole('button', { name: 'Cpu is high' });
  const matchReads = reads(calls, '/v1/ruleMatches').at(-1)?.query;
  expect([matchReads?.get('$filter'), matchReads?.get('$top'), matchReads?.get('$orderby')]).toEqual([
    `subjectId eq ${deviceId}`,
    '50',
    'created desc',
  ]);
});

it('goes on to the next tab, and to a backtest, when what is there is complete', async () => {
  const { search } = await open('?id=new');
  const form = within(await screen.findByRole('dialog', { name: 'Create Rule' }));
  const press = (name: string) => fireEvent.click(form.getByText(name, { selector: 'button' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is high' } });
  press('Next: Conditions');
  form.getByText('Please select a Rule Type');
  await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText(/^Rule type/)));
  // The problems of other tabs do not show, because nobody has visited them yet.
  expect(form.getByRole('tab', { name: /^Conditions/ }).textContent).toBe('Conditions');
  fireEvent.change(form.getByLabelText(/^Rule type/), { target: { value: '1' } });
  press('Next: Conditions');
  expect(search().get('tab')).toBe('conditions');
  // Enter in a field goes to the next tab too: the browser would otherwise submit the unfinished form.
  fireEvent.click(form.getByRole('tab', { name: /^Details/ }));
  expect(fireEvent.keyDown(form.getByLabelText(/^Name/), { key: 'Enter' })).toBe(false);
  expect(search().get('tab')).toBe('conditions');
  press('Backtest');
  form.getByText('Please select what to compare.');
  await waitFor(() => expect(document.activeElement).toBe(form.getAllByLabelText('What to compare').at(-1)));
  expect(search().get('panel.try')).toBeNull();
});

it('joins a rule with the chosen copies of other tenants, and takes that back', async () => {
  const third = { ...rule, ruleId: '01a1fcdb-0000-7000-8000-0000000000a3', tenantId: '01a1fcdb-0000-7000-8000-0000000000f3' };
  const there = { ...rule, ruleId: copyId, tenantId: '01a1fcdb-0000-7000-8000-0000000000f2' };
  const { inputsOf } = await open('', {
    'GET /api/generallookup/tenants': [
      { tenantId, name: 'Northwind' },
      { tenantId: there.tenantId, name: 'Harbor' },
      { tenantId: third.tenantId, name: 'Quarry' },
    ],
    'GET /v1/rules': ({ query }: ApiCall) => list(query.get('$filter')?.startsWith('name eq') ? [rule, there, third] : [rule]),
    previewJoinedRules: {
      name: 'Cpu is high',
      conditions: 'Metric Cpu > 90',
      differences: [{ tenantId: there.tenantId, tenantName: 'Harbor', isOff: false, differs: ['Metric Cpu > 95'] }],
      leftOut: 1,
    },
    joinRules: { ruleId, exceptions: 2, changeSet: correlationId },
    restoreConfiguration: { dryRun: false, changes: [], left: [], names: {} },
  });
  await choose('Join with copies of other tenants');
  const dialog = within(await screen.findByRole('dialog', { name: 'Join 3 rules into one' }));
  fireEvent.click(dialog.getByText('3 of 3 copies'));
  fireEvent.click(dialog.getByRole('checkbox', { name: 'Quarry' }));
  await dialog.findByText('Harbor: Metric Cpu > 95');
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Join' }).hasAttribute('disabled')).toBe(false));
  fireEvent.click(dialog.getByRole('button', { name: 'Join' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText('The copies hold again.');
  expect(inputsOf('joinRules')).toEqual([{ ruleIds: [copyId, ruleId], tenantGroupId: null, name: 'Cpu is high' }]);
  expect(inputsOf('restoreConfiguration')).toEqual([{ changeSet: correlationId, dryRun: false }]);
});
