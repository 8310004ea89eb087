import '../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import '../../app/home-route.tsx';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

import { daysUntil } from './open-over-time.ts';

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const onDesktop = () =>
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));

const me = 'mara@northwind.example';
const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Pump 4 does not answer',
  severityId: 'Sev1',
  stateId: 'New',
  created: '2026-11-21T08:00:00Z',
};
const openNow = [
  { severityId: 'Sev0', stateId: 'New', n: 2 },
  { severityId: 'Sev1', stateId: 'InProgress', n: 3 },
  { severityId: 'Sev3', stateId: 'New', n: 4 },
];

function unitsOf({ query }: ApiCall) {
  const apply = query.get('$apply') ?? '';
  const filter = query.get('$filter') ?? '';
  if (apply) return list(openNow);
  if (filter.includes('approver1'))
    return { '@odata.count': 5, value: [{ ...unit, workUnitId: 8, publicWorkUnitId: 1008, title: 'Replace the switch' }] };
  if (filter.includes('assignedTo')) return { '@odata.count': 11, value: [unit] };
  return list([{ ...unit, workUnitId: 9, publicWorkUnitId: 1009, title: 'Gate 2 is open' }]);
}

const trendCall = `GET /v1/workunits/GetOpenOverTime(days=14,minutes=${-new Date().getTimezoneOffset()})`;
const trend = { value: daysUntil(new Date(), 14).flatMap((day) => openNow.map((count) => ({ day, ...count }))) };

const answers: Answers = {
  'GET /v1/workUnits': unitsOf,
  [trendCall]: trend,
  'GET /v1/ruleMatches': list([
    { ruleId: 'r1', n: 2 },
    { ruleId: 'r2', n: 4 },
  ]),
  'GET /v1/devices': { '@odata.count': 3, value: [] },
};

const tile = async (name: string) => screen.findByRole('link', { name: new RegExp(`^${name}`) });

it('[SHELL-038] each number is the list behind it', async () => {
  const { calls } = await renderApp(`/${tenantId}`, answers);
  const open = 'f.stateId=New,Acknowledged,InProgress,OnHold,Mitigated';
  for (const [name, count, to] of [
    ['My open work units', '11', `workunitsv2?${open}&q=mine,awake`],
    ['Waiting for my approval', '5', `workunitsv2?${open}&q=approval,awake`],
    ['New work units', '6', 'workunitsv2?f.stateId=New'],
    ['Open Sev0 and Sev1', '5', `workunitsv2?${open}&f.severityId=Sev0,Sev1`],
    ['Open rule matches', '6', 'rules?q=matching'],
    ['Silent devices', '3', 'devices?f.enabled=true&q=silent'],
  ] as const) {
    const link = await tile(name);
    await waitFor(() => expect(link.textContent).toContain(count));
    expect(link.getAttribute('href')).toBe(`/${tenantId}/${to}`);
  }
  expect((await tile('Open rule matches')).textContent).toContain('Of 2 rules');
  const filters = calls.map((call) => call.query.get('$filter') ?? '');
  const waiting = [1, 2].map((n) => `(approver${n} eq '${me}' and approved${n}By eq null and declined${n}By eq null)`).join(' or ');
  expect(filters.some((filter) => filter.includes(waiting))).toBe(true);
});

it('counts communications whose update is overdue, where there are any', async () => {
  const late = { 'GET /v1/workUnitCommunications': { '@odata.count': 2, value: [] } };
  const { calls } = await renderApp(`/${tenantId}`, { ...answers, ...late });
  const link = await tile('Overdue updates');
  await waitFor(() => expect(link.textContent).toContain('2'));
  expect(link.getAttribute('href')).toBe(`/${tenantId}/workunitcommunications`);
  const filter = calls.find(({ path }) => path === '/v1/workUnitCommunications')?.query.get('$filter') ?? '';
  expect(filter).toMatch(/status ne 'Cancelled' and status ne 'Resolved'.* and \(nextUpdate le .* or nextInternalUpdate le .*\)/);
  cleanup();
  await renderApp(`/${tenantId}`, answers);
  await tile('Silent devices');
  expect(screen.queryByRole('link', { name: /^Overdue updates/ })).toBeNull();
});

