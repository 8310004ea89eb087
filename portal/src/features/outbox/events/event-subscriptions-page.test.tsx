import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';

const subscription = (over: object = {}) => ({
  eventSubscriptionId: '01a1fcdb-e331-70c1-ba47-000000000401',
  name: 'Data lake',
  service: 'CloudEvents',
  place: null,
  itemType: null,
  tokenSecret: null,
  signingSecret: null,
  creates: true,
  externalOnly: false,
  reopens: true,
  lastCall: null,
  entity: 'workUnits',
  tenantId,
  tenantGroupId: null,
  address: 'https://lake.example/events',
  onOpened: true,
  onState: true,
  onChanged: true,
  onNote: true,
  filter: null,
  format: 'Structured',
  enabled: true,
  paused: null,
  problem: null,
  failingSince: null,
  lastDelivered: '2026-01-01T00:00:00.000Z',
  secretHint: '…ab12',
  previousUntil: null,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  ...over,
});
const id = subscription().eventSubscriptionId;
const generatedSecret = 'whsec_violetTractorMarzipan';
const delivery = (over: object = {}) => ({
  eventDeliveryId: 7,
  tenantId,
  eventSubscriptionId: id,
  eventId: id,
  type: 'cloudfit.workunit.state',
  subject: 'workUnits/12',
  occurred: '2026-01-01T00:00:00.000Z',
  status: 'Failed',
  attempts: 11,
  lastAttempt: null,
  nextAttempt: null,
  answerStatus: 400,
  answer: '{"error":"no such field"}',
  error: 'The receiver answered 400.',
  durationMs: 12,
  body: '{"specversion":"1.0"}',
  correlationId: id,
  ...over,
});

beforeEach(() => localStorage.clear());

const open = (query = '', more: Answers = {}, row = subscription()) =>
  renderApp(`/${tenantId}/outbox?of=events${query.replace('?', '&')}`, {
    'GET /v1/eventSubscriptions': list([row]),
    [`GET /v1/eventSubscriptions(${id})`]: row,
    'PUT /v1/eventSubscriptions': subscription({ generatedSecret }),
    'GET /v1/eventDeliveries': list([delivery(), delivery({ eventDeliveryId: 6, type: 'cloudfit.test' })]),
    ...more,
  });
const panel = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

it('makes a subscription, and shows its secret once', async () => {
  await open('?id=new');
  const form = await panel('Create Event Subscription');
  fireEvent.change(form.getByLabelText(/^Name/, { selector: '[maxlength="100"]' }), { target: { value: 'Data lake' } });
  fireEvent.change(form.getByLabelText(/^Address/), { target: { value: 'https://lake.example/events' } });
  // A section of which this receiver needs no field has no heading either.
  expect(form.queryByRole('heading', { name: 'Connection' })).toBeNull();
  form.getByLabelText(/^On notes/);
  fireEvent.change(form.getByLabelText(/^Events of/), { target: { value: 'ruleMatches' } });
  expect(form.queryByLabelText(/^On notes/)).toBeNull();
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  const ready = within(await screen.findByRole('region', { name: 'The secret of Data lake' }));
  ready.getByText(generatedSecret);
  fireEvent.click(ready.getByRole('button', { name: 'Hide the secret' }));
  expect(screen.queryByText(generatedSecret)).toBeNull();
});

it('says why it is paused, resumes it, tests it, and gives it a new secret', async () => {
  const row = subscription({
    paused: '2026-01-02T00:00:00.000Z',
    failingSince: '2026-01-01T00:00:00.000Z',
    problem: 'The receiver answered 503.',
  });
  const answers: Answers = {
    resumeEventSubscription: { waiting: 3 },
    testEventSubscription: { eventDeliveryId: 9 },
    newEventSecret: { eventSubscriptionId: id, generatedSecret, previousUntil: '2026-01-03T00:00:00.000Z' },
  };
  const { inputsOf } = await open(`?id=${id}`, answers, row);
  const shown = await panel(/Data lake/);
  shown.getByText('The receiver answered 503.');
  shown.getByText('Paused');
  fireEvent.click(shown.getByRole('button', { name: 'Resume' }));
  await screen.findByText('Resumed. Waiting events: 3');
  fireEvent.click(shown.getByRole('button', { name: 'Send a test' }));
  await screen.findByText(/A test event is on its way/);
  fireEvent.click(shown.getByRole('button', { name: 'New secret' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'New secret' })).getByRole('button', { name: 'New secret' }));
  await screen.findByText(generatedSecret);
  expect([inputsOf('resumeEventSubscription'), inputsOf('testEventSubscription')]).toEqual([[{ id }], [{ id }]]);
});

