import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';

const ruleId = '01a1fcdb-0000-7000-8000-0000000000a1';
const campaignId = '01a1fcdb-e331-70c1-ba47-0000000000c1';
const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', OccurrencePattern: null };
const rule = {
  ruleId,
  name: 'Cpu is high',
  enabled: true,
  ruleTypeId: 1,
  tenantId,
  subscriptionId: null,
  matchLifetime: '00:05:00',
  useSlidingExpiration: false,
  conditions: [cpu],
  matchActions: [],
  expirationActions: [],
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  subscription: null,
};
const campaign = {
  campaignId,
  tenantId,
  title: 'Change rule Cpu is high',
  kind: 'ChangeRule',
  ruleId,
  state: 'Running',
  total: 200,
  waiting: 198,
  running: 2,
  done: 0,
  failed: 0,
  stopped: 0,
  returned: 0,
  rings: [{ share: 1, devices: 2 }, { devices: 198 }],
  gate: { minShare: 90, heartbeat: true, ruleIds: [] },
  pauseMinutes: 30,
  ring: 0,
  ringNote: '0 of 2 devices matched so far, limit 0.',
  ringUntil: null,
  ringPassed: null,
  createdBy: 'mara@northwind.example',
  created: '2026-05-01T08:00:00.000Z',
  ended: null,
};
const answers: Answers = {
  'GET /v1/rules': list([rule]),
  [`GET /v1/rules(${ruleId})`]: rule,
  'GET /v1/campaigns': list([]),
  'GET /v1/devices': { '@odata.count': 200, value: [] },
  'POST /v1/campaigns/start': campaign,
  [`GET /v1/campaigns(${campaignId})`]: campaign,
  [`GET /v1/campaigns/${campaignId}/rule`]: {
    ruleId,
    changes: { conditions: [{ ...cpu, RightOperand: '95' }], matchLifetime: '00:10:00', matchActions: [{ ActionDefinitionId: 'x' }] },
  },
  'GET /v1/campaignDevices': list([]),
};
beforeEach(() => localStorage.clear());

const open = (more: Answers = {}) => renderApp(`/${tenantId}/rules?id=${ruleId}`, { ...answers, ...more });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