it('shows on a phone what to do first, below one line of notices that opens', async () => {
  const fault = { kind: 'fault', of: 'jobs', count: 1, name: 'correlate', problem: 'Refused.', since: '2026-11-22T08:00:00Z' } as const;
  await renderApp(`/${tenantId}`, {
    ...answers,
    doNow: { value: [], total: 0, isCut: false },
    notices: { value: [{ kind: 'noMailServer' }, fault] },
  });
  const line = await screen.findByRole('button', { name: /^Work of the installation fails since .*Refused\. ?\+1$/ });
  const list = await screen.findByRole('region', { name: 'Do now' });
  expect(line.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(list.compareDocumentPosition(await screen.findByText(/^Welcome/)) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(screen.queryByText(/^No mail server is set/)).toBeNull();
  fireEvent.click(line);
  expect(screen.getByText(/^No mail server is set/)).toBeTruthy();
  expect(screen.getAllByText(/^Work of the installation fails/)).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Show less' }));
  expect(screen.queryByText(/^No mail server is set/)).toBeNull();
});

it('tells those who may edit settings of mails that were not sent and of a disk that fills up', async () => {
  onDesktop();
  const storage = { kind: 'storage', level: 'low', freeBytes: 4_200_000_000, sizeBytes: 60_000_000_000 } as const;
  const notices: Answers = { notices: { value: [storage, { kind: 'noMailServer' }, { kind: 'keptMails', count: 3 }] } };
  await renderApp(`/${tenantId}`, { ...answers, ...notices });
  expect((await screen.findByText(/^4\.2 GB of disk space are left on the server, 7 %\./)).closest('[role=status]')).toBeTruthy();
  expect((await screen.findByText(/^3 mails are kept, not sent: no mail server is set\./)).closest('.notice')).toBeTruthy();
  expect(screen.queryByText(/^No mail server is set/)).toBeNull();
  expect(screen.getByRole('link', { name: 'Show' }).getAttribute('href')).toBe(`/${tenantId}/outbox`);
  cleanup();
  const { calls } = await renderApp(`/${tenantId}`, {
    ...answers,
    ...notices,
    permissionsOfCaller: [permission('Home', 'view'), permission('Settings', 'view')],
  });
  await screen.findByText(/Welcome/);
  expect(calls.some(({ path }) => path.includes('notices'))).toBe(false);
  cleanup();
  await renderApp(`/${tenantId}`, { ...answers, notices: { value: [{ ...storage, level: 'full', freeBytes: 0 }] } });
  expect((await screen.findByRole('alert')).textContent).toContain('The disk of the server is full (0 B left)');
  cleanup();
  const fault = { kind: 'fault', of: 'mailbox', count: 2, name: 'Support', problem: 'Refused.', since: '2026-11-22T08:00:00Z' } as const;
  await renderApp(`/${tenantId}`, { ...answers, notices: { value: [fault, { ...fault, of: 'jobs', count: 1, name: 'correlate' }] } });
  const [mailbox, jobs] = await screen.findAllByRole('alert');
  expect(mailbox?.textContent).toMatch(
    /^The mailbox Support has not been read since .*: mails to it become no work units\. Refused\. \(2 in all\)Show$/,
  );
  expect(jobs?.textContent).toMatch(/, as correlate: Refused\.Show$/);
  const places = screen.getAllByRole('link', { name: 'Show' }).map((link) => link.getAttribute('href'));
  expect(places).toEqual([`/${tenantId}/mailboxes`, `/${tenantId}/installation`]);
  cleanup();
  const archive = { kind: 'archive', archivedAt: '2026-11-22T08:00:00Z', walBytes: 2_000_000_000, error: null } as const;
  await renderApp(`/${tenantId}`, { ...answers, notices: { value: [archive] } });
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /^The log of the database has not been archived since .*2026.*: later changes cannot be restored .* on the disk of the server \(2(\.0)? GB\)\./,
  );
});

it('tells those who can change it that nobody is on call, that a person on call is not reached and that no mail server is set', async () => {
  onDesktop();
  const shift = { personId: 'p1', name: 'Kim Berg', from: '2026-11-16T08:00:00Z', to: '2026-11-23T08:00:00Z' };
  const duty = { scheduleName: 'Plant', tenantId, now: null, next: null, isUnplannedGap: false, problem: null };
  const more: Answers = {
    notices: { value: [{ kind: 'noMailServer' }] },
    'GET /v1/onCall': {
      value: [
        { ...duty, onCallScheduleId: 's1', isUnplannedGap: true },
        { ...duty, onCallScheduleId: 's2', scheduleName: 'Nights', now: shift, problem: 'The person has no channel.' },
        { ...duty, onCallScheduleId: 's3', scheduleName: 'Days', next: shift },
      ],
    },
  };
  await renderApp(`/${tenantId}`, { ...answers, ...more });
  await screen.findByText('Nobody is on call in Plant, and nobody follows: its pages reach nobody.');
  screen.getByText('Kim Berg, on call in Nights, is not reached. The person has no channel.');
  expect(screen.queryByText(/Days/)).toBeNull();
  const notice = within((await screen.findByText(/^No mail server is set/)).closest('.notice') as HTMLElement);
  expect(notice.getByRole('link', { name: 'Installation' }).getAttribute('href')).toBe(`/${tenantId}/installation`);
  expect(screen.getAllByRole('link', { name: 'Schedule' })[0]?.getAttribute('href')).toBe(`/${tenantId}/oncall?id=s1`);
  cleanup();
  const { calls } = await renderApp(`/${tenantId}`, {
    ...answers,
    ...more,
    permissionsOfCaller: [permission('Home', 'view'), permission('OnCall', 'view')],
  });
  await screen.findByText(/Welcome/);
  expect(calls.some(({ path }) => path === '/v1/onCall')).toBe(false);
});

it('a number and the list that it leads to ask with the same conditions', async () => {
  const filtersOf = async (address: string, path: string) => {
    const { calls, unmount } = await renderApp(address, answers);
    const counting = ({ query }: ApiCall) => query.get('$count') === 'true' && !query.has('$apply');
    await waitFor(() => expect(calls.filter((call) => call.path === path && counting(call))).not.toHaveLength(0));
    await screen.findAllByRole('link', { name: /Silent devices|Work Units/ });
    const filters = calls.filter((call) => call.path === path && counting(call)).map((call) => call.query.get('$filter') ?? '');
    unmount();
    cleanup();
    return filters.map((filter) => filter.split(' and ').toSorted().join(' and '));
  };
  const home = [...(await filtersOf(`/${tenantId}`, '/v1/workUnits')), ...(await filtersOf(`/${tenantId}`, '/v1/devices'))];
  const states = 'New,Acknowledged,InProgress,OnHold,Mitigated';
  for (const [address, path] of [
    [`workunitsv2?f.stateId=${states}&q=mine,awake`, '/v1/workUnits'],
    [`devices?f.enabled=true&q=silent`, '/v1/devices'],
  ] as const) {
    const [filter = ''] = await filtersOf(`/${tenantId}/${address}`, path);
    expect(home).toContain(filter);
  }
  expect(home.some((filter) => filter.includes(subscriptionId))).toBe(true);
});

it('the list of severe units opens a unit', async () => {
  await renderApp(`/${tenantId}`, answers);
  const link = await screen.findByRole('link', { name: /Gate 2 is open/ });
  expect(link.getAttribute('href')).toMatch(/workunitsv2\?f\.stateId=New,.*&workUnitId=9$/);
});

it('the table by severity and state leads to what each cell counts', async () => {
  await renderApp(`/${tenantId}`, answers);
  const link = await screen.findByRole('link', { name: '3 work units: Sev1, InProgress' });
  expect(link.getAttribute('href')).toBe(`/${tenantId}/workunitsv2?f.stateId=InProgress&f.severityId=Sev1`);
});

it('the chart says in words what it shows, and is a table on demand', async () => {
  const { search } = await renderApp(`/${tenantId}`, answers);
  expect(
    await screen.findByRole('img', { name: /Open work units by severity at the end of each day: 9 on .+, 9 now, 9 at most\./ }),
  ).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'State' }));
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }));
  const row = within(await screen.findByRole('row', { name: /^Today/ }));
  expect(row.getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['6', '0', '3', '0', '0', '9']);
  expect([search().get('by'), search().get('as')]).toEqual(['state', 'table']);
});

