import '../../../testing/browser.ts';
import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { tenantId } from '../../../testing/render-app.tsx';
import { change } from '../panel/panel.fixtures.ts';
import { approve, confirmWith, open } from './approvals.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const collision = { kind: 'freeze', id: 'f1', name: 'End of the year', workUnitId: null, publicWorkUnitId: null, devices: 0, first: [] };
const freeze = { ...collision, from: '2026-12-01T00:00:00Z', until: '2999-01-02T00:00:00Z' };
const ahead = { plannedStartTime: '2999-12-05T20:00:00Z', plannedFinishTime: '2999-12-05T22:00:00Z' };
const withPlan = {
  ...change,
  ...ahead,
  implementer: 'ivo@northwind.example',
  implementationPlan: '1. Drain.\n2. Replace.\n3. Watch.\n4. Tell.',
  userImpact: 'Doors stay shut for a minute.',
  costImpact: 'None.',
  affectedDevices: ['01a1fcdb-e331-70c1-ba47-000000000b01'],
};
const card = async () => within(await screen.findByRole('region', { name: 'Plan and decision' }));
const asNobody = { 'GET /api/generallookup/approval': () => ({ isApprover: false }) };

it('asks its approver: what, when, by whom, what it means, and what follows each decision', async () => {
  await open(withPlan);
  const plan = await card();
  await plan.findByText('Waiting for you');
  plan.getByText(/^Thu, Dec 5, 20:00 to Thu, Dec 5, 22:00 UTC/);
  await plan.findByText('by ivo@northwind.example');
  plan.getByText('Doors stay shut for a minute.');
  expect(plan.getByText(/^1\. Drain\./).className).toContain('clipped');
  expect(plan.queryByText('None.')).toBeNull();
  fireEvent.click(plan.getByRole('button', { name: 'Show the whole plan' }));
  expect(plan.getByText(/^1\. Drain\./).className).not.toContain('clipped');
  expect(plan.getAllByText('None.').length).toBeGreaterThan(0);
  await plan.findByText('second@northwind.example decides next.');
  await plan.findByText('the change is canceled and cannot start. second@northwind.example has nothing to decide any more.');
  fireEvent.click(await approve());
  await within(await screen.findByRole('dialog', { name: 'Approve this change?' })).findByText(/^1\. Drain\./);
  confirmWith('Cancel');
});

it('says of the last approval when the change can start, and that its devices are in maintenance then', async () => {
  await open({ ...withPlan, approved2By: 'second@northwind.example' });
  await (await card()).findByText(/^the change can start, as planned for Thu, Dec 5, 20:00 UTC\. Maintenance of 1 device is set/);
});

it('waits for others, by name, and offers nothing', async () => {
  await open(withPlan, asNobody);
  const plan = await card();
  await plan.findByText('Waiting for Mara Okafor and second@northwind.example');
  plan.getByText('When all have approved, the change can start.');
  expect(plan.queryByRole('button', { name: /slot \d/ })).toBeNull();
});

it('is approved: by whom and when, and when it can start', async () => {
  const history = { id: 1, created: '2026-11-28T14:05:00Z', createdBy: 'mara@northwind.example', historyType: 'WorkUnitEvent' };
  await open(
    { ...withPlan, approved1By: 'mara@northwind.example', approved2By: 'second@northwind.example' },
    {
      'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': {
        value: [{ ...history, detail: 'Change Request approved by approver 1, mara@northwind.example.' }],
      },
    },
  );
  const first = within((await card()).getByRole('listitem', { name: 'Approver 1' }));
  await first.findByText('Sat, Nov 28, 14:05');
  const plan = await card();
  expect(plan.getAllByText('Approved')).toHaveLength(3);
  plan.getByText('the change can start, as planned for Thu, Dec 5, 20:00 UTC.');
});

it('is rejected: by whom and why', async () => {
  await open({ ...withPlan, stateId: 'Canceled', declined1By: 'mara@northwind.example', decision1Notes: 'Not before the audit.' });
  const plan = await card();
  await plan.findByText('Rejected by Mara Okafor');
  plan.getByText('Not before the audit.');
  expect(plan.queryByText(/^After/)).toBeNull();
});

it('is held by a freeze, which it names and links with its dates', async () => {
  await open(withPlan, { 'POST /v1/maintenance/collisions': { value: [freeze] } });
  const plan = await card();
  await plan.findByText('Held by a change freeze: End of the year');
  plan.getByText(/Tue, Dec 1, 00:00 to Wed, Jan 2, 00:00 UTC/);
  expect(plan.getByRole('link', { name: 'Change freeze: End of the year' }).getAttribute('href')).toBe(`/${tenantId}/changefreezes?id=f1`);
  plan.getByText(/^Plan the change for another time, or let somebody override/);
});

it('says that the planned time is over before anybody decides', async () => {
  const past = { plannedStartTime: '2025-12-05T20:00:00Z', plannedFinishTime: '2025-12-05T22:00:00Z' };
  await open({ ...withPlan, ...past, affectedDevices: [] });
  const plan = await card();
  await plan.findByText('The planned time is over');
  plan.getByText('Plan the change for a new time before it is decided.');
  expect(await plan.findByText('second@northwind.example decides next.')).toBeTruthy();
});

it('tells an approver who may only read what is missing', async () => {
  const view = allPermissions.filter((permission) => permission.endsWith(':view'));
  await open(withPlan, { permissionsOfCaller: view });
  const plan = await card();
  await plan.findByText(/^You are the approver, but may only read work units\./);
  await plan.findByText(/^Waiting for Mara Okafor/);
  plan.getByText(/^1\. Drain\./);
  expect(plan.queryByRole('button', { name: /slot \d|Override/ })).toBeNull();
});

it('has no plan yet: says so, and waits for an approver', async () => {
  const blank = { implementationPlan: null, plannedStartTime: null, plannedFinishTime: null, approver1: null, approver2: null };
  await open({ ...change, ...blank });
  const plan = await card();
  plan.getByText('Waiting for an approver');
  plan.getByText('There is no implementation plan yet.');
  expect(plan.getByText('No time is planned yet.')).toBeTruthy();
});
