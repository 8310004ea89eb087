/** The outbox: mails that wait, and the mails of actions with their states. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { en } from '@cloudfit/contract/messages/en.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

const mail = {
  outboxMessageId: '01a1fcdb-0000-7000-8000-000000000001',
  tenantId,
  tenant: { name: 'Northwind' },
  messageId: '01a1fcdb-0000-7000-8000-000000000002',
  correlationId: '01a1fcdb-0000-7000-8000-000000000003',
  recipients: 'site@example.com',
  subject: 'Solved',
  body: 'It runs.',
  isImportant: false,
  created: '2026-11-22T08:00:00Z',
};

beforeEach(() => localStorage.clear());

it('[GRID-013] lists them, and takes GUIDs only where it filters by a GUID', async () => {
  await renderApp(`/${tenantId}/outbox`, { 'GET /v1/outboxMessages': list([mail]) });
  await screen.findByText('Solved');
  expect(screen.getByText('site@example.com')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: en.grid.addFilter }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Message ID' }));
  const editor = within(await screen.findByRole('form', { name: `${en.grid.filterBy} Message ID` }));
  fireEvent.change(editor.getByRole('textbox'), { target: { value: '4711' } });
  fireEvent.click(editor.getByRole('button', { name: 'Apply' }));
  expect((await screen.findByRole('alert')).textContent).toBe('Please enter a valid GUID.');
});

it('asks for the mails of the tenant and of the installation, and says which is which', async () => {
  const ofInstallation = { ...mail, tenantId: null, tenant: null, subject: 'A new sign-in' };
  const { calls } = await renderApp(`/${tenantId}/outbox`, {
    'GET /v1/outboxMessages': list([ofInstallation]),
    [`GET /v1/outboxMessages(${mail.outboxMessageId})`]: ofInstallation,
  });
  fireEvent.click(await screen.findByRole('link', { name: 'A new sign-in' }));
  expect(within(await screen.findByRole('dialog', { name: 'A new sign-in' })).getByText('The installation')).toBeTruthy();
  const filter = calls.find(({ path }) => path === '/v1/outboxMessages')?.query.get('$filter');
  expect(filter).toBe(`tenantId eq ${tenantId} or tenantId eq null`);
});

it('shows a mail as its receiver would read it, and the action that composed it', async () => {
  await renderApp(`/${tenantId}/outbox`, {
    'GET /v1/outboxMessages': list([mail]),
    [`GET /v1/outboxMessages(${mail.outboxMessageId})`]: mail,
    'GET /v1/actionHistories': list([{ messageId: mail.messageId }]),
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Solved' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Solved' }));
  expect(panel.getByText('It runs.')).toBeTruthy();
  expect((await panel.findByRole('link', { name: 'The action that composed it' })).getAttribute('href')).toBe(
    `/${tenantId}/executions/${mail.messageId}`,
  );
});

it('lists mails of actions with their states, and sends one again', async () => {
  const sent = {
    actionHistoryId: 7,
    tenantId,
    actionDefinitionId: mail.messageId,
    actionProcessed: mail.created,
    resultStatusId: 2,
    inputParameters: '{"To":"ada@example.com"}',
    resultDetail: { error: '550 No such mailbox' },
    correlationId: mail.correlationId,
    referenceId: null,
    messageId: mail.messageId,
    workUnitId: null,
    protocolActionId: null,
    keptSince: null,
    nextTry: null,
  };
  const { calls } = await renderApp(`/${tenantId}/outbox?of=actions`, {
    'GET /v1/actionHistories': list([sent]),
    'POST /v1/actionHistories/7/replay': { id: mail.messageId, replayOf: mail.messageId },
  });
  await screen.findByText('550 No such mailbox');
  expect(screen.getByText('Failure')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Run again: ada@example.com' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Run this action again?' })).getByRole('button', { name: 'Run again' }));
  await waitFor(() => expect(calls.some((call) => call.method === 'POST' && call.path === '/v1/actionHistories/7/replay')).toBe(true));
});
