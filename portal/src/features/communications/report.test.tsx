import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { list, refused, renderApp } from '../../testing/render-app.tsx';
import { mail, answers, address, open, panelOf } from './communications.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it.each([
  ['[COMM-011]', 'ExternalReport', 'External Report', 'Dear Northwind Energy team,'],
  ['[COMM-012]', 'InternalReport', 'Internal Report', 'Internal report: do not forward to customers.'],
])('%s the %s opens from the row, by its address, copies as rich text and prints', async (_id, type, name, says) => {
  const { search } = await renderApp(address, answers);
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Mail is down' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
  const dialog = within(await screen.findByRole('dialog', { name }));
  expect(await dialog.findByText(says)).toBeTruthy();
  expect([search().get('report'), search().get('reportOf')]).toEqual([type, '1001']);

  const written: Record<string, Blob>[] = [];
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(parts: Record<string, Blob>) {
        written.push(parts);
      }
    },
  );
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator) as Navigator, { clipboard: { write: async () => undefined } }));
  fireEvent.click(dialog.getByRole('button', { name: 'Copy' }));
  await screen.findByText('Content copied successfully!');
  expect(await written[0]?.['text/html']?.text()).toContain('<h2 style="font-size:15px;margin:18px 0 6px">What happened</h2>');
  expect(await written[0]?.['text/plain']?.text()).toContain('WUCOMM #1001: Mail is down - ConfirmedImpact');
  vi.unstubAllGlobals();

  let printed = '';
  vi.spyOn(window, 'print').mockImplementation(() => {
    printed = document.querySelector('.print-sheet')?.textContent ?? '';
    window.dispatchEvent(new Event('afterprint'));
  });
  fireEvent.click(dialog.getByRole('button', { name: 'Print' }));
  expect(printed).toContain(says);
  expect(document.querySelector('.print-sheet')).toBeNull();
});

it('the internal notification asks first, and says how it went', async () => {
  let answer: unknown = { message: 'Internal Notification sent.', to: 'desk@example.com', repeated: false };
  const path = '/v1/workunitcommunications/7/sendInternalNotification';
  const { calls } = await renderApp(open, {
    ...answers,
    [`GET ${path}`]: () => (typeof answer === 'function' ? (answer as () => unknown)() : answer),
  });
  const panel = await panelOf(/^WUCOMM/);
  const send = async (choice: 'Send' | 'No') => {
    fireEvent.click(panel.getByRole('button', { name: 'Send Internal Notification' }));
    const question = within(await screen.findByRole('dialog', { name: 'Send internal notification' }));
    fireEvent.click(question.getByRole('button', { name: choice }));
  };
  await send('No');
  await proves('[COMM-014] asks first', () => expect(calls.some((call) => call.path === path)).toBe(false));
  await send('Send');
  await proves('[COMM-036] says that it is sent', () => screen.findByText('Internal Notification sent.'));
  answer = { message: 'Internal Notification sent.', to: 'desk@example.com', repeated: true };
  await send('Send');
  await screen.findByText('This report was already sent to desk@example.com. It is sent again once the communication changes.');
  answer = {
    message: 'Internal Notification kept, not sent: no mail server is set.',
    to: 'desk@example.com',
    repeated: false,
    isKept: true,
  };
  await send('Send');
  await screen.findByText('Internal Notification kept, not sent: no mail server is set.');
  answer = refused(400, 'No.', [
    { target: 'internalNotificationEmailAddress', message: 'The tenant has no address for internal notifications.' },
  ]);
  await send('Send');
  await proves('[ERR-041] says that it failed', () => screen.findByText('Internal Notification failed.'));
  await screen.findByText('The tenant has no address for internal notifications.');
});

it('[ERR-042] a notification without an id is not sent', async () => {
  const { calls } = await renderApp(address, {
    ...answers,
    'GET /v1/workUnitCommunications': list([{ ...mail, publicWorkUnitCommunicationId: undefined }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Mail is down' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Send Internal Notification' }));
  await screen.findByText('No WUCOMM Id was provided.');
  expect(calls.some((call) => call.path.endsWith('sendInternalNotification'))).toBe(false);
});
