import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { MailPreview } from '@cloudfit/contract/actions/work-units/communication-updates.ts';
import { list, type ApiCall, renderApp, tenantId } from '../../../testing/render-app.tsx';
import { answers, mail, open, panelOf } from '../communications.fixtures.ts';
import { framedMail } from './mail-frame.ts';
import { nextUpdateAfter } from './interval.rules.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const update = {
  communicationUpdateId: '01a1fcdb-e331-70c1-ba47-fd1610462a01',
  workUnitCommunicationId: 7,
  tenantId,
  status: 'ConfirmedImpact',
  detail: 'The queue was restarted.',
  nextUpdate: '2026-05-01T10:30:00.000Z',
  created: '2026-05-01T10:00:00.000Z',
  createdBy: 'ann@example.com',
};
const preview: MailPreview = {
  mails: [
    {
      language: 'en',
      timeZone: 'UTC',
      subject: 'WUCOMM #1001: Mail is down',
      text: 'Dear team',
      html: '<p style="margin:0">Dear <b>team</b></p>',
      recipients: 1,
    },
    {
      language: 'de',
      timeZone: 'Europe/Berlin',
      subject: 'WUCOMM #1001: Mail ist gestört',
      text: 'Guten Tag',
      html: '<p>Guten Tag</p>',
      recipients: 1,
    },
  ],
  recipients: [
    { name: 'Ada', email: 'ada@example.com', language: 'en' },
    { name: 'Bo', email: 'bo@example.com', language: 'de' },
  ],
  others: [{ name: 'Cy', email: 'cy@example.com', reason: 'Unsubscribed' }],
  kind: 'Incidents',
  severity: 'Sev1',
  mailServerIsSet: false,
  digest: 'd1',
};
const counted = [
  { communicationUpdateId: update.communicationUpdateId, state: 'Sent', n: 2 },
  { communicationUpdateId: update.communicationUpdateId, state: 'Failed', n: 1 },
];
const mails = [
  { communicationMailId: 'a', name: 'Ada', email: 'ada@example.com', state: 'Sent', reason: null, sent: '2026-05-01T10:01:00.000Z' },
  { communicationMailId: 'b', name: 'Bo', email: 'bo@example.com', state: 'Failed', reason: '550 No such mailbox', sent: null },
];
const all = {
  ...answers,
  'GET /v1/communicationUpdates': list([update]),
  'GET /v1/communicationMails': ({ query }: ApiCall) => list(query.has('$apply') ? counted : mails),
};
const show = (more: object = {}) => renderApp(`${open}&tab=updates`, { ...all, ...more });

it('shows the mail and its recipients before it is sent, and sends what was shown, once', async () => {
  const { calls, inputsOf } = await show({ previewCommunicationUpdate: preview, postCommunicationUpdate: { update, queued: 2 } });
  const panel = await panelOf(/^WUCOMM/);
  const form = within(await panel.findByRole('form', { name: 'New update' }));
  fireEvent.change(form.getByRole('textbox', { name: /^What customers/ }), { target: { value: 'It runs again.' } });
  fireEvent.change(form.getByLabelText(/^Status/), { target: { value: 'ServiceRestored' } });
  fireEvent.click(panel.getByRole('button', { name: 'Preview mail to contacts…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Mail to contacts' }));
  await dialog.findByText('WUCOMM #1001: Mail is down');
  dialog.getByText('No mail server is set: the mails wait in the outbox until there is one.');
  dialog.getByText('Counts as: incident, Sev1.');
  within(dialog.getByRole('region', { name: 'Goes to 2 contacts' })).getByText('bo@example.com');
  within(dialog.getByRole('region', { name: '1 contact does not get it' })).getByText('Unsubscribed');
  fireEvent.change(dialog.getByLabelText('Form of the mail'), { target: { value: 'text' } });
  dialog.getByText('Dear team');
  fireEvent.change(dialog.getByLabelText('Language and time zone'), { target: { value: 'de Europe/Berlin' } });
  dialog.getByText('Guten Tag');
  expect(calls.some((call) => call.name === 'postCommunicationUpdate')).toBe(false);
  fireEvent.click(dialog.getByRole('button', { name: 'Publish and send 2 mails' }));
  await screen.findByText('Update published, and 2 mails queued.');
  expect(inputsOf('postCommunicationUpdate')).toEqual([
    expect.objectContaining({ wucommId: '7', text: 'It runs again.', status: 'ServiceRestored', mail: true, digest: 'd1' }),
  ]);
  expect((panel.getByRole('textbox', { name: /^What customers/ }) as HTMLTextAreaElement).value).toBe('');
});

