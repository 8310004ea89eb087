import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { permissionsBefore } from '../../../api/lookups.ts';
import { list, renderApp } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from './panel.fixtures.ts';

beforeAll(loadPanel);
beforeEach(() => localStorage.clear());

const notified = {
  notificationId: 'n1',
  workUnitId: 7,
  name: 'Kim Berg',
  whom: 'On call: Plant',
  channel: 'Mail',
  address: 'kim@example.com',
  outcome: 'Sent',
  error: null,
  created: '2026-11-22T08:00:00Z',
};
const planned = {
  plannedStepId: 's1',
  workUnitId: 7,
  name: 'Wake the second line',
  due: '2026-11-22T08:15:00Z',
  runs: 0,
  runsLeft: 2,
  ended: null,
  reason: null,
};

const mail = {
  actionHistoryId: 1,
  messageId: 'm-mail',
  actionDefinitionId: builtInAction.email,
  actionDefinition: { actionDefinitionId: builtInAction.email, name: 'Email' },
  inputParameters: '{"To":"desk@example.com"}',
  resultStatusId: 1,
  resultDetail: null,
  actionProcessed: '2026-11-22T07:59:00Z',
  keptSince: null,
  nextTry: null,
};
const byRule = { ...incident, stateId: 'New', ruleId: '0197f000-0000-7000-8000-0000000000aa' };
const empty = { 'GET /v1/notifications': list([]), 'GET /v1/plannedSteps': list([]), 'GET /v1/actionHistories': list([]) };
const region = async () => within(await screen.findByRole('region', { name: 'Who was notified' }));

it('says on the first tab of a unit of a rule that nobody was told, and nothing on one that a person wrote', async () => {
  await renderApp('/workunitsv2?workUnitId=7', answersFor(byRule, empty));
  const section = await region();
  section.getByText('Nobody has been notified of this work unit.');
  section.getByText('Not acknowledged');
  cleanup();
  const { calls } = await renderApp('/workunitsv2?workUnitId=7', answersFor(incident, empty));
  await waitFor(() => expect(calls.filter(({ path }) => path.endsWith('/plannedSteps'))).toHaveLength(1));
  await screen.findByRole('tab', { name: 'Protocols' });
  expect(screen.queryByRole('region', { name: 'Who was notified' })).toBeNull();
});

it('shows who acknowledged, who was told, by what and with which outcome, and what runs next', async () => {
  const acknowledged = {
    id: 3,
    created: '2026-11-22T08:03:00Z',
    createdBy: 'jonas@northwind.example',
    historyType: 'WorkUnitStateChange',
    field: 'stateId',
    oldValue: 'New',
    newValue: 'Acknowledged',
    detail: '',
    isExternalNote: false,
    isFromCustomer: false,
    isWarning: false,
    historyUrl: null,
  };
  await renderApp(
    '/workunitsv2?workUnitId=7',
    answersFor(
      {
        ...byRule,
        stateId: 'Acknowledged',
        relations: [{ referenceType: 'RuleMatch', referenceId: '0197f000-0000-7000-8000-0000000000bb' }],
      },
      {
        workUnitHistory: { value: [acknowledged] },
        'GET /v1/ruleMatches': list([]),
        'GET /v1/notifications': list([
          { ...notified, messageId: 'm-kim', nextTry: null },
          {
            ...notified,
            notificationId: 'n2',
            messageId: 'm-lee',
            name: 'Lee Stein',
            outcome: 'Failed',
            error: '550 No such user',
            nextTry: null,
          },
        ]),
        'GET /v1/actionHistories': list([
          mail,
          {
            ...mail,
            actionHistoryId: 2,
            messageId: 'm-chat',
            actionDefinitionId: 'a2',
            actionDefinition: { name: 'Slack' },
            inputParameters: '{}',
            resultStatusId: 2,
            resultDetail: { error: 'HTTP 410' },
            actionProcessed: '2026-11-22T07:58:00Z',
          },
          // The execution that sent the notification to Kim, which is already listed.
          { ...mail, actionHistoryId: 3, messageId: 'm-kim' },
        ]),
        'GET /v1/plannedSteps': list([planned]),
      },
    ),
  );
  const section = await region();
  expect(section.getByRole('heading').textContent).toMatch(/^Who was notified.*Acknowledged.*by .*ago$/i);
  const rows = () => section.getAllByRole('listitem').map((element) => element.textContent);
  expect(rows()).toEqual([
    expect.stringMatching(/^Kim Berg On call: Plant · Mail to kim@example.com.*Sent$/),
    expect.stringMatching(/^Lee Stein .*Failed550 No such user$/),
    expect.stringMatching(/^desk@example.com Mail.*Sent$/),
  ]);
  const toCome = within(screen.getByRole('list', { name: 'To come' })).getAllByRole('listitem');
  expect(toCome.map((element) => element.textContent)).toEqual([expect.stringMatching(/^Wake the second line at .*, then 2 more.*$/)]);
  fireEvent.click(section.getByRole('button', { name: 'Show 1 more message' }));
  expect(rows()[3]).toMatch(/^Slack Call of an action.*FailedHTTP 410$/);
});