it('[WEL-001][WEL-004] offers the Windows agent that the settings of the tenant in the address name', async () => {
  const { calls } = await renderApp(`/${tenantId}`, {
    ...answers,
    tenantSettings: { agentDownloadUrl: 'https://downloads.example.com/agent.msi', agents: [] },
  });
  const link = await screen.findByRole('link', { name: 'Download Windows agent' });
  expect(link.getAttribute('href')).toBe('https://downloads.example.com/agent.msi');
  expect(calls.some(({ path }) => path === `/api/${tenantId}/settings`)).toBe(true);
  expect(calls.filter(({ path }) => path === '/v1/workUnits').every(({ query }) => query.toString().includes(tenantId))).toBe(true);
});

it('says how the Windows agent is built where it is not', async () => {
  const unbuilt = { ...answers, tenantSettings: { agentDownloadUrl: null, agents: [] } };
  const inTenant: Answers = {
    permissionsOfCaller: ({ everywhere }) => (everywhere ? [] : [permission('Home', 'view'), permission('Settings', 'edit')]),
  };
  const { unmount, inputsOf } = await renderApp(`/${tenantId}`, { ...unbuilt, ...inTenant });
  await waitFor(() => expect(inputsOf('permissionsOfCaller')).toContainEqual({ everywhere: 'true' }));
  expect(screen.queryByText(/To offer the Windows agent/)).toBeNull();
  unmount();
  await renderApp(`/${tenantId}`, unbuilt);
  expect((await screen.findByText(/To offer the Windows agent here too, run this once/)).textContent).toContain('npm run agent');
  expect(screen.queryByRole('link', { name: 'Download Windows agent' })).toBeNull();
});

