/** Mails that wait in the outbox: shown, and filtered by message id. */
import '../../testing/browser.ts';
import { fireEvent, screen, within } from '@testing-library/react';
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
