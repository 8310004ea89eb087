import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';

const mailbox = (over: object = {}) => ({
  mailboxId: '01a1fcdb-e331-70c1-ba47-000000000401',
  name: 'Support',
  address: 'support@ops.example',
  tenantId,
  enabled: true,
  host: 'imap.ops.example',
  port: 993,
  security: 'Tls',
  userName: 'support',
  passwordSecret: 'Mail',
  folder: 'INBOX',
  certificate: null,
  workUnitTypeId: 3,
  severityId: 'Sev3',
  workUnitCategoryId: null,
  unknownSenders: 'Open',
  senderLimit: 30,
  programMails: false,
  authservId: null,
  tokenHint: 'cfmb_…ab12',
  connected: '2026-01-01T00:00:00.000Z',
  problem: null,
  lastMail: '2026-01-01T00:00:00.000Z',
  mailsTaken: 1_234,
  mailsHeld: 2,
  mailsRefused: 7,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  ...over,
});
const id = mailbox().mailboxId;
const generatedToken = 'cfmb_violetTractorMarzipan';
const mail = (over: object = {}) => ({
  mailId: '01a1fcdb-e331-70c1-ba47-000000000402',
  received: '2026-01-01T00:00:00.000Z',
  sender: 'mara@customer.example',
  senderName: 'Mara',
  subject: 'Printer',
  outcome: 'Held' as const,
  reason: 'FailedDmarc',
  message: 'mara@customer.example may not have sent it: SPF fail, DKIM none, DMARC fail.',
  sample: 'It is dead.',
  size: 900,
  checks: 'SPF fail, DKIM none, DMARC fail',
  workUnitId: null,
  publicWorkUnitId: null,
  ...over,
});

beforeEach(() => localStorage.clear());

const open = (query = '', row = mailbox(), more: Answers = {}) =>
  renderApp(`/${tenantId}/mailboxes${query}`, {
    'GET /v1/mailboxes': list([row]),
    [`GET /v1/mailboxes(${id})`]: row,
    'GET /v1/workUnitTypes': list([{ workUnitTypeId: 3, name: 'Request' }]),
    mailsOfMailbox: { value: [], more: false, reasons: [] },
    ...more,
  });
const panel = async () => within(await screen.findByRole('dialog', { name: /Support/ }));

it('says whether a mailbox is read, and what is wrong with it', async () => {
  await open(`?id=${id}`, mailbox({ problem: 'The server does not accept the password of support.' }));
  const shown = await panel();
  shown.getByText('Cannot be read');
  shown.getByText('The server does not accept the password of support.');
  shown.getByText('1,234');
  expect(shown.getByRole('group', { name: 'To paste' }).textContent).toBe(
    `CLOUDFIT_SERVER=${location.origin} CLOUDFIT_MAIL_TOKEN=YOUR_TOKEN cloudfit mail ${id}`,
  );
});

it('tests the connection, and shows the token of a renewed mailbox once', async () => {
  const { inputsOf } = await open(`?id=${id}`, mailbox(), {
    testMailbox: { works: false, step: 'folder' as const, message: 'There is no folder X. The mailbox has: INBOX.' },
    newMailboxToken: { mailboxId: id, generatedToken },
  });
  const shown = await panel();
  fireEvent.click(shown.getByRole('button', { name: 'Test the connection' }));
  await shown.findByText(/There is no folder X/);
  shown.getByText(/The connection does not work/);
  expect(inputsOf('testMailbox')).toEqual([{ id }]);
  fireEvent.click(shown.getByRole('button', { name: 'New token' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'New token' })).getByRole('button', { name: 'New token' }));
  const ready = within(await screen.findByRole('region', { name: 'The mailbox Support is ready' }));
  expect(ready.getByRole('group', { name: 'To paste' }).textContent).toContain(generatedToken);
});

it('lists mails that wait or were refused, and takes one in or dismisses it', async () => {
  const refused = mail({
    mailId: '01a1fcdb-e331-70c1-ba47-000000000403',
    outcome: 'Refused',
    reason: 'Bulk',
    subject: '',
    sender: '',
    message: 'To many.',
  });
  const { inputsOf } = await open(`?id=${id}&tab=mails`, mailbox(), {
    mailsOfMailbox: ({ all }) =>
      all === 'true'
        ? { value: [mail({ outcome: 'Opened', reason: null, workUnitId: 7, publicWorkUnitId: 1042 })], more: false, reasons: [] }
        : { value: [mail(), refused], more: true, reasons: [{ reason: 'Bulk', count: 3, last: '2026-01-01T00:00:00.000Z' }] },
    takeMail: { outcome: 'Opened' as const, workUnitId: 7, publicWorkUnitId: 1042 },
    dismissMail: { outcome: 'Refused' as const },
  });
  const waiting = within(await screen.findByRole('article', { name: 'Printer' }));
  waiting.getByText('Failed DMARC');
  waiting.getByText(/may not have sent it/);
  screen.getByText('3 Bulk mail');
  const other = within(screen.getByRole('article', { name: '(no subject)' }));
  other.getByText(/\(no sender\)/);
  expect(other.queryByRole('button', { name: 'Dismiss' })).toBeNull();
  fireEvent.click(waiting.getByRole('button', { name: 'Take in' }));
  await screen.findByText('The mail was taken in as #1042.');
  expect(inputsOf('takeMail')).toEqual([{ id, mailId: mail().mailId }]);
  await waitFor(() => expect((waiting.getByRole('button', { name: 'Dismiss' }) as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(waiting.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(inputsOf('dismissMail')).toEqual([{ id, mailId: mail().mailId }]));
  fireEvent.click(screen.getByRole('button', { name: 'Older mails' }));
  await waitFor(() => expect(inputsOf('mailsOfMailbox').at(-1)).toMatchObject({ before: '2026-01-01T00:00:00.000Z' }));
  fireEvent.click(screen.getByLabelText('With those that were taken in'));
  const opened = within(await screen.findByRole('article', { name: 'Printer' }));
  await opened.findByRole('link', { name: '#1042' });
  expect(opened.queryByRole('button', { name: 'Take in' })).toBeNull();
});