it('[WEL-002] has a footer', async () => {
  await renderApp(`/${tenantId}`, answers);
  await tile('My open work units');
  const footer = within(within(screen.getByRole('main')).getByText('API').closest('footer') as HTMLElement);
  expect(footer.getByText(/© CloudFit \d{4}/)).toBeTruthy();
});

const days = (n: number) => ({
  'GET /api/generalLookup/environment': {
    environmentColor: null,
    environmentName: 'Production',
    licenseExpiration: new Date(Date.now() + n * 86_400_000 - 60_000).toISOString(),
  },
});

it('[WEL-003] has the licence banner while the licence runs out, and none before', async () => {
  const { unmount } = await renderApp(`/${tenantId}`, { ...answers, ...days(20) });
  expect((await screen.findByText('Your license expires in 20 day(s)')).className).toContain('warning');
  unmount();
  await renderApp(`/${tenantId}`, { ...answers, ...days(60) });
  await tile('My open work units');
  expect(screen.queryByText(/Your license/)).toBeNull();
});

it('shows what the person may see and nothing else', async () => {
  const { calls } = await renderApp(`/${tenantId}`, { ...answers, permissionsOfCaller: [permission('Rules', 'view')] });
  await tile('Open rule matches');
  expect(screen.queryByRole('link', { name: /^My open/ })).toBeNull();
  expect(calls.map(({ path }) => path)).not.toContain('/v1/workUnits');
});

it('says so where there is no permission for anything', async () => {
  await renderApp(`/${tenantId}`, { ...answers, permissionsOfCaller: [permission('Home', 'view')] });
  expect(await screen.findByText('Your account has no permission for a dashboard yet.')).toBeTruthy();
});

