import '../../../testing/browser.ts';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeAll, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';
import { answersFor, change, loadPanel, sentTo } from '../panel/panel.fixtures.ts';

const deviceId = '01a1fcdb-e331-70c1-ba47-000000000b01';
const ruleId = '01a1fcdb-e331-70c1-ba47-000000000b02';
const begun = {
  ...change,
  plannedStartTime: '2026-01-05T20:00:00Z',
  plannedFinishTime: '2026-01-05T22:00:00Z',
  affectedDevices: [deviceId],
  expectedRules: [ruleId],
  expectsSilence: false,
};
const review = {
  plannedStart: begun.plannedStartTime,
  plannedFinish: begun.plannedFinishTime,
  actualStart: '2026-01-05T20:10:00Z',
  actualFinish: null,
  devices: [
    {
      deviceId,
      name: 'web-01',
      before: 1,
      during: 4,
      unexpected: 2,
      after: 0,
      open: 0,
      lastPacket: '2026-01-06T00:00:00Z',
      reports: false,
      versions: [{ package: 'Agent', version: '2.0.0', status: 'Installed', at: '2026-01-05T20:30:00Z' }],
    },
  ],
  leftOut: 0,
};
const collision = {
  kind: 'change',
  id: 'm1',
  name: 'Move the rack',
  from: begun.plannedStartTime,
  until: begun.plannedFinishTime,
  workUnitId: 8,
  publicWorkUnitId: 1008,
  devices: 1,
  first: ['web-01'],
};

beforeAll(loadPanel);

it('shows what collides with the plan, its devices and rules, and planned beside what happened', async () => {
  const { calls } = await renderApp(
    `/${tenantId}/workunitsv2?workUnitId=7`,
    answersFor(begun, {
      'GET /v1/devices': list([{ deviceId, name: 'web-01' }]),
      'GET /v1/rules': list([{ ruleId, name: 'High load' }]),
      changeReview: review,
      planCollisions: { value: [{ ...collision, kind: 'change' }] },
    }),
  );
  const others = await screen.findByRole('region', { name: 'At the same time' });
  expect((await within(others).findByRole('link', { name: 'Change #1008: Move the rack' })).getAttribute('href')).toContain('workUnitId=8');
  await waitFor(() =>
    expect(sentTo(calls, '/v1/maintenance/collisions').at(-1)?.body).toMatchObject({ deviceIds: [deviceId], workUnitId: 7 }),
  );
  const reviewed = await screen.findByRole('region', { name: 'Planned and what happened' });
  const row = (await within(reviewed).findByRole('link', { name: 'web-01' })).closest('tr') as HTMLElement;
  expect([...row.children].map((cell) => cell.textContent)).toEqual(['web-01', '1', '4', '2', '0', '0', 'silent', 'Agent 2.0.0 Installed']);
  expect(within(reviewed).getByRole('button', { name: 'Maintenance' })).toBeTruthy();
  await screen.findByRole('button', { name: 'Remove High load' });
  await screen.findByRole('button', { name: 'Remove web-01' });
});