it('asks once who was told, without waiting for the unit', async () => {
  const answered = Promise.withResolvers<void>();
  const unit = async () => (await answered.promise, byRule);
  const answers = answersFor(byRule, { ...empty, 'GET /v1/workUnits(7)': unit, 'GET /v1/workUnits': list([]) });
  const { calls } = await renderApp('/workunitsv2?workUnitId=7', answers);
  const requests = (path: string) => calls.filter((call) => call.path === path).length;
  await waitFor(() => expect([requests('/v1/notifications'), requests('/v1/plannedSteps')]).toEqual([1, 1]));
  answered.resolve();
  await region();
  expect([requests('/v1/notifications'), requests('/v1/plannedSteps')]).toEqual([1, 1]);
});

it('shows in the protocol which steps still wait or were ended', async () => {
  await renderApp(
    '/workunitsv2?workUnitId=7&tab=protocols',
    answersFor(
      { ...incident, protocolId: 'p' },
      {
        pendingActions: { waiting: 0, protocolName: 'Outage', manualActions: null, value: [] },
        'GET /v1/plannedSteps': list([
          planned,
          {
            ...planned,
            plannedStepId: 's2',
            name: 'Call the boss',
            ended: '2026-11-22T08:05:00Z',
            reason: 'the work unit is Acknowledged',
          },
        ]),
      },
    ),
  );
  const steps = within(await screen.findByRole('region', { name: 'Steps that wait' })).getAllByRole('listitem');
  expect(steps.map((step) => step.textContent)).toEqual([
    expect.stringMatching(/^Wake the second line at .*, then 2 more$/),
    'Call the boss will not run any more: the work unit is Acknowledged',
  ]);
});

it('asks for the unit in the address before the permissions have arrived, by those of the last visit', async () => {
  const permissions = [permission('WorkUnits', 'view'), permission('Rules', 'view')];
  let answer: (all: readonly string[]) => void = () => undefined;
  const pending = new Promise<readonly string[]>((resolve) => {
    answer = resolve;
  });
  permissionsBefore.set(permissions);
  const { calls } = await renderApp('/workunitsv2?workUnitId=7', answersFor(incident, { permissionsOfCaller: () => pending }));
  const expansions = () => calls.filter(({ path }) => path === '/v1/workUnits(7)').map(({ query }) => query.get('$expand'));
  await waitFor(() =>
    expect(expansions()).toEqual(['tenant,workUnitType,relations,clocks($orderby=workUnitClockId),rule($select=ruleId,name,color)']),
  );
  answer(permissions);
  await screen.findByText(/^Edit Work Unit #1007/);
  expect(expansions()).toHaveLength(1);
  expect(permissionsBefore.get()).toEqual(permissions);
});

it('shows each message at its time in the timeline, with its outcome, and not among the notes', async () => {
  const note = (id: number, created: string, detail: string) => ({ id, created, detail, createdBy: 'tom.berg@northwind.example' });
  await renderApp('/workunitsv2?workUnitId=7', {
    ...answersFor(byRule, empty),
    'GET /v1/notifications': list([notified]),
    'GET /v1/actionHistories': list([mail]),
    'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': {
      value: [note(2, '2026-11-22T08:05:00Z', 'On my way.'), note(1, '2026-11-22T07:59:30Z', 'It hums.')],
    },
  });
  const feed = within(await screen.findByRole('region', { name: 'Notes and history' }));
  const shown = () =>
    feed.getAllByRole('listitem').map(({ textContent }) => /On my way|Kim Berg.*Sent|It hums|desk@.*Sent/.exec(textContent)?.[0]);
  await waitFor(() =>
    expect(shown()).toEqual([
      'On my way',
      expect.stringMatching(/^Kim Berg.*Mail to kim@example\.com.*Sent$/),
      'It hums',
      expect.stringMatching(/^desk@example\.com/),
    ]),
  );
  fireEvent.click(feed.getByRole('button', { name: 'Notes' }));
  await waitFor(() => expect(shown()).toEqual(['On my way', 'It hums']));
});