it('publishes without mail, and asks for the root cause when it is resolved', async () => {
  const { inputsOf } = await show({ postCommunicationUpdate: { update, queued: 0 } });
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(await panel.findByRole('textbox', { name: /^What customers/ }), { target: { value: 'It is over.' } });
  fireEvent.change(within(panel.getByRole('form', { name: 'New update' })).getByLabelText(/^Status/), { target: { value: 'Resolved' } });
  const form = within(panel.getByRole('form', { name: 'New update' }));
  expect(form.queryByLabelText(/^Next Customer Update/)).toBeNull();
  fireEvent.click(panel.getByRole('button', { name: 'Publish without mail' }));
  await form.findByText('Root Cause is required when the status is Resolved.');
  fireEvent.change(form.getByRole('textbox', { name: /^Root Cause/ }), { target: { value: 'A worn seal.' } });
  fireEvent.click(panel.getByRole('button', { name: 'Publish without mail' }));
  await waitFor(() =>
    expect(inputsOf('postCommunicationUpdate')).toEqual([
      { wucommId: '7', text: 'It is over.', status: 'Resolved', nextUpdate: null, rootCause: 'A worn seal.' },
    ]),
  );
});

it('begins the text from a template with what the communication knows', async () => {
  const template = { communicationTemplateId: 'a', name: 'First', detail: '{Title} ({Reference}) is known.', tenantId: null };
  await show({ 'GET /v1/communicationTemplates': list([template]) });
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(await panel.findByLabelText('Template'), { target: { value: 'a' } });
  const text = panel.getByRole<HTMLTextAreaElement>('textbox', { name: /^What customers/ });
  await waitFor(() => expect(text.value).toBe('Mail is down (WUCOMM #1001) is known.'));
});

it('says of each update what became of its mails, and sends the failed ones again', async () => {
  const { inputsOf } = await show({ resendFailedMails: { queued: 1 } });
  const timeline = within(await screen.findByRole('region', { name: 'Published updates' }));
  timeline.getByText('The queue was restarted.');
  await timeline.findByText('2 sent');
  timeline.getByText('1 failed');
  fireEvent.click(timeline.getByRole('button', { name: '3 recipients' }));
  await timeline.findByText('550 No such mailbox');
  fireEvent.click(timeline.getByRole('button', { name: 'Send 1 failed again' }));
  await screen.findByText('1 mail queued.');
  expect(inputsOf('resendFailedMails')).toEqual([{ id: update.communicationUpdateId }]);
});

it('mails a published update to those who have not got it', async () => {
  const { inputsOf } = await show({ previewMailsOfUpdate: preview, mailCommunicationUpdate: { queued: 2 } });
  fireEvent.click(await screen.findByRole('button', { name: 'Mail to contacts…' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Send 2 mails' }));
  await screen.findByText('2 mails queued.');
  expect(inputsOf('mailCommunicationUpdate')).toEqual([{ id: update.communicationUpdateId, digest: 'd1' }]);
});

it('promises the next update after the last interval, in steps of five minutes', () => {
  const now = Date.parse('2026-05-01T12:01:00.000Z');
  expect(nextUpdateAfter(update, now)).toBe('2026-05-01T12:35:00.000Z');
  expect(nextUpdateAfter({ created: update.created, nextUpdate: null }, now)).toBe('2026-05-01T13:05:00.000Z');
  expect(nextUpdateAfter({ created: update.created, nextUpdate: '2026-05-01T09:00:00.000Z' }, now)).toBe('2026-05-01T13:05:00.000Z');
  expect(mail.nextUpdate).toBeTruthy();
});

it('shows a mail in a frame without inline styles, links and scripts', () => {
  const framed = framedMail('<p style="margin:0">A <a href="https://x.example/">link</a></p><p style="margin:0">B</p>');
  expect(framed).not.toMatch(/style="|href=/);
  expect(framed).toContain('.s0{margin:0}');
  expect(framed.match(/class="s0"/g)).toHaveLength(2);
});
