import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { severities } from '@cloudfit/contract/enums.ts';
import { renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';
import { browserName } from './subscribe-here.ts';

const all = [...severities];
const preferences = {
  personId: 'p1',
  name: 'Mara Okafor',
  timeZone: 'Europe/Berlin',
  phone: null,
  steps: [
    { channel: 'Push', afterMinutes: 0, severities: all },
    { channel: 'Mail', afterMinutes: 10, severities: all },
  ],
  quietHours: [],
  urgent: ['Sev0', 'Sev1'],
  digest: null,
  isDefault: false,
  email: 'mara@northwind.example',
  emailVerified: true,
  reach: [
    { channel: 'Push', problem: 'No browser gets push messages.', hasAddress: false },
    { channel: 'Sms', problem: 'No phone number is set.', hasAddress: false },
    { channel: 'Mail', problem: null, hasAddress: true },
  ],
  browsers: [{ pushSubscriptionId: 'b1', browser: 'Firefox on Linux', created: '2026-11-20T08:00:00.000Z', lastSent: null }],
  mayEdit: true,
  pushKey: 'BKey',
};
const path = '/v1/currentUser/notificationPreferences';
const answers: Answers = {
  [`GET ${path}`]: preferences,
  [`PUT ${path}`]: preferences,
  'DELETE /v1/currentUser/pushSubscriptions/b1': () => new Response(null, { status: 204 }),
  [`POST ${path}/test`]: { messages: [{ messageId: 'm1', address: 'mara@northwind.example' }] },
  [`GET ${path}/test/m1`]: { outcome: 'Failed', error: 'The receiver answered 403.' },
};

beforeEach(() => localStorage.clear());
const open = (more: Answers = {}, query = '') => renderApp(`/${tenantId}/notifications${query}`, { ...answers, ...more });

it('saves order, waits, severities, quiet hours and phone as they were edited', async () => {
  const calls: ApiCall[] = [];
  await open({ [`PUT ${path}`]: (call: ApiCall) => (calls.push(call), preferences) });
  const order = within(await screen.findByRole('region', { name: 'In this order' }));
  fireEvent.click(order.getByRole('button', { name: 'Add a step' }));
  const last = within(order.getAllByRole('listitem')[2] as HTMLElement);
  fireEvent.change(last.getByRole('combobox'), { target: { value: 'Sms' } });
  fireEvent.change(last.getByRole('textbox'), { target: { value: '5 min' } });
  for (const severity of ['Sev2', 'Sev3', 'Sev4']) fireEvent.click(last.getByRole('checkbox', { name: severity }));
  fireEvent.change(order.getByLabelText('Phone number'), { target: { value: ' +49 (170) 123-4567 ' } });
  const quiet = within(screen.getByRole('region', { name: 'Quiet hours' }));
  expect(quiet.getByText('None: all messages arrive at once.')).toBeTruthy();
  fireEvent.click(quiet.getByRole('button', { name: 'Add hours' }));
  const urgent = within(quiet.getByRole('group', { name: /^Urgent/ }));
  expect(urgent.getByRole('checkbox', { name: 'Sev1' })).toHaveProperty('disabled', true);
  fireEvent.click(urgent.getByRole('checkbox', { name: 'Sev2' }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Your notifications were changed.');
  expect(calls[0]?.body).toEqual({
    timeZone: 'Europe/Berlin',
    phone: '+491701234567',
    steps: [...preferences.steps, { channel: 'Sms', afterMinutes: 5, severities: ['Sev0', 'Sev1'] }],
    quietHours: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: '07:00' }],
    urgent: ['Sev0', 'Sev1', 'Sev2'],
    digest: null,
  });
});

it('chooses the mail of the inbox by day and hour, and ends it', async () => {
  const calls: ApiCall[] = [];
  await open({ [`PUT ${path}`]: (call: ApiCall) => (calls.push(call), preferences) });
  const region = within(await screen.findByRole('region', { name: 'Mail of my inbox' }));
  const save = async (count: number) => {
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(calls).toHaveLength(count));
    return (calls[count - 1]?.body as { digest: unknown } | undefined)?.digest;
  };
  expect(region.queryByLabelText('Hour')).toBeNull();
  fireEvent.change(region.getByLabelText('Days'), { target: { value: 'every' } });
  expect(await save(1)).toEqual({ day: null, hour: 8 });
  fireEvent.change(region.getByLabelText('Hour'), { target: { value: '17' } });
  fireEvent.change(region.getByLabelText('Days'), { target: { value: '0' } });
  expect(region.getByText('By the clock of Europe/Berlin')).toBeTruthy();
  expect(region.getByRole('option', { name: 'Every Sunday', selected: true })).toBeTruthy();
  expect(await save(2)).toEqual({ day: 0, hour: 17 });
  expect(region.queryByRole('status')).toBeNull();
  fireEvent.change(region.getByLabelText('Days'), { target: { value: '' } });
  expect(await save(3)).toBeNull();
});

it.each([
  [null, /There is no email address/],
  ['mara@northwind.example', /The address mara@northwind\.example is not confirmed/],
])('says that the mail of the inbox is not sent to the address %s', async (email, text) => {
  await open({ [`GET ${path}`]: { ...preferences, email, emailVerified: false, digest: { day: 1, hour: 7 } } });
  const region = within(await screen.findByRole('region', { name: 'Mail of my inbox' }));
  expect(region.getByRole('status').textContent).toMatch(text);
  fireEvent.change(region.getByLabelText('Days'), { target: { value: '' } });
  expect(region.queryByRole('status')).toBeNull();
});