it('a part that fails says why and tries again', async () => {
  let fails = true;
  await renderApp(`/${tenantId}`, {
    ...answers,
    [trendCall]: () => (fails ? refused(400, 'The history is not available.')() : trend),
  });
  const card = within(await screen.findByRole('region', { name: 'Open work units' }));
  expect(await card.findByText('The history is not available.')).toBeTruthy();
  fails = false;
  fireEvent.click(card.getByRole('button', { name: 'Try again' }));
  expect(await card.findByRole('img', { name: /9 now/ })).toBeTruthy();
});

it('shows a handover until it was read, and asks for the note of a shift that ends', async () => {
  const handover = {
    onCallScheduleId: 's1',
    tenantId,
    fromName: 'Kim Berg',
    shiftFrom: '2026-11-16T08:00:00Z',
    shiftTo: '2026-11-23T08:00:00Z',
    handedAt: '2026-11-23T08:00:00Z',
    read: null,
  };
  const came = {
    ...handover,
    onCallHandoverId: 'h1',
    scheduleName: 'Plant',
    toName: 'Mara',
    note: 'Watch pump 4.',
    completed: handover.shiftTo,
    // The signed-in person may edit schedules, too.
    mayWrite: true,
    isMine: true,
  };
  const goes = {
    ...handover,
    onCallHandoverId: 'h2',
    scheduleName: 'Office',
    toName: null,
    note: null,
    completed: null,
    mayWrite: true,
    isMine: false,
  };
  let value: object[] = [came, goes];
  const facts = { units: [], moreUnits: 0, maintenance: [], messages: [] };
  await renderApp(`/${tenantId}`, {
    ...answers,
    'GET /v1/onCallHandovers': () => ({ value }),
    onCallHandoverFacts: facts,
    readHandover: () => {
      value = [goes];
      return { onCallHandoverId: 'h1' };
    },
  });
  const card = within(await screen.findByRole('region', { name: 'You are on call: Plant. Handover from Kim Berg' }));
  card.getByText('Watch pump 4.');
  expect(card.queryByLabelText('Note for the next person')).toBeNull();
  within(screen.getByRole('region', { name: 'Your shift ends: Office' })).getByLabelText('Note for the next person');
  fireEvent.click(card.getByRole('button', { name: 'I have read it' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: /Handover from Kim Berg/ })).toBeNull());
});

it('has no queue of call backs for people who may only look', async () => {
  const { calls } = await renderApp(`/${tenantId}`, { ...answers, permissionsOfCaller: [permission('WorkUnits', 'view')] });
  await tile('My open work units');
  expect(calls.some(({ path }) => path.startsWith('/v1/callBacks'))).toBe(false);
});

it('shows administrators the first steps until they are done or dismissed', async () => {
  const value = (['customer', 'machine'] as const).map((kind) => ({ kind, isDone: kind === 'customer' }));
  let isDismissed = false;
  const { inputsOf } = await renderApp(`/${tenantId}`, {
    ...answers,
    firstSteps: () => ({ value: isDismissed ? [] : value }),
    'POST /v1/installation/firstSteps/dismiss': () => {
      isDismissed = true;
      return new Response(null, { status: 204 });
    },
  });
  const steps = within(await screen.findByRole('region', { name: 'First steps' }));
  expect(steps.getByText('1 of 2 done')).toBeTruthy();
  expect(steps.getByRole('link', { name: /Add a machine/ }).getAttribute('href')).toBe(`/${tenantId}/pendingdevices?add=new`);
  expect(steps.queryByRole('link', { name: /Add a customer/ })).toBeNull();
  fireEvent.click(steps.getByRole('button', { name: 'Do not show again' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull());
  expect(inputsOf('dismissFirstSteps')).toHaveLength(1);
  cleanup();
  const { calls } = await renderApp(`/${tenantId}`, {
    ...answers,
    firstSteps: { value },
    permissionsOfCaller: [permission('WorkUnits', 'view')],
  });
  await tile('My open work units');
  expect(calls.some(({ name }) => name === 'firstSteps')).toBe(false);
});
