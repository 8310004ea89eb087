import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoredSignIn } from '../sign-in.ts';
import { plain, tableLines } from './print.ts';
import { exitCodes, runCommand } from './run-command.ts';

let home: string;
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'cloudfit-command-'))));
afterEach(() => rm(home, { recursive: true, force: true }));

const withToken = { CLOUDFIT_SERVER: 'https://ops.example.com', CLOUDFIT_TOKEN: 'cfst_a' };

/** Runs a command on answers by `METHOD path`; returns what it wrote, its exit code and what it sent. */
async function typed(
  line: readonly string[],
  answers: Record<string, object | (() => Response)> = {},
  env: Record<string, string> = withToken,
  input = '',
) {
  const written = { out: '', err: '' };
  const sent: { call: string; url: URL; body: unknown; authorization: string | null }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = new URL(String(input));
    const call = `${init?.method ?? 'GET'} ${url.pathname}`;
    const body: unknown =
      typeof init?.body === 'string'
        ? JSON.parse(init.body)
        : init?.body instanceof Uint8Array
          ? new TextDecoder().decode(init.body)
          : String(init?.body ?? '');
    sent.push({ call, url, body, authorization: new Headers(init?.headers).get('authorization') });
    const answer = answers[call];
    if (typeof answer === 'function') return Promise.resolve(answer());
    const missing = { error: { code: 'NotFound', message: `No ${call}.` } };
    return Promise.resolve(Response.json(answer ?? missing, { status: answer ? 200 : 404 }));
  };
  const code = await runCommand(line, {
    env,
    fetch,
    readIn: () => Promise.resolve(new TextEncoder().encode(input)),
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    columns: undefined,
    signal: new AbortController().signal,
    platform: 'linux',
    home,
  });
  return { ...written, code, sent };
}

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1042,
  title: 'Disk full',
  severityId: 'Sev2',
  stateId: 'New',
  assignedTo: null,
  tenant: { name: 'Leeds' },
};
const units = { 'GET /v1/workUnits': { value: [unit], '@odata.count': 1 } };
const me = { 'GET /v1/currentUser': { personId: 'p', name: 'Ann', userName: "o'neil@example.com" } };

it('lists open units as a table, or what the options choose as JSON', async () => {
  const table = await typed(['units', 'list'], units);
  expect(table.out).toBe('NUMBER  SEVERITY  STATE  TENANT  ASSIGNED TO  TITLE\n1042    Sev2      New    Leeds                Disk full\n');
  expect(table.sent[0]?.url.searchParams.get('$filter')).toContain("(stateId eq 'New' or stateId eq 'Acknowledged'");
  expect(table.sent[0]?.authorization).toBe('Bearer cfst_a');
  const json = await typed(
    ['units', 'list', '--state', 'all', '--mine', '--tenant', "L'eeds", '--search', 'disk', '--top', '3', '--json'],
    { ...units, ...me },
  );
  expect(JSON.parse(json.out)).toEqual([unit]);
  expect(json.sent[1]?.url.searchParams.get('$filter')).toBe(
    "tenant/name eq 'L''eeds' and found('disk') and assignedTo eq 'o''neil@example.com'",
  );
  expect(json.sent[1]?.url.searchParams.get('$top')).toBe('3');
});

it('shows units without their tenants to whoever may not see tenants', async () => {
  let answers = 0;
  const withoutTenants = () =>
    answers++ === 0 ? Response.json({ error: { message: 'No.' } }, { status: 403 }) : Response.json({ value: [unit] });
  const { out, sent } = await typed(['units', 'list'], { 'GET /v1/workUnits': withoutTenants });
  expect(out).toContain('1042    Sev2      New');
  expect(sent.map(({ url }) => url.searchParams.get('$expand'))).toEqual(['tenant($select=name)', null]);
});

it('acknowledges what is new, and takes what nobody has', async () => {
  const started = { ...unit, workUnitId: 8, publicWorkUnitId: 1043, stateId: 'InProgress' };
  const { out, sent, code } = await typed(['units', 'ack', '1042', '#1042'], { ...units, ...me, 'PATCH /v1/workUnits(7)': unit });
  expect([out, code]).toEqual(['1042: acknowledged\n', 0]);
  expect(sent.at(-1)?.body).toEqual({ stateId: 'Acknowledged', assignedTo: "o'neil@example.com" });
  const again = await typed(['units', 'ack', '1043'], { ...me, 'GET /v1/workUnits': { value: [started] } });
  expect([again.out, again.sent.length]).toEqual(['1043: is InProgress already\n', 2]);
});

