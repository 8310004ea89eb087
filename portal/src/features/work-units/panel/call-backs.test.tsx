import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from './panel.fixtures.ts';

beforeAll(loadPanel);

it('shows in the unit and in the header who waits for a call; somebody takes it and says how it ended', async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const waiting = {
    callBackId: 'c1',
    tenantId,
    workUnitId: 7,
    phone: '+49 30 1234',
    requestedBy: 'cora@northwind.example',
    created: at(-16),
    due: at(-1.2),
    toldTimes: 2,
    takenBy: null,
    takenAt: null,
    closedBy: null,
    closedAt: null,
    outcome: null,
  };
  let value: object[] = [{ ...waiting, callBackId: 'c2', workUnitId: 8, due: at(9.2), toldTimes: 0 }, waiting];
  const change = (changed: object[]) => {
    value = changed;
    return waiting;
  };
  const { inputsOf } = await renderApp(`/${tenantId}/workunitsv2?workUnitId=7`, {
    ...answersFor(incident),
    'GET /v1/callBacks': () =>
      list(
        value.map((row) => ({ ...row, workUnit: { ...incident, title: 'Pump 4 does not answer' }, tenant: { name: 'Northwind Energy' } })),
      ),
    callBackCount: () => ({ open: value.length, due: value.length === 0 ? null : waiting.due }),
    takeCallBack: () => change([{ ...waiting, takenBy: 'mara@northwind.example' }]),
    closeCallBack: () => change([]),
  });
  const queue = within(await screen.findByRole('region', { name: 'Call backs' }));
  await screen.findByRole('link', { name: '2 customers wait for a call, one longer than was promised' });
  expect(queue.getAllByText(/^(Call within|Overdue by) /).map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^Call within 9 min \d+ s$/),
    expect.stringMatching(/^Overdue by 1 min \d+ s$/),
  ]);
  fireEvent.click(queue.getAllByRole('button', { name: "I'll call about #1007 Pump 4 does not answer" })[1] as HTMLElement);
  await screen.findByText('You have taken the call back. The customer sees that.');
  fireEvent.change(await queue.findByLabelText('What was said about #1007 Pump 4 does not answer'), { target: { value: 'Mailbox' } });
  fireEvent.click(queue.getByRole('button', { name: 'Not reached: #1007 Pump 4 does not answer' }));
  await screen.findByText('The customer reads that you tried, and a new call back waits.');
  expect(inputsOf('takeCallBack')).toEqual([{ id: 'c1' }]);
  expect(inputsOf('closeCallBack')).toEqual([{ id: 'c1', outcome: 'NotReached', note: 'Mailbox' }]);
  await waitFor(() => expect(screen.queryByRole('link', { name: /wait for a call/ })).toBeNull());
});