it('sends what has changed as a campaign in rings, and leads to it', async () => {
  const { calls, router } = await open();
  const form = await dialog('Edit Rule: Cpu is high');
  expect(form.getByRole<HTMLButtonElement>('button', { name: 'Roll out in rings' }).disabled).toBe(true);
  fireEvent.change(form.getByRole('textbox', { name: /^Name/ }), { target: { value: 'Cpu is too high' } });
  fireEvent.click(form.getByRole('button', { name: 'Roll out in rings' }));
  const rings = await dialog('Roll out Cpu is too high in rings');
  await rings.findByText('200 devices.');
  rings.getByText('Last ring: the other 180 devices');
  fireEvent.change(rings.getByLabelText('Must stay without a new match, in percent of a ring'), { target: { value: '90' } });
  fireEvent.change(rings.getByLabelText('Devices'), { target: { value: 'tag' } });
  // Without a tag, the ring would contain all devices.
  rings.getByText('Please name a tag.');
  expect(rings.getByRole<HTMLButtonElement>('button', { name: 'Begin with ring 1' }).disabled).toBe(true);
  fireEvent.change(rings.getByLabelText('Tag'), { target: { value: 'pump' } });
  await rings.findByText('200 devices.');
  fireEvent.click(rings.getByRole('button', { name: 'Begin with ring 1' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/campaigns/${campaignId}`));
  expect(calls.find((call) => call.path === '/v1/campaigns/start')?.body).toEqual({
    tenantId,
    kind: 'ChangeRule',
    filter: "enabled eq true and contains(folded(tags),'pump')",
    ruleId,
    rule: { name: 'Cpu is too high' },
    rings: [{ share: 1 }, { share: 10 }],
    gate: { minShare: 90, heartbeat: true, ruleIds: [] },
    pauseMinutes: 30,
  });
  // The rule itself is not saved, and the page of the campaign links back to it.
  expect(calls.filter((call) => call.method === 'POST' && call.path.startsWith('/v1/rules'))).toEqual([]);
  expect((await screen.findByRole('link', { name: 'Open the rule' })).getAttribute('href')).toBe(`/${tenantId}/rules?id=${ruleId}`);
  screen.getByText('90 % must stay without a match, devices must report afterwards, pause of 30 min');
  expect(screen.queryByRole('button', { name: 'Stop and return' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  const question = await dialog('Stop');
  question.getByText('Stop this campaign? The previous version of the rule applies to 2 devices again.');
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
});

it('says before the rings are chosen that a rule that looks at other rules has none', async () => {
  const state = {
    Type: 'And',
    LeftOperand: 83,
    LeftOperandFieldName: null,
    Operator: 1,
    RightOperand: campaignId,
    OccurrencePattern: null,
  };
  await open({ [`GET /v1/rules(${ruleId})`]: { ...rule, conditions: [cpu, state] } });
  const form = await dialog('Edit Rule: Cpu is high');
  await waitFor(() => expect(form.getByRole('region', { name: 'Rule in words' }).textContent).toContain('on the same device'));
  fireEvent.change(form.getByRole('textbox', { name: /^Name/ }), { target: { value: 'Other' } });
  fireEvent.click(form.getByRole('button', { name: 'Roll out in rings' }));
  const rings = await dialog('Roll out Other in rings');
  await rings.findByText('A rule that looks at the matches of other rules does not come into force in rings: save it.');
  expect(rings.getByRole<HTMLButtonElement>('button', { name: 'Begin with ring 1' }).disabled).toBe(true);
  expect(rings.queryByRole('group', { name: 'Rings' })).toBeNull();
});

it('shows at the form what the server refuses of the rule', async () => {
  const problem = { target: 'rule.name', message: 'This name is taken.' };
  await open({ 'POST /v1/campaigns/start': refused(400, 'This name is taken.', [problem]) });
  const form = await dialog('Edit Rule: Cpu is high');
  fireEvent.change(form.getByRole('textbox', { name: /^Name/ }), { target: { value: 'Taken' } });
  fireEvent.click(form.getByRole('button', { name: 'Roll out in rings' }));
  const rings = await dialog('Roll out Taken in rings');
  await rings.findByText('200 devices.');
  fireEvent.click(rings.getByRole('button', { name: 'Begin with ring 1' }));
  await waitFor(() => expect(form.getByRole('textbox', { name: /^Name/ }).getAttribute('aria-invalid')).toBe('true'));
});

it('does not let the rule be edited while its new version comes into force', async () => {
  await open({ 'GET /v1/campaigns': list([campaign]) });
  const form = within(await screen.findByRole('dialog', { name: /Cpu is high/ }));
  await form.findByText(/A new version comes into force by the campaign Change rule Cpu is high\./);
  expect(form.getByRole('link', { name: 'Open the campaign' }).getAttribute('href')).toBe(`/${tenantId}/campaigns/${campaignId}`);
  expect(form.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(form.queryByRole('button', { name: 'Roll out in rings' })).toBeNull();
});

const shown = async () => (await screen.findByLabelText('What changes')).textContent;

it('shows at the locked rule and at the campaign what changes', async () => {
  await open({ 'GET /v1/campaigns': list([campaign]) });
  const now = 'ConditionsCpu over 90 → Cpu over 95Lifetime00:05:00 → 00:10:00Match actionschanged';
  await waitFor(async () => expect(await shown()).toBe(now));
  fireEvent.click(screen.getByRole('link', { name: 'Open the campaign' }));
  await screen.findByRole('link', { name: 'Open the rule' });
  expect(await shown()).toBe(now);
});

it('does not take the present rule for the version before when the campaign is over', async () => {
  await renderApp(`/${tenantId}/campaigns/${campaignId}`, {
    ...answers,
    [`GET /v1/campaigns(${campaignId})`]: { ...campaign, state: 'Done', ended: '2026-05-01T09:00:00.000Z' },
  });
  expect(await shown()).toBe('ConditionsCpu over 95Lifetime00:10:00Match actionschanged');
});

it('says that the change of a stopped campaign did not come into force', async () => {
  const ended = { ended: '2026-05-01T09:00:00.000Z' };
  await renderApp(`/${tenantId}/campaigns/${campaignId}`, {
    ...answers,
    [`GET /v1/campaigns(${campaignId})`]: { ...campaign, ...ended, state: 'Stopped', stopReason: 'Mara stopped the campaign.' },
  });
  expect(await shown()).toContain('ConditionsCpu over 95');
  screen.getByText('This change did not come into force:');
});
