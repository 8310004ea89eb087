import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { refused, renderApp, type ApiCall } from '../../../testing/render-app.tsx';
import { answersFor, change, sentTo } from '../panel/panel.fixtures.ts';
import { approval, open, slot, approve, decline, confirmWith } from './approvals.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('offers a decision to the approver of an undecided slot; the others await', async () => {
  await open();
  await proves('[CHG-025] offers to approve', approve);
  await proves('[CHG-026] offers to decline', decline);
  const second = await slot(2);
  await proves('[CHG-028] awaits the other slot', async () => {
    await second.findByRole('img', { name: 'Awaiting the decision of second@northwind.example' });
    expect(second.queryByRole('button')).toBeNull();
  });
});

it('offers no approval that the server would refuse, and says why', async () => {
  const why = 'You named yourself as approver, so you cannot decide; somebody else has to name you.';
  const { inputsOf } = await open(change, {
    approvalLookup: ({ approverId = '' }) => ({
      approverId,
      isApprover: approverId === 'mara@northwind.example',
      refusals: { approve: why, decline: why },
    }),
  });
  await (await slot(1)).findByText(why);
  expect(screen.queryByRole('button', { name: /slot \d/ })).toBeNull();
  expect(inputsOf('approvalLookup')).toContainEqual({ approverId: 'mara@northwind.example', workUnitId: '7', slot: '1' });
});

it('still offers to decline to who edited the plan and may not approve it', async () => {
  const why = 'The person who requested this change or last edited its plan cannot approve it.';
  await open(change, {
    'GET /api/generallookup/approval': (call: ApiCall) => ({ ...approval(call), refusals: { approve: why, decline: null } }),
  });
  await decline();
  await (await slot(1)).findByText(why);
  expect(screen.queryByRole('button', { name: 'Approve slot 1' })).toBeNull();
});

it('[CHG-025] a decided slot says who decided and offers nothing', async () => {
  await open({
    ...change,
    approved1By: 'mara@northwind.example',
    declined2By: 'second@northwind.example',
    decision2Notes: 'Too late.',
    stateId: 'Canceled',
  });
  const [first, second] = [await slot(1), await slot(2)];
  first.getByText('Approved');
  second.getByText('Rejected');
  second.getByText('Too late.');
  expect(screen.queryByRole('button', { name: /slot \d/ })).toBeNull();
});

it('[CHG-026] a slot that has notes is not declined any more', async () => {
  await open({ ...change, decision1Notes: 'Asked for a later window.' });
  await approve();
  expect(screen.queryByRole('button', { name: 'Reject slot 1' })).toBeNull();
});

it('[CHG-027][CHG-028] who may only look sees that a decision is awaited', async () => {
  const view = allPermissions.filter((permission) => permission.endsWith(':view'));
  await open(change, { permissionsOfCaller: view });
  await (await slot(1)).findByRole('img', { name: 'Awaiting the decision of Mara Okafor' });
  expect(screen.queryByRole('button', { name: /slot \d/ })).toBeNull();
});

it('[CHG-027] a new change request has nothing to decide yet', async () => {
  await renderApp('/workunitsv2?workUnitId=new&type=2', answersFor(change));
  await screen.findByLabelText(/^Rollback Plan/);
  expect(screen.queryByRole('button', { name: 'Approvals' })).toBeNull();
});

it('[CHG-033][CHG-036] approves once that is confirmed', async () => {
  const { calls } = await open(change, { 'POST /v1/workunits/7/approve/1': change });
  fireEvent.click(await approve());
  await screen.findByText('Approve this change?');
  confirmWith('Cancel');
  expect(sentTo(calls, '/approve/1')).toEqual([]);
  await waitFor(() => expect(screen.queryByText('Approve this change?')).toBeNull());
  fireEvent.click(await approve());
  await screen.findByText('Approve this change?');
  confirmWith('Approve');
  await screen.findByText('Change Request successfully approved.');
  expect(sentTo(calls, '/v1/workunits/7/approve/1').map((call) => call.body)).toEqual([{ decisionNote: null }]);
});

it('declines with a Decision Note, never without', async () => {
  const { calls } = await open(change, { 'POST /v1/workunits/7/decline/1': change });
  fireEvent.click(await decline());
  const note = await proves('[CHG-035] asks for a note', () => screen.findByLabelText(/^Decision Note/));
  confirmWith('Reject');
  await screen.findByText('This field is required.');
  await proves('[CHG-034] asks before it sends', () => expect(sentTo(calls, '/decline/1')).toEqual([]));
  fireEvent.change(note, { target: { value: 'Not before the audit.' } });
  confirmWith('Reject');
  await proves('[CHG-037] says that it is declined', () => screen.findByText('Change Request successfully declined.'));
  expect(sentTo(calls, '/v1/workunits/7/decline/1').map((call) => call.body)).toEqual([{ decisionNote: 'Not before the audit.' }]);
});

it('says when an approval failed, and why', async () => {
  const reason = 'Authenticated user does not match mara@northwind.example';
  await open(change, { 'POST /v1/workunits/7/approve/1': refused(403, reason) });
  fireEvent.click(await approve());
  await screen.findByText('Approve this change?');
  confirmWith('Approve');
  await proves('[ERR-047] says that it failed', () => screen.findByText('Change Request approval action failed.'));
  await proves('[CHG-032] says why', () => screen.findByText(reason));
  await proves('[ERR-016] says that access is missing', () =>
    screen.findByText('You do not have access to one or more requested resources'),
  );
});

it('[ERR-048] says when a decline failed, and why', async () => {
  await open(change, { 'POST /v1/workunits/7/decline/1': refused(409, 'This approval has been decided already.') });
  fireEvent.click(await decline());
  fireEvent.change(await screen.findByLabelText(/^Decision Note/), { target: { value: 'No.' } });
  confirmWith('Reject');
  await screen.findByText('Change Request decline action failed.');
  await screen.findByText('This approval has been decided already.');
});