it('notes and resolves by the words after the numbers', async () => {
  const noted = await typed(['units', 'note', '1042', 'The', 'disk was full.', '--external'], { ...units, 'PUT /v1/workUnitNotes': {} });
  expect(noted.sent.at(-1)?.body).toEqual({ workUnitId: 7, detail: 'The disk was full.', isExternalNote: true });
  const resolved = await typed(['units', 'resolve', '1042', 'Space was made.'], {
    ...units,
    'POST /v1/workUnits/resolve': { value: [{ ...unit, stateId: 'Resolved' }] },
  });
  expect(resolved.sent.at(-1)?.body).toEqual({ ids: [7], resolution: 'Space was made.' });
  expect(resolved.out).toContain('1042    Resolved  Disk full');
});

it('explains a device, and tells devices of one name apart', async () => {
  const device = { deviceId: 'd', name: 'web 1', tenant: { name: 'Leeds' } };
  const explanation = { at: 'now', summary: 'Nobody was notified.', reasons: ['It is in maintenance.'], rules: [], leftOut: 0 };
  const { out } = await typed(['why', 'web 1'], { 'GET /v1/devices': { value: [device] }, 'GET /v1/explain': explanation });
  expect(out).toBe('web 1 at now\nNobody was notified.\nIt is in maintenance.\n');
  const two = await typed(['why', 'web 1'], { 'GET /v1/devices': { value: [device, { ...device, deviceId: 'e' }] } });
  expect([two.code, two.err]).toEqual([1, 'There are several devices web 1; use an id: d, e\n']);
});

it('runs an operation and passes its failure on', async () => {
  const answers = (status: string) => ({
    'GET /v1/devices': { value: [{ deviceId: 'd', name: 'web 1' }] },
    'GET /v1/deviceOperations': { value: [{ deviceOperationId: 'o', label: 'Disk check' }] },
    'POST /v1/deviceOperations/o/enqueueOnDemand': { completionToken: 'r' },
    'GET /v1/operationRuns': { value: [{ operationRunId: 'r', status, message: null, output: 'ok' }] },
  });
  const good = await typed(['run', 'disk', 'check', 'on', 'web', '1'], answers('Success'));
  expect([good.code, good.out]).toEqual([0, 'Success\nok\n']);
  const bad = await typed(['run', 'Disk check', 'on', 'web 1'], answers('Critical'));
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('Disk check ended as Critical.')]);
  const none = await typed(['run', 'Reboot', 'on', 'web 1'], answers('Success'));
  expect(none.err).toBe('web 1 has no operation Reboot; it has Disk check.\n');
});

it.each([
  [
    ['units', 'list'],
    () => Response.json({ error: { message: 'Expired.' } }, { status: 401 }),
    exitCodes.signIn,
    'Expired. Sign in: cloudfit login\n',
  ],
  [
    ['units', 'list'],
    () => Response.json({ error: { message: 'No permission.' } }, { status: 403 }),
    exitCodes.forbidden,
    'No permission.\n',
  ],
  [['units', 'list'], { value: [] }, exitCodes.done, 'There are no such work units.\n'],
  [['units', 'show', '9'], { value: [] }, exitCodes.missing, 'There is no work unit 9 that you may see.\n'],
  [['units', 'list', '--state', 'Old'], {}, exitCodes.usage, '--state is open, all or one of New'],
  [['units', 'list', '--top', '0'], {}, exitCodes.usage, '--top is a number from 1 to 1000, not 0.'],
  [['units', 'list', '--colour'], {}, exitCodes.usage, 'See cloudfit units list --help'],
  [['units', 'ack', 'all'], {}, exitCodes.usage, 'Name the number of a work unit'],
  [['units', 'note', '5'], {}, exitCodes.usage, 'Write the note after the number'],
  [['units', 'dance'], {}, exitCodes.usage, 'There is no command units dance. There are cloudfit units list, '],
  [['dance'], {}, exitCodes.usage, 'There is no command dance. See cloudfit --help'],
  [
    ['units', 'list'],
    () => new Response('<html>Hotel</html>'),
    exitCodes.failed,
    'answered 200, but not as CloudFit does. Is the address right?',
  ],
  [['units', 'list'], () => new Response('no', { status: 404 }), exitCodes.failed, 'answered 404, but not as CloudFit does.'],
])('answers %j by its exit code and words', async (line, answer, code, message) => {
  const result = await typed(line, { 'GET /v1/workUnits': answer });
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(message)]);
});