it('asks for what a service needs, and shows where it calls back', async () => {
  await open('?id=new');
  const form = await panel('Create Event Subscription');
  expect(form.queryByLabelText(/^Secret of the calls/)).toBeNull();
  const choose = (service: string) => fireEvent.change(form.getByLabelText(/^Receiver/), { target: { value: service } });
  const shown = () =>
    ['Place', 'Type or close code', 'Secret of the calls', 'Secret of its signatures', 'Opens units again', 'Mode of CloudEvents'].filter(
      (label) => form.queryByLabelText(new RegExp(`^${label}`)) !== null,
    );
  choose('Slack');
  await waitFor(() => expect(shown()).toEqual(['Place', 'Secret of the calls', 'Secret of its signatures']));
  choose('Jira');
  await waitFor(() => expect(shown()).toEqual(['Place', 'Type or close code', 'Secret of the calls', 'Opens units again']));
  choose('Teams');
  await waitFor(() => expect(shown()).toEqual(['Secret of the calls']));
});

it('shows the address at which a tracker calls back, and none for CloudEvents', async () => {
  const row = subscription({ name: 'Issues', service: 'GitHub', place: 'acme/ops', tokenSecret: 'GitHubToken' });
  const { unmount } = await open(`?id=${id}`, {}, row);
  const shown = await panel(/Issues/);
  shown.getByText(`${window.location.origin}/v1/eventSubscriptions/${id}/calls`);
  unmount();
  await open(`?id=${id}`);
  expect((await panel(/Data lake/)).queryByText(/calls$/)).toBeNull();
});

it('lists deliveries, and sends one or those of a span again', async () => {
  const { inputsOf } = await open(`?id=${id}&tab=deliveries`, { redeliverEvents: { queued: 1 } });
  await screen.findByRole('region', { name: 'Deliveries' });
  const failed = within(await screen.findByRole('article', { name: 'cloudfit.workunit.state workUnits/12' }));
  failed.getByText('The receiver answered 400.');
  failed.getByText('Failed');
  fireEvent.click(failed.getByRole('button', { name: 'Send again' }));
  await screen.findByText('Events that are sent again: 1');
  // A test is not an event that anybody has missed.
  expect(within(screen.getByRole('article', { name: /^cloudfit.test/ })).queryByRole('button', { name: 'Send again' })).toBeNull();
  const section = within(screen.getByRole('region', { name: 'Deliveries' }));
  fireEvent.change(section.getByLabelText('Which events'), { target: { value: 'day' } });
  fireEvent.click(section.getAllByRole('button', { name: 'Send again' })[0] as HTMLElement);
  // A whole day has events that were delivered.
  const question = within(await screen.findByRole('dialog', { name: 'Send again' }));
  expect(inputsOf('redeliverEvents')).toHaveLength(1);
  fireEvent.click(question.getByRole('button', { name: 'Send again' }));
  await screen.findAllByText('Events that are sent again: 1');
  expect(inputsOf('redeliverEvents')).toEqual([
    { id, eventDeliveryIds: [7] },
    { id, from: expect.stringMatching(/^20/) },
  ]);
});

it('says why a subscription is not resumed, instead of asking to try again', async () => {
  const row = subscription({ paused: '2026-01-02T00:00:00.000Z', problem: 'The receiver answered 503.' });
  await open(`?id=${id}`, { resumeEventSubscription: refused(409, 'It is disabled. Enable it first.') }, row);
  fireEvent.click((await panel(/Data lake/)).getByRole('button', { name: 'Resume' }));
  await screen.findByText('Unable to resume the subscription. It is disabled. Enable it first.');
});
