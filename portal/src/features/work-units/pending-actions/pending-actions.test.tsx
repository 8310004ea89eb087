import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { refused, renderApp, type Answers } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel, sentTo } from '../panel/panel.fixtures.ts';

const warning = 'There are pending actions that require manual approval. Go to "Pending Actions" to review.';
const mail = {
  protocolActionId: '01a1fcdb-e335-7785-970a-0000000000a1',
  actionDefinitionId: builtInAction.email,
  name: 'Email',
  description: null,
  summary: 'Tell the site',
  workUnitEventTypeId: 2,
  sequence: 1,
  repeatable: false,
  inputParameters: 'To, Subject',
  parameters: '{"To":"site@example.com","Subject":"Silent","Other":"x"}',
  status: 'waiting',
  messageId: null,
  actionProcessed: null,
  resultDetail: null,
  mayRun: true,
};
const often = {
  ...mail,
  protocolActionId: 'b',
  actionDefinitionId: 'own',
  name: 'Restart',
  summary: null,
  repeatable: true,
  inputParameters: '',
};
const pending = (...value: Record<string, unknown>[]) => ({
  waiting: value.filter((item) => item['status'] === 'waiting').length,
  protocolName: 'Silent gateway',
  manualActions: 'Call the site.\nAcknowledge at http://localhost/x?workUnitId=7.',
  value,
});
const trigger = `POST /v1/workunits/7/protocolActions/${mail.protocolActionId}/trigger`;

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => vi.useRealTimers());

const open = (tab: string, answer: unknown, more: Answers = {}) =>
  renderApp(
    `/workunitsv2?workUnitId=7${tab && `&tab=${tab}`}`,
    answersFor({ ...incident, protocolId: 'p' }, { 'GET /v1/workunits/7/pendingActions': answer, ...more }),
  );
const button = (name: string) => screen.findByLabelText<HTMLButtonElement>(name);
const card = async (heading: string) => within((await screen.findByText(heading)).closest('li') as HTMLElement);
const confirmWith = (title: string, name: string) => {
  screen.getByText(title);
  fireEvent.click(within(document.querySelector<HTMLElement>('.MuiDialogActions-root') ?? document.body).getByText(name));
};

it('[WU-054][WU-056] warns on the other tabs and counts what waits', async () => {
  const { search } = await open('', pending(mail, { ...often, status: 'success' }));
  await screen.findByText(warning);
  expect(screen.getByRole('tab', { name: /Pending Actions/ }).textContent).toBe('Pending Actions1');
  fireEvent.click(screen.getByRole('button', { name: 'Review' }));
  await screen.findByText('Tell the site');
  expect(search().get('tab')).toBe('pending');
  expect(screen.queryByText(warning)).toBeNull();
});

it('[WU-059] shows the text for people, addresses in it as links', async () => {
  await open('protocols', pending());
  const link = await screen.findByRole('link', { name: 'http://localhost/x?workUnitId=7' });
  expect(link.closest('p')?.textContent).toBe('Call the site.\nAcknowledge at http://localhost/x?workUnitId=7.');
  screen.getByRole('heading', { name: 'Silent gateway' });
});

it('[WU-063] says when there is none', async () => {
  await open('protocols', { ...pending(), manualActions: null });
  await screen.findByText('No manual actions associated with this work unit.');
});

it('runs with the parameters that were changed, once that is confirmed', async () => {
  const { calls } = await open('pending', pending(mail), { [trigger]: { id: 'm', rejected: false } });
  fireEvent.change(await screen.findByLabelText('To'), { target: { value: 'night@example.com' } });
  expect(screen.queryByLabelText('Other')).toBeNull();
  fireEvent.click(await button('Run Tell the site'));
  await screen.findByText('“Tell the site” runs for work unit #1007.');
  confirmWith('Run this action?', 'Run');
  await screen.findByText('Tell the site was started.');
  expect(sentTo(calls, '/trigger')[0]?.body).toEqual({
    workUnitEventType: 2,
    userDefinedParams: { To: 'night@example.com' },
    reject: false,
  });
});

it('rejects with a note', async () => {
  const { calls } = await open('pending', pending(mail), { [trigger]: { id: 'm', rejected: true } });
  fireEvent.click(await button('Reject Tell the site'));
  fireEvent.change(await screen.findByLabelText('Note (optional)'), { target: { value: 'They know.' } });
  confirmWith('Reject this action?', 'Reject');
  await screen.findByText('Tell the site was rejected.');
  expect(sentTo(calls, '/trigger')[0]?.body).toEqual({
    workUnitEventType: 2,
    userDefinedParams: {},
    reject: true,
    note: 'They know.',
  });
});

it('[WU-118][WU-119] while it runs its buttons are disabled and it says so', async () => {
  let answer: (value: Response) => void = () => undefined;
  const never = new Promise<Response>((resolve) => (answer = resolve));
  await open('pending', pending(mail), { [trigger]: () => never });
  fireEvent.click(await button('Run Tell the site'));
  await screen.findByText('Run this action?');
  confirmWith('Run this action?', 'Run');
  await screen.findByText('Running Action. Please wait...');
  for (const name of ['Run Tell the site', 'Reject Tell the site']) expect((await button(name)).disabled).toBe(true);
  answer(Response.json({ id: 'm', rejected: false }));
  await waitFor(() => expect(screen.queryByText('Running Action. Please wait...')).toBeNull());
});

it('[WU-118][WU-119] so it is while the server works on it', async () => {
  await open('pending', pending({ ...mail, status: 'running', mayRun: false }));
  await screen.findByText('Running Action. Please wait...');
  expect((await button('Run Tell the site')).disabled).toBe(true);
});

