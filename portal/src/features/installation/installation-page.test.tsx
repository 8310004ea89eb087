/** The health of the installation: checks against objectives, and the test mail of the settings. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { InstallationRun, InstallationWork } from '@cloudfit/contract/actions/installation-work.ts';
import type { InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { refused, renderApp, tenantId } from '../../testing/render-app.tsx';
import { exactTime } from '../../theme/times.ts';
import { checksOf } from './checks.ts';

const at = '2026-11-22T14:00:00.000Z';

const well: InstallationHealth = {
  at,
  version: '1.0.0',
  startedAt: at,
  processes: [{ version: '1.0.0', role: 'api+worker', host: 'vm:1', vitals: null }],
  database: { version: '18.4', bytes: 5_000_000, walBytes: null, connections: { open: 3, idle: 3, waiting: 0 }, tables: [] },
  standby: null,
  clock: { aheadSeconds: 0 },
  disk: { level: 'ok', freeBytes: 50, sizeBytes: 100 },
  archive: { level: 'ok', archivedAt: at, error: null },
  ingest: { entities: 3, medianSeconds: 0.2, p95Seconds: 1, lastAt: at },
  stream: null,
  rules: { oldestEndSeconds: 0, openMatches: 1, failing: 0 },
  queues: [],
  work: [],
  outages: [],
  backups: { isVisible: true, backupAt: at, baseCopyAt: null, restoreDrill: { at, what: 'backup' } },
  mail: { isSet: true, kept: 0 },
  licence: { isTrial: false, expires: '2027-11-22T14:00:00.000Z' },
};

const stream: NonNullable<InstallationHealth['stream']> = {
  isConnected: true,
  waiting: 7,
  oldestSeconds: 2,
  withoutOwner: 0,
  partitions: [{ partition: 3, waiting: 7, oldestSeconds: 120, bytes: 2_048, process: 'vm:1' }],
};

const standby: NonNullable<InstallationHealth['standby']> = {
  isRead: true,
  problem: null,
  reason: null,
  lagSeconds: 0.04,
  reads: { standby: 291, primary: 9 },
};
const unread = (problem: 'lost' | 'behind' | 'refused') => ({ standby: { ...standby, isRead: false, problem, reason: null } });

const queue = { tenantId, tenantName: 'Alder Water', waiting: 4, oldestSeconds: 45, callsWaiting: 2, deadLetters: 1, keptMails: 3 };

beforeEach(() => localStorage.clear());

const levels = (part: Partial<InstallationHealth>) =>
  checksOf({ ...well, ...part })
    .filter((check) => check.level !== 'ok')
    .map((check) => `${check.id} ${check.level}`);

it.each<[string, Partial<InstallationHealth>, string[]]>([
  ['all is well', {}, []],
  ['packets are late', { ingest: { ...well.ingest, p95Seconds: 90 } }, ['ingest attention']],
  ['packets are very late', { ingest: { ...well.ingest, p95Seconds: 601 } }, ['ingest bad']],
  ['nothing reports', { ingest: { entities: 0, medianSeconds: null, p95Seconds: null, lastAt: null } }, ['ingest attention']],
  ['a stream without delay', { stream }, []],
  ['packets that wait in the stream', { stream: { ...stream, oldestSeconds: 11 } }, ['stream attention']],
  ['a stream that nobody writes', { stream: { ...stream, withoutOwner: 1 } }, ['stream bad']],
  ['a stream that is away', { stream: { ...stream, isConnected: false, partitions: [] } }, ['stream bad']],
  ['a standby that is read', { standby }, []],
  ['a standby that is lost', unread('lost'), ['standby attention']],
  ['a standby that was refused', unread('refused'), ['standby bad']],
  ['a rule fails', { rules: { ...well.rules, failing: 1 } }, ['rules attention']],
  ['jobs wait', { queues: [{ ...queue, deadLetters: 0 }] }, ['queue attention']],
  ['jobs wait very long', { queues: [{ ...queue, oldestSeconds: 301, deadLetters: 0 }] }, ['queue bad']],
  ['dead letters', { queues: [{ ...queue, oldestSeconds: 0 }] }, ['dead attention']],
  ['no mail server', { mail: { isSet: false, kept: 0 } }, ['mail attention']],
  ['a clock that is wrong', { clock: { aheadSeconds: -7_200 } }, ['clock attention']],
  ['a full disk', { disk: { level: 'full', freeBytes: 0, sizeBytes: 100 } }, ['disk bad']],
  ['little disk', { disk: { level: 'ok', freeBytes: 10, sizeBytes: 100 } }, ['disk attention']],
  ['no archive of the log', { archive: null }, []],
  ['a failing archive', { archive: { level: 'failing', archivedAt: null, error: 's3://copies/main cannot be reached' } }, ['archive bad']],
  ['an old backup', { backups: { ...well.backups, backupAt: '2026-11-21T13:00:00.000Z' } }, ['backup attention']],
  ['never restored', { backups: { ...well.backups, restoreDrill: null } }, ['restore attention']],
  ['a failed restore', { backups: { ...well.backups, restoreDrill: { at, what: 'backup', failed: 'differs' } } }, ['restore bad']],
  [
    'two versions',
    { processes: [...well.processes, { version: '1.1.0', role: 'api', host: 'vm:2', vitals: null }] },
    ['versions attention'],
  ],
  ['a licence that ends soon', { licence: { isTrial: true, expires: '2026-12-01T00:00:00.000Z' } }, ['licence attention']],
  ['a licence that has ended', { licence: { isTrial: true, expires: '2026-11-01T00:00:00.000Z' } }, ['licence bad']],
])('%s', (_name, part, expected) => {
  expect(levels(part)).toEqual(expected);
});

it('says how much is read from the standby, or why nothing is', () => {
  const valueOf = (part: Partial<InstallationHealth>) => checksOf({ ...well, ...part }).find(({ id }) => id === 'standby')?.value;
  expect(valueOf({ standby })).toBe('97 % of 300 statements read there since the start of this process, 0.0 s behind');
  expect(valueOf({ standby: { ...unread('behind').standby, lagSeconds: 7 } })).toBe('the primary is read: the standby is 7.0 s behind');
  expect(valueOf({})).toBeUndefined();
});

it('shows what waits in each partition of the stream, and who writes it', async () => {
  await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': { ...well, stream: { ...stream, oldestSeconds: 11 } },
    'GET /v1/installation/work': work(null),
  });
  const table = await screen.findByRole('group', { name: 'Partitions of the stream' });
  expect(
    within(table)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  ).toEqual(['7', '2 min', '2 kB', 'vm:1']);
  expect(screen.getByText('7 messages wait to be written, the oldest for 11 s')).toBeTruthy();
});

it('shows the checks, and the queue of each tenant with the way to its activity', async () => {
  await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': { ...well, queues: [queue] },
    'GET /v1/installation/work': work(null),
  });
  expect(await screen.findByText('2 things need attention.')).toBeTruthy();
  expect(screen.getByText('oldest due job: 45 s, of Alder Water')).toBeTruthy();
  const queues = within(screen.getByRole('group', { name: 'Queues per tenant' }));
  expect(queues.getByRole('link', { name: '3' }).getAttribute('href')).toBe(`/${tenantId}/outbox`);
  expect(queues.getByRole('link', { name: 'Alder Water' }).getAttribute('href')).toBe(`/${tenantId}/activity`);
});

const work = (run: Partial<InstallationRun> | null): InstallationWork => ({
  backupFolder: '/srv/backups',
  run: run && {
    id: 'r1',
    kind: 'backup',
    state: 'running',
    by: 'mara@northwind.example',
    beganAt: at,
    endedAt: null,
    step: 'copy',
    done: 34,
    all: 112,
    folder: '/srv/backups/1',
    outcome: null,
    ...run,
  },
});

it('shows what each process has said of itself', async () => {
  const vitals = { name: 'api-2', pid: 12, startedAt: at, memoryBytes: 209_715_200, lagMs: 1_234 };
  const processes = [
    { version: '1.0.0', role: 'api', host: 'vm:12', vitals },
    { version: '1.0.0', role: 'worker', host: 'vm:13', vitals: null },
  ];
  await renderApp(`/${tenantId}/installation`, { 'GET /v1/installation/health': { ...well, processes } });
  const rows = within(await screen.findByRole('group', { name: 'Servers' })).getAllByRole('row');
  const cells = rows.slice(1).map((row) => [...row.children].map((cell) => cell.textContent));
  expect(cells).toEqual([
    ['vm:12', '1.0.0', 'api-2', exactTime(at), '210 MB', '1,234 ms'],
    ['vm:13', '1.0.0', 'worker', '—', '—', '—'],
  ]);
});

it('starts a backup, shows how far it is, and then its outcome', async () => {
  let state = work(null);
  const { calls } = await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': well,
    'GET /v1/installation/work': () => state,
    'POST /v1/installation/work': () => {
      state = work({});
      return state.run;
    },
  });
  const part = within(await screen.findByRole('region', { name: 'Backup and restore' }));
  expect(await part.findByText(/A backup goes to \/srv\/backups on the server/)).toBeTruthy();
  fireEvent.click(part.getByRole('button', { name: 'Back up now' }));
  expect(await part.findByText('Backup: copying tables 34 of 112')).toBeTruthy();
  expect(await part.findByText(/^started by Mara Okafor, /)).toBeTruthy();
  expect(part.getByRole('progressbar', { name: 'Backup' }).getAttribute('aria-valuenow')).toBe('30');
  expect(part.getByRole('button', { name: 'Test a restore' })).toHaveProperty('disabled', true);
  expect(calls.find((call) => call.method === 'POST' && call.path === '/v1/installation/work')?.body).toEqual({ kind: 'backup' });
  state = work({ state: 'done', endedAt: at, outcome: 'Backup of 5 rows in 112 tables: /srv/backups/1' });
  expect(await part.findByText(/^Backup .*: Backup of 5 rows in 112 tables/, {}, { timeout: 5_000 })).toBeTruthy();
  expect(part.getByRole('button', { name: 'Test a restore' })).toHaveProperty('disabled', false);
});

it('offers a test of a restore where none was verified, and a backup where none is recent', async () => {
  const { calls } = await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': { ...well, backups: { ...well.backups, backupAt: null, restoreDrill: null } },
    'GET /v1/installation/work': work(null),
    'POST /v1/installation/work': work({ kind: 'drill' }).run,
  });
  const checks = within(await screen.findByRole('list', { name: 'Checks' }));
  expect(checks.getByRole('button', { name: 'Back up now' })).toBeTruthy();
  const offered = checks.getByRole('button', { name: 'Test a restore' });
  await waitFor(() => expect(offered).toHaveProperty('disabled', false));
  fireEvent.click(offered);
  await waitFor(() => expect(calls.find((call) => call.method === 'POST' && call.path.endsWith('/work'))?.body).toEqual({ kind: 'drill' }));
});

it('says why a test of a restore failed, and why another could not begin', async () => {
  await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': well,
    'GET /v1/installation/work': work({ kind: 'drill', state: 'failed', endedAt: at, outcome: 'The restored copy differs: device.' }),
    'POST /v1/installation/work': refused(409, 'A backup or a test of a restore is under way. Wait until it has ended.'),
  });
  const part = within(await screen.findByRole('region', { name: 'Backup and restore' }));
  expect(await part.findByText(/^The test of the restore failed .*: The restored copy differs: device\.$/)).toBeTruthy();
  fireEvent.click(part.getByRole('button', { name: 'Test a restore' }));
  expect((await part.findByRole('alert')).textContent).toContain('is under way. Wait until it has ended.');
});

it('installs the licence of a file, or says that it is none', async () => {
  let answer: () => unknown = refused(400, 'This is not a licence of this product.');
  const { calls } = await renderApp(`/${tenantId}/installation`, {
    'GET /v1/installation/health': well,
    'GET /v1/installation/work': work(null),
    'POST /v1/installation/licence': () => answer(),
  });
  const part = within(await screen.findByRole('region', { name: 'Licence' }));
  const choose = () =>
    fireEvent.change(part.getByLabelText('Install a licence file'), { target: { files: [new File(['{"payload":"x"}'], 'acme.licence')] } });
  choose();
  expect(await part.findByText('This is not a licence of this product.')).toBeTruthy();
  answer = () => ({ customer: 'Acme', expires: '2030-01-01T00:00:00.000Z' });
  choose();
  expect(await part.findByText(/^Licence for Acme, good until /)).toBeTruthy();
  expect(calls.findLast((call) => call.path === '/v1/installation/licence')?.body).toEqual({ text: '{"payload":"x"}' });
});

it('says who may see it', async () => {
  await renderApp(`/${tenantId}/installation`);
  await screen.findByText('Only people who may edit the settings of all tenants see this.');
});

it('sends a test mail from the settings, and shows what the mail server said', async () => {
  const { calls } = await renderApp(`/${tenantId}/nothing-here?show=settings`, {
    'GET /v1/installation/health': well,
    'POST /v1/installation/testMail': { isSent: false, answer: '550 No such mailbox' },
  });
  const form = within(await screen.findByRole('region', { name: 'Mail' }));
  const to = await form.findByRole('textbox', { name: 'Test mail to' });
  expect((to as HTMLInputElement).value).toBe('mara@northwind.example');
  fireEvent.change(to, { target: { value: 'ada@example.com' } });
  fireEvent.click(form.getByRole('button', { name: 'Send test mail' }));
  expect(await form.findByText('The mail was not sent: 550 No such mailbox')).toBeTruthy();
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST' && call.path.endsWith('testMail'))?.body).toEqual({ to: 'ada@example.com' }),
  );
});
