/**
 * When operations run, their parameters, and running them in the session of the person who is signed in at the machine. Runs
 * real programs, without a server.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { AgentRun } from '@cloudfit/contract/agent/runs.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { parseManifest } from '@cloudfit/contract/packages/manifest.ts';
import { createInstalledRegister } from '../packages/installed.ts';
import { createSignal } from '../signal.ts';
import { deviceId, waitUntil } from '../testing/fake-server.ts';
import { nextBeat, shareOf } from './beat.ts';
import { argumentsOf } from './command.ts';
import { openJournal } from './journal.ts';
import { runOperations } from './operations.ts';

let stateDir: string;
let configuration: AgentConfiguration;
/** Whether the agent knows the configuration; false at the start of a new machine. */
let isKnown: boolean;
let installed: ReturnType<typeof createInstalledRegister>;
let reports: AgentRun[];
let packets: { id: string; message: PacketMessage }[];
let stopping: AbortController;
let ended: Promise<void>;
const changed = createSignal();

const script = `case "$1" in
  quick) echo quick >> "$TMPDIR/runs-of-quick"; echo 1 ;;
  slow) sleep 3.4; echo slow ;;
  last) echo "$CLOUDFIT_DEVICE_OPERATION: $CLOUDFIT_RUN after $CLOUDFIT_LAST_RUN"; exit 3 ;;
  who) id -un; echo "$XDG_SESSION_TYPE" ;;
esac
`;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'operations-'));
  const folder = join(stateDir, 'packages', 'p1', 'v1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.sh'), script, { mode: 0o755 });
  const operation = (name: string) => ({ name, arguments: [name], result: name === 'quick' ? 'Numeric' : 'Text' });
  const manifest = { name: 'P', version: '1.0.0', type: 'Watcher', executable: 'run.sh', executableType: 'Script' };
  const parsed = parseManifest(JSON.stringify({ ...manifest, operations: ['quick', 'slow', 'last', 'who'].map(operation) }));
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  installed = createInstalledRegister();
  installed.set('p1', { packageId: 'p1', packageVersionId: 'v1', version: '1.0.0', folder, manifest: parsed.manifest });
  vi.stubEnv('TMPDIR', stateDir);
  reports = [];
  packets = [];
  configuration = {
    deviceId,
    name: 'test',
    enabled: true,
    heartbeatInterval: 0,
    restartAgentFlag: false,
    traceExpiration: null,
    operations: [],
    packages: [],
    publishers: [],
    onlyTrustedPublishers: false,
    version: 'v1',
  };
  isKnown = true;
  start();
});

function start(): void {
  stopping = new AbortController();
  const report = (run: AgentRun) => void reports.push(run);
  ended = runOperations(
    {
      configuration: () => (isKnown ? configuration : undefined),
      isConfirmed: () => true,
      changed,
      installed,
      client: { request: () => Promise.reject(new Error('No server.')), open: () => Promise.reject(new Error('No server.')) },
      facts: () => ({ DeviceId: deviceId, DeviceName: 'test', TenantId: 't', AgentVersion: '1', ServerUrl: 'http://x' }),
      now: () => new Date(),
      journal: openJournal(
        stateDir,
        () => undefined,
        () => new Date(),
        report,
      ),
      itemFolderOf: () => stateDir,
      takeItems: () => undefined,
      addPacket: ({ deviceOperationId: id }, message) => void packets.push({ id, message }),
      report,
      log: () => undefined,
    },
    stopping.signal,
  );
}

afterEach(async () => {
  stopping.abort();
  await ended;
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(stateDir, { recursive: true, force: true });
});

type Operation = AgentConfiguration['operations'][number];
const idOf = (n: number): string => `0199bbbb-0000-7000-8000-${String(n).padStart(12, '0')}`;
const operation = (name: string, over: Partial<Operation> = {}): Operation => ({
  deviceOperationId: idOf(1),
  label: name,
  packageId: 'p1',
  operation: name,
  frequencyTypeId: 2,
  intervalSeconds: 1,
  isInteractive: false,
  parameters: [],
  completionToken: null,
  ...over,
});
function set(...operations: Operation[]): void {
  configuration = { ...configuration, operations };
  changed.notify();
}

/** Starts the agent again, with or without a stored configuration. */
async function startAgain(withConfiguration = true): Promise<void> {
  stopping.abort();
  await ended;
  reports = [];
  isKnown = withConfiguration;
  start();
}

