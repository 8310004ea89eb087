import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../../testing/browser.ts';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { incident, sentTo } from './panel.fixtures.ts';
import { open } from '../approvals/approvals.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const changeType = async () => {
  fireEvent.click(await screen.findByLabelText('More', { selector: '.unit-actions button' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Change Type to Change Request.' }));
};

it('an incident becomes a change request, which is said once its form follows', async () => {
  let unit: object = incident;
  const read = Promise.withResolvers<object>();
  const { calls } = await open(incident, {
    'GET /v1/workUnits(7)': () => (unit === incident ? incident : read.promise),
    'POST /v1/workunits/7/changeToChangeRequest': () => (unit = { ...incident, workUnitTypeId: 2 }),
  });
  expect(screen.queryByLabelText(/^Rollback Plan/)).toBeNull();
  await proves('[WU-057] is offered in the footer', changeType);
  await waitFor(() => expect(unit).not.toBe(incident));
  for (let turn = 0; turn < 20; turn += 1) await act(() => Promise.resolve());
  expect(screen.queryByText('Successfully migrated Incident to Change Request.')).toBeNull();
  read.resolve(unit);
  await proves('[CHG-040] says that it changed', () => screen.findByText('Successfully migrated Incident to Change Request.'));
  await proves('[CHG-038] has the form of a change request', () => screen.findByLabelText(/^Rollback Plan/));
  expect(sentTo(calls, '/changeToChangeRequest')).toHaveLength(1);
});

it('[CHG-039] warns of a work unit that is one already', async () => {
  const { calls } = await open();
  await changeType();
  await screen.findByText('Work Unit is already a Change Request.');
  expect(sentTo(calls, '/changeToChangeRequest')).toEqual([]);
});
