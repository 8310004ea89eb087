import '../../../testing/browser.ts';
import { screen, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
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

it('says that nobody was told', async () => {
  await renderApp(
    '/workunitsv2?workUnitId=7&tab=protocols',
    answersFor(incident, {
      'GET /v1/workunits/7/pendingActions': { waiting: 0, protocolName: null, manualActions: null, value: [] },
      'GET /v1/notifications': list([]),
      'GET /v1/plannedSteps': list([]),
    }),
  );
  const region = await screen.findByRole('region', { name: 'Who was told' });
  within(region).getByText('Nobody has been told of this work unit.');
});

it('shows who was told, by what and with which outcome, and which steps still wait or were ended', async () => {
  await renderApp(
    '/workunitsv2?workUnitId=7&tab=protocols',
    answersFor(
      { ...incident, protocolId: 'p' },
      {
        'GET /v1/workunits/7/pendingActions': { waiting: 0, protocolName: 'Outage', manualActions: null, value: [] },
        'GET /v1/notifications': list([
          notified,
          { ...notified, notificationId: 'n2', name: 'Lee Stein', outcome: 'Failed', error: '550 No such user' },
        ]),
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
  const people = within(await screen.findByRole('region', { name: 'Who was told' })).getAllByRole('listitem');
  expect(people.map((one) => one.textContent)).toEqual([
    expect.stringMatching(/^Kim Berg On call: Plant · Mail to kim@example.com.*Sent$/),
    expect.stringMatching(/^Lee Stein .*Failed550 No such user$/),
  ]);
  const steps = within(await screen.findByRole('region', { name: 'Steps that wait' })).getAllByRole('listitem');
  expect(steps.map((one) => one.textContent)).toEqual([
    expect.stringMatching(/^Wake the second line at .*, then 2 more$/),
    'Call the boss will not run any more: the work unit is Acknowledged',
  ]);
});