it('tells a run which run of its operation was the last whose result is stored, also after a restart', async () => {
  const runs = () => packets.map(({ message }) => String(message.Value));
  set(operation('last'));
  await waitUntil(() => packets.length >= 2, 'it runs twice');
  const [first, second] = [runs()[0], runs()[1]].map((text) => /^(\S+): (\S*) after ?(\S*)$/.exec(text ?? ''));
  expect(first?.slice(1)).toEqual([idOf(1), first?.[2], '']);
  expect(second?.[3]).toBe(first?.[2]);
  configuration = { ...configuration, operations: [] };
  await startAgain();
  const before = runs().length;
  set(operation('last'));
  await waitUntil(() => packets.length > before, 'it runs again');
  expect(runs()[before]?.split(' after ')[1]).toBe(/: (\S+)/.exec(runs()[before - 1] ?? '')?.[1]);
});

it('keeps a steady beat that is each operation’s own: late starts do not add up', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  configuration = { ...configuration, operations: [operation('quick')] };
  await startAgain();
  const firstBeat = nextBeat(idOf(1), 1_000, Date.now());
  // Each start belongs to a beat of its own: on time, 400, 300 and 999 ms late, and on time again.
  const starts = [0, 1_400, 2_300, 3_999, 4_000];
  for (const [index, ms] of starts.entries()) {
    vi.setSystemTime(firstBeat + ms);
    changed.notify();
    // Only the end of the run notifies again.
    await changed.wait(60_000, stopping.signal);
    const started = reports.filter((run) => run.ended !== null).map((run) => Date.parse(run.started) - firstBeat);
    expect(started).toEqual(starts.slice(0, index + 1));
  }
  expect(packets.at(-1)?.message).toMatchObject({ Value: 1, States: { RunStatus: 'Success' } });
});

it('derives the beat from the id, without drift, and spreads it over machines', () => {
  const at = nextBeat(idOf(1), 300_000, 1_000_000_000);
  expect(at).toBeGreaterThan(1_000_000_000);
  expect(at % 300_000).toBe(shareOf(idOf(1), 300_000));
  expect(nextBeat(idOf(1), 300_000, at - 1)).toBe(at);
  expect(nextBeat(idOf(1), 300_000, at)).toBe(at + 300_000);
  expect(nextBeat(idOf(1), 300_000, at + 299_999)).toBe(at + 300_000);
  const parts = Array.from({ length: 1_000 }, (_, n) => Math.floor(shareOf(idOf(n), 300_000) / 30_000));
  for (let part = 0; part < 10; part++) expect(parts.filter((item) => item === part).length).toBeGreaterThan(60);
});

it('skips a beat while the run before is going, and says so in one line of the history', async () => {
  set(operation('slow'));
  await waitUntil(() => reports.some((run) => run.status === 'Success'), 'the slow run ends');
  const skipped = reports.filter((run) => run.status === 'Skipped');
  expect(skipped.length).toBeGreaterThanOrEqual(2);
  expect(new Set(skipped.map((run) => run.operationRunId)).size).toBe(1);
  expect(skipped[0]?.message).toBe('Skipped, because the run before it was still going.');
  expect(skipped.at(-1)?.message).toMatch(/This is the case for \d runs\.$/);
  // The slow run was also reported as Running, because it took long.
  expect(reports.some((run) => run.status === 'Running')).toBe(true);
});

it('runs the operations of a new machine at once, and those of a started one at their beat', async () => {
  const rare = operation('quick', { deviceOperationId: idOf(1), intervalSeconds: 100_000_000 });
  await startAgain(false);
  isKnown = true;
  set(rare);
  await waitUntil(() => reports.some((run) => run.status === 'Success'), 'the first run of a new machine');
  await startAgain();
  // The added operation runs at once; the one from before the restart waits for its beat.
  const added = operation('quick', { deviceOperationId: idOf(2), intervalSeconds: 100_000_000 });
  set(rare, added);
  await waitUntil(
    () => reports.some((run) => run.deviceOperationId === idOf(2) && run.status === 'Success'),
    'the run of the added operation',
  );
  expect(reports.filter((run) => run.deviceOperationId === idOf(1))).toEqual([]);
});