it('says what is wrong at the fields that the server refuses', async () => {
  const details = [
    { target: 'phone', message: 'A phone number is written like +4915112345678.' },
    { target: 'timeZone', message: 'This time zone is not known.' },
    { target: 'steps.0.severities', message: 'A step is for at least one severity.' },
  ];
  const refused = () => Response.json({ error: { code: 'ValidationFailed', message: 'Some fields are wrong.', details } }, { status: 400 });
  let isRefused = true;
  await open({ [`PUT ${path}`]: () => (isRefused ? refused() : preferences) });
  const phone = await screen.findByLabelText('Phone number');
  fireEvent.change(phone, { target: { value: '0170 1234567' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('A phone number is written like +4915112345678.')).toBeTruthy();
  expect(phone.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByLabelText('Time zone').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('A step is for at least one severity.')).toBeTruthy();
  isRefused = false;
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(phone.getAttribute('aria-invalid')).not.toBe('true'));
  expect(screen.queryByText('A step is for at least one severity.')).toBeNull();
});

it('tests the channels that reach the person and shows the outcome; the others say why not', async () => {
  await open();
  const region = within(await screen.findByRole('region', { name: 'Does it reach you?' }));
  expect(region.getByText('No browser gets push messages.')).toBeTruthy();
  fireEvent.click(region.getByRole('button', { name: 'Send me a test by Mail' }));
  expect(await region.findByText('Failed')).toBeTruthy();
  expect(region.getByText('The receiver answered 403.')).toBeTruthy();
});

it('ends the messages to a browser', async () => {
  let isEnded = false;
  await open({
    'DELETE /v1/currentUser/pushSubscriptions/b1': () => ((isEnded = true), new Response(null, { status: 204 })),
    [`GET ${path}`]: () => ({ ...preferences, browsers: isEnded ? [] : preferences.browsers }),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'End push messages to Firefox on Linux' }));
  await waitFor(() => expect(screen.getByText('None yet.')).toBeTruthy());
});

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1', 'Safari on iOS'],
  ['curl/8', 'A browser on another system'],
])('recognizes %s as %s', (agent, name) => expect(browserName(agent)).toBe(name));

it('connects the user of a chat whose link was opened, after a question, and disconnects it', async () => {
  const user = { service: 'Slack', workspaceName: 'acme', userName: 'mara.o', tenantName: 'Northwind' };
  const account = { chatAccountId: 'c1', connected: '2026-11-20T08:00:00.000Z', ...user };
  let accounts: (typeof account)[] = [];
  const more: Answers = {
    ownFeeds: { feeds: [] },
    chatAccounts: () => ({ accounts }),
    chatLink: { ...user, email: 'mara@elsewhere.example' },
    connectChat: () => ((accounts = [account]), { chatAccountId: 'c1' }),
    disconnectChat: () => new Response(null, { status: 204 }),
  };
  const { inputsOf } = await open(more, '?connect=secret');
  const dialog = within(await screen.findByRole('dialog', { name: 'Is this you?' }));
  await dialog.findByText('@mara.o in Slack, acme asks to act in your name in CloudFit.');
  expect(dialog.getByText(/mara@elsewhere\.example/)).toBeTruthy();
  expect(inputsOf('connectChat')).toEqual([]);
  fireEvent.click(dialog.getByRole('button', { name: 'Connect' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect([inputsOf('chatLink'), inputsOf('connectChat')]).toEqual([[{ token: 'secret' }], [{ token: 'secret' }]]);
  const list = within(await screen.findByRole('region', { name: 'Chat accounts' }));
  fireEvent.click(await list.findByRole('button', { name: 'Disconnect @mara.o in Slack, acme' }));
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Disconnect' }));
  await waitFor(() => expect(inputsOf('disconnectChat')).toEqual([{ id: 'c1' }]));
});

it('makes a feed, whose link stands there once, and removes it', async () => {
  const feed = {
    feedId: 'f1',
    kind: 'calendar' as const,
    tenantId,
    tenantName: 'Northwind',
    viewName: null,
    created: '2026-11-20T08:00:00.000Z',
    lastRead: null,
  };
  const { inputsOf } = await open({
    ownFeeds: { feeds: [feed] },
    addFeed: { feedId: 'f2', url: 'https://x.example/v1/feeds/abc' },
    removeFeed: () => new Response(null, { status: 204 }),
  });
  const feeds = within(await screen.findByRole('region', { name: 'Feeds' }));
  await feeds.findByText(/Changes, maintenance and freezes, Northwind/);
  fireEvent.change(feeds.getByLabelText('Feed of'), { target: { value: 'calendar' } });
  fireEvent.click(feeds.getByRole('button', { name: 'Make a link' }));
  await feeds.findByText('https://x.example/v1/feeds/abc');
  fireEvent.click(feeds.getByRole('button', { name: 'Remove the feed' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Remove the feed' })).getByRole('button', { name: 'Remove the feed' }));
  await waitFor(() => expect(inputsOf('removeFeed')).toEqual([{ id: 'f1' }]));
  expect(inputsOf('addFeed')).toEqual([{ tenantId, kind: 'calendar' }]);
});
