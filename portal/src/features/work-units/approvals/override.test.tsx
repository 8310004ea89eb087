import '../../../testing/browser.ts';
import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { change, sentTo } from '../panel/panel.fixtures.ts';
import { open, slot, confirmWith } from './approvals.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('offers to override the approval to who has that right, with a reason, while a decision is awaited', async () => {
  const { calls } = await open(change, { 'POST /v1/workunits/7/overrideApproval': change });
  fireEvent.click(await screen.findByRole('button', { name: 'Override approval' }));
  await screen.findByText('Start without approval?');
  confirmWith('Override approval');
  await screen.findByText('This field is required.');
  fireEvent.change(screen.getByLabelText(/^Reason/), { target: { value: 'The hall is flooded.' } });
  confirmWith('Override approval');
  await screen.findByText('The change may start without its approvals.');
  expect(sentTo(calls, '/overrideApproval').map((call) => call.body)).toEqual([{ reason: 'The hall is flooded.' }]);
});

it.each([
  ['without the right', change, allPermissions.filter((permission) => !permission.endsWith(':override:approval'))],
  ['when all have approved', { ...change, approved1By: 'mara@northwind.example', approved2By: 'second@northwind.example' }, allPermissions],
  ['when it was overridden before', { ...change, approvalOverriddenBy: 'root@northwind.example' }, allPermissions],
])('offers no override %s', async (_when, unit, permissions) => {
  await open(unit, { permissionsOfCaller: permissions });
  await slot(1);
  expect(screen.queryByRole('button', { name: 'Override approval' })).toBeNull();
  if (unit.approvalOverriddenBy) screen.getByText('Approval overridden: root@northwind.example');
});

it('offers it when all have approved and a freeze holds the change', async () => {
  const approved = { ...change, approved1By: 'mara@northwind.example', approved2By: 'second@northwind.example' };
  const freeze = {
    kind: 'freeze',
    id: 'f1',
    name: 'End of the year',
    from: null,
    until: null,
    workUnitId: null,
    publicWorkUnitId: null,
    devices: 0,
    first: [],
  };
  const { calls } = await open(approved, { 'POST /v1/maintenance/collisions': { value: [freeze] } });
  await screen.findByRole('button', { name: 'Override approval' });
  expect(sentTo(calls, '/v1/maintenance/collisions').map(({ body }) => body)).toContainEqual(
    expect.objectContaining({ workUnitId: 7, deviceIds: [] }),
  );
});