it('does not start everything at once: first runs are spread, and the others wait for a free slot', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const operations = Array.from({ length: 60 }, (_, n) => operation('slow', { deviceOperationId: idOf(n), intervalSeconds: 100_000_000 }));
  const enabledAt = Date.now();
  // Returns how many runs are under way when the agent has looked at this time; each has a file in the journal.
  const goingAt = async (ms: number): Promise<number> => {
    vi.setSystemTime(enabledAt + ms);
    changed.notify();
    await new Promise(setImmediate);
    return readdirSync(join(stateDir, 'runs')).filter((name) => name.endsWith('.run')).length;
  };
  configuration = { ...configuration, operations };
  await goingAt(0);
  // One more is due every 250 ms, and each up to a second later. Without the spread, most would be due by now.
  expect(await goingAt(749)).toBeLessThanOrEqual(3);
  // All are due.
  const slots = Math.min(Math.max(4, 2 * availableParallelism()), operations.length);
  expect(await goingAt(20_000)).toBe(slots);
  set();
  await waitUntil(() => reports.filter((run) => run.status === 'Interrupted').length === slots, 'they were stopped');
});

describe('the run mode Interactive', () => {
  const onDemand = (token: number) => operation('who', { frequencyTypeId: 1, isInteractive: true, completionToken: idOf(token) });
  function fakeLoginctl(text: string): void {
    const bin = join(stateDir, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'loginctl'), `#!/bin/sh\n${text}`);
    chmodSync(join(bin, 'loginctl'), 0o755);
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  }
  const sessionOf = (user: string, uid: number) =>
    `case "$1" in list-sessions) echo "  1 0 gdm seat0"; echo "  2 ${uid} ${user} seat0 tty2" ;;
      *) if [ "$2" = 1 ]; then echo Active=yes; echo Class=greeter; echo Name=gdm; else printf 'Name=${user}\\nUser=${uid}\\nLeader=%s\\nActive=yes\\nClass=user\\n' $PPID; fi ;; esac`;

  it.skipIf(process.platform !== 'linux')('says that nobody is signed in', async () => {
    fakeLoginctl('exit 0');
    set(onDemand(11));
    await waitUntil(() => reports.some((run) => run.ended !== null), 'the run ends');
    expect(reports.at(-1)).toMatchObject({
      status: 'Failed',
      message: 'Nobody is signed in at this machine, and the run mode of the operation is Interactive.',
    });
  });

  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('runs as the person who is signed in', async () => {
    fakeLoginctl(sessionOf('nobody', 65_534));
    // Other accounts cannot enter the state folder, which the tests use as TMPDIR.
    vi.stubEnv('TMPDIR', '/tmp');
    set(onDemand(12));
    await waitUntil(() => reports.some((run) => run.ended !== null), 'the run ends');
    expect(reports.at(-1)).toMatchObject({ status: 'Success' });
    expect(reports.at(-1)?.output).toMatch(/^nobody/);
    expect(userInfo().username).not.toBe('nobody');
  });
});

it('does not run a request again that it has begun', async () => {
  const requested = operation('quick', { frequencyTypeId: 1, completionToken: idOf(77) });
  set(requested);
  await waitUntil(() => reports.some((run) => run.ended !== null), 'the run ends');
  set({ ...requested, label: 'renamed' });
  const journal = openJournal(
    stateDir,
    () => undefined,
    () => new Date(),
    () => undefined,
  );
  expect(journal.lastToken(requested.deviceOperationId)).toBe(idOf(77));
  set({ ...requested, completionToken: idOf(78) });
  await waitUntil(() => reports.some((run) => run.operationRunId === idOf(78) && run.ended !== null), 'the newer request ends');
  expect(readFileSync(join(stateDir, 'runs-of-quick'), 'utf8').trim().split('\n')).toHaveLength(2);
});

it('says what is missing: the package, or its operation', async () => {
  const requested = { frequencyTypeId: 1, completionToken: idOf(90) };
  set(operation('quick', { ...requested, packageId: 'p2', packageName: 'Metrics' }));
  await waitUntil(() => reports.some((run) => run.ended !== null), 'the run ends');
  expect(reports.at(-1)).toMatchObject({ status: 'Failed', message: 'The package Metrics is not installed on this machine.' });
  set(operation('other', { ...requested, completionToken: idOf(91) }));
  await waitUntil(() => reports.some((run) => run.operationRunId === idOf(91) && run.ended !== null), 'the run ends');
  expect(reports.at(-1)?.message).toBe('Version 1.0.0 of the package P has no operation other.');
});

it('fills arguments, and leaves out an option without a value', () => {
  const values = new Map([
    ['Warning', '5'],
    ['Host', 'db 1'],
  ]);
  expect(argumentsOf(['-H', '{Host}', '-w', '{Warning}', '-c', '{Critical}', '-v', '--port={Port}', '{"json": 1}'], values)).toEqual([
    '-H',
    'db 1',
    '-w',
    '5',
    '-v',
    '{"json": 1}',
  ]);
});