it('what has run shows how it ended; only a repeatable one can be run again', async () => {
  await open(
    'pending',
    pending(
      { ...mail, status: 'failure', mayRun: false, resultDetail: { error: 'No route.' } },
      {
        ...often,
        status: 'success',
      },
    ),
  );
  const failed = await card('Tell the site');
  const again = await card('Restart');
  await proves('[WU-114] shows how it ended', () => {
    failed.getByText('Failure');
    failed.getByText('No route.');
    again.getByText('Success');
  });
  await proves('[WU-115] [WU-116] offers nothing more', () => expect(failed.queryByRole('button')).toBeNull());
  await proves('[WU-117] can be run again', () => again.getByLabelText('Replay Restart'));
});

it('says in amber that a mail was kept and not sent', async () => {
  const resultDetail = { reason: 'Kept, not sent: no mail server is set.', recipients: 'site@example.com' };
  await open('pending', pending({ ...mail, status: 'kept', mayRun: false, resultDetail }));
  const shown = await card('Tell the site');
  expect(shown.getByText('Kept, not sent').className).toContain('warn');
  expect(shown.getByText('Kept, not sent: no mail server is set.').className).toBe('outcome amber');
  expect(shown.queryByText('Success')).toBeNull();
  expect(shown.queryByText('Running Action. Please wait...')).toBeNull();
});

it('says when it is tried again, shows its tries, and lets it be tried now or stopped', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const nextTry = new Date(Date.now() + 600_000).toISOString();
  const trying = { ...mail, status: 'trying', mayRun: false, actionHistoryId: 5, nextTry, resultDetail: { error: 'No route.' } };
  const first = { actionTryId: 1, actionHistoryId: 5, number: 1, started: nextTry, durationMs: 12, target: 'POST https://x', status: 503 };
  const { calls } = await open('pending', pending(trying), {
    'GET /v1/actionTries': { '@odata.count': 1, value: [{ ...first, sent: '{"text":"Hi"}', error: 'The receiver answered 503.' }] },
    tryExecutionNow: { isUnderWay: false },
    stopExecution: { isUnderWay: true },
  });
  const shown = await card('Tell the site');
  expect(shown.getByText('Trying').className).toContain('warn');
  expect(shown.getByText('No route.').className).toBe('outcome amber');
  shown.getByText('in 10 min');
  (shown.getByText('Tries').closest('details') as HTMLDetailsElement).open = true;
  expect((await shown.findByText('503 · The receiver answered 503.')).className).toBe('failed');
  shown.getByText('POST https://x');
  shown.getByText('{"text":"Hi"}');
  fireEvent.click(await button('Try now: Tell the site'));
  await screen.findByText('Tell the site is tried now.');
  fireEvent.click(await button('Stop Tell the site'));
  screen.getByText(/If it is an automatic step of a protocol, the next step starts at once\.$/);
  confirmWith('Stop this action?', 'Stop');
  await screen.findByText('Tell the site was stopped. A try was under way and may still arrive.');
  expect(calls.filter((call) => call.path.includes('/actionHistories/')).map((call) => call.path)).toEqual([
    '/v1/actionHistories/5/tryNow',
    '/v1/actionHistories/5/stop',
  ]);
});

it('[LIM-017] the histories are read again five seconds after', async () => {
  const { calls } = await open('pending', pending(mail), { [trigger]: { id: 'm', rejected: false } });
  fireEvent.click(await button('Run Tell the site'));
  await screen.findByText('Run this action?');
  const timers = vi.spyOn(globalThis, 'setTimeout');
  confirmWith('Run this action?', 'Run');
  await screen.findByText('Tell the site was started.');
  const later = timers.mock.calls.filter(([, ms]) => ms === 5_000);
  timers.mockRestore();
  const reads = () =>
    calls.filter((call) => call.path.includes('GetWorkUnitHistoryRecords') || call.path.endsWith('pendingActions')).length;
  await waitFor(() => expect(reads()).toBeGreaterThanOrEqual(4));
  const before = reads();
  for (const [run] of later) (run as () => void)();
  await waitFor(() => expect(reads()).toBeGreaterThanOrEqual(before + 2));
});

it('[ERR-049] says which action failed, and why', async () => {
  await open('pending', pending(mail), {
    [trigger]: refused(409, 'The work unit is OnHold now; this action belongs to the event OnAcknowledged.'),
  });
  fireEvent.click(await button('Run Tell the site'));
  await screen.findByText('Run this action?');
  confirmWith('Run this action?', 'Run');
  await screen.findByText('Unable to trigger manual action Email please try again.');
  await screen.findByText('The work unit is OnHold now; this action belongs to the event OnAcknowledged.');
});

it('[WU-120] a mail can be looked at before', async () => {
  const preview = { to: 'site@example.com', cc: 'lead@example.com', bcc: 'log@example.com', subject: 'Silent', body: 'We look at it.' };
  const { calls } = await open('pending', pending(mail, often), { renderEmail: preview });
  fireEvent.click(await button('Preview email of Tell the site'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Email preview' }));
  for (const text of Object.values(preview)) await dialog.findByText(text);
  expect(sentTo(calls, '/v1/emailtemplates/render')[0]?.body).toEqual({
    workUnitId: 7,
    protocolActionId: mail.protocolActionId,
    userDefinedParams: {},
  });
  expect(screen.queryByLabelText('Preview email of Restart')).toBeNull();
});

it('who may only look cannot run anything', async () => {
  await open('pending', pending(mail), { permissionsOfCaller: allPermissions.filter((permission) => permission.endsWith(':view')) });
  await screen.findByText('Tell the site');
  expect(screen.queryByLabelText('Run Tell the site')).toBeNull();
});