it('signs in by a code, keeps the sign-in from other users, and uses it at its server alone', async () => {
  const server = 'https://ops.example.com';
  const answers = {
    'GET /api/generalLookup/oidcclientconfig': { authority: `${server}/idp`, scope: 'openid', deviceClientId: 'device' },
    'GET /idp/.well-known/openid-configuration': {
      device_authorization_endpoint: `${server}/idp/device/auth`,
      token_endpoint: `${server}/idp/token`,
    },
    'POST /idp/device/auth': {
      device_code: 'x',
      user_code: 'BCDF-GHJK',
      verification_uri: `${server}/idp/device`,
      expires_in: 600,
      interval: 0,
    },
    'POST /idp/token': { access_token: 'a1', expires_in: 600, refresh_token: 'r1' },
  };
  const login = await typed(['login', server], answers, {});
  expect([login.code, login.err]).toEqual([
    0,
    expect.stringContaining(`Open ${server}/idp/device in a browser and enter the code BCDF-GHJK within 10 minutes.`),
  ]);
  expect(login.sent.find(({ call }) => call === 'POST /idp/device/auth')?.body).toContain('scope=openid+offline_access');
  const path = join(home, '.config/cloudfit/sign-in.json');
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect(JSON.parse(await readFile(path, 'utf8')) as StoredSignIn).toMatchObject({ server, accessToken: 'a1', refreshToken: 'r1' });
  const list = await typed(['units', 'list'], units, {});
  expect(list.sent.map(({ url, authorization }) => [url.origin, authorization])).toEqual([[server, 'Bearer a1']]);
  const elsewhere = await typed(['units', 'list'], units, { CLOUDFIT_SERVER: 'https://other.example' });
  expect([elsewhere.code, elsewhere.sent]).toEqual([exitCodes.signIn, []]);
  const out = await typed(['logout'], { 'POST /v1/signOut': () => new Response(null, { status: 204 }) }, {});
  expect([out.err, out.sent.length]).toEqual(['You are signed out.\n', 1]);
  expect((await typed(['units', 'list'], units, {})).code).toBe(exitCodes.signIn);
});

it('completes names, options and choices', async () => {
  const words = async (...line: string[]) => (await typed(['completion', 'words', '--', ...line])).out.split('\n').filter(Boolean);
  expect(await words('')).toEqual(['fetch', 'import', 'login', 'logout', 'mail', 'run', 'tail', 'tenants', 'units', 'whoami', 'why']);
  expect(await words('units', 're')).toEqual(['resolve']);
  expect(await words('units', 'list', '--s')).toEqual(['--search', '--severity', '--state']);
  expect(await words('units', 'list', '--state', 'Ac')).toEqual(['Acknowledged']);
  expect(await words('units', 'list', '--json', '--m')).toEqual(['--mine']);
  for (const shell of ['bash', 'zsh', 'fish']) expect((await typed(['completion', shell])).out).toContain('cloudfit completion words');
  expect((await typed(['completion', 'tcsh'])).code).toBe(exitCodes.usage);
});

it('helps', async () => {
  expect((await typed([])).out).toContain('cloudfit units ack NUMBER...');
  expect((await typed(['units', 'list', '--help'])).out).toContain('--state VALUE  open (the default), all, or one state');
});

it('lets no text command the terminal, and cuts lines to its width', () => {
  expect(plain('a\u001b[2Jb\u0007\u202ec')).toBe('a [2Jb c');
  expect(tableLines([{ a: 'x\ny', b: 'long text' }], { a: (row) => row.a, b: (row) => row.b }, 8)).toEqual(['A    B', 'x y  lo…']);
});

it('hands a mail over, with exit codes that mail servers understand', async () => {
  const id = '0197a3b0-1111-7222-8333-444455556666';
  const env = { CLOUDFIT_SERVER: 'https://ops.example.com', CLOUDFIT_MAIL_TOKEN: 'cfmb_a' };
  const call = `POST /v1/mailboxes/${id}/mail`;
  const pipe = (answer: object | (() => Response), settings: Record<string, string> = env, words = [id]) =>
    typed(['mail', ...words], { [call]: answer }, settings, 'From: a@b\n\nHello');
  const done = await pipe({ outcome: 'Opened', publicWorkUnitId: 1042, reason: null });
  expect([done.code, done.out]).toEqual([0, 'Opened #1042\n']);
  expect(done.sent).toMatchObject([{ call, body: 'From: a@b\n\nHello', authorization: 'Bearer cfmb_a' }]);
  const failing = (status: number) => pipe(() => Response.json({ error: { message: 'No.' } }, { status }));
  for (const [status, code] of [
    [400, 65],
    [413, 65],
    [401, 75],
    [403, 75],
    [429, 75],
    [503, 75],
  ] as const)
    expect(await failing(status)).toMatchObject({ code, err: 'No.\n' });
  const away = await pipe(() => {
    throw new TypeError('fetch failed');
  });
  expect([away.code, away.err]).toEqual([75, expect.stringContaining('does not answer')]);
  for (const settings of [{}, { CLOUDFIT_SERVER: 'ops' }, { CLOUDFIT_SERVER: 'https://ops.example.com' }] as Record<string, string>[])
    expect((await pipe({}, settings)).code).toBe(exitCodes.usage);
  expect((await pipe({}, env, ['support'])).code).toBe(exitCodes.usage);
});
