/** Updates of the agent by itself, from one version to another; both run as bundles, the scripts inside the executables. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { packageTypes } from '@cloudfit/contract/enums.ts';
import { openProgramState } from '../../agent/src/program/program-state.ts';
import { startFakeServer, waitUntil, type FakeServer } from '../../agent/src/testing/fake-server.ts';
import { modernNode } from '../run-node.mjs';
import { bundle } from './bundle.mjs';

const node = modernNode();
const ownPackageId = randomUUID();

let bundles: string;
let server: FakeServer;
let stateDir: string;
let running: ChildProcess | undefined;
/** Resolves when the running agent and its child on trial have ended: both hold its output open. */
let ended: Promise<unknown> | undefined;
/** Whether the agent is started again when it ends, as a service manager does. */
let isService = false;

beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), 'agent-bundles-'));
  for (const version of ['1.0.0', '2.0.0']) writeFileSync(join(bundles, `${version}.cjs`), await bundle(version));
}, 60_000);
afterAll(() => rmSync(bundles, { recursive: true, force: true }));
beforeEach(async () => {
  server = await startFakeServer();
  stateDir = mkdtempSync(join(tmpdir(), 'agent-update-'));
});
afterEach(async () => {
  isService = false;
  await kill();
  await server.stop();
  rmSync(stateDir, { recursive: true, force: true, maxRetries: 10 });
});

function start(): ChildProcess {
  const env = { PATH: process.env['PATH'], CLOUDFIT_URL: server.url, CLOUDFIT_TOKEN: 'x', CLOUDFIT_STATE_DIR: stateDir };
  const agent = spawn(node, [join(bundles, '1.0.0.cjs'), '--supervise'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  agent.stdout.resume();
  agent.once('exit', () => isService && start());
  ended = once(agent, 'close');
  running = agent;
  return agent;
}

async function kill(): Promise<void> {
  running?.kill('SIGKILL');
  await ended;
}

/** Installs a package of the agent whose executable is a shell script; returns the id of the version. */
function offer(version: string, script: string, { type = 'AgentLogic', packageId = ownPackageId } = {}): string {
  const packageVersionId = randomUUID();
  const folder = join(stateDir, 'packages', packageId, packageVersionId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cloudfit-agent'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const manifest = {
    name: 'CloudFit agent',
    version,
    type,
    executable: 'cloudfit-agent',
    executableType: 'Executable',
    check: { arguments: ['--check'] },
  };
  writeFileSync(join(folder, 'cloudfit.json'), JSON.stringify(manifest));
  const state = { current: packageVersionId, previous: null, installing: null, removing: null };
  writeFileSync(join(stateDir, 'packages', packageId, 'current'), JSON.stringify(state));
  server.configuration = {
    ...server.configuration,
    version: randomUUID(),
    packages: [
      ...server.configuration.packages,
      {
        packageId,
        name: 'CloudFit agent',
        packageTypeId: packageTypes.find(({ label }) => label === type)?.value,
        executableTypeId: 1,
        installedVersionId: null,
        wishNumber: 1,
        wanted: { packageVersionId, version, executableName: 'cloudfit-agent', fileSize: 1, sha256: 'x', signature: null },
      },
    ] as unknown as FakeServer['configuration']['packages'],
  };
  return packageVersionId;
}

const runs = (version: string) => `exec '${node}' '${join(bundles, `${version}.cjs`)}' "$@"`;
const reported = () => [...server.stored.values()].map(({ message }) => (message.Properties as Record<string, string>)['AgentVersion']);
const lastVersion = () => reported().at(-1);
const state = () => openProgramState(stateDir);
const inUse = () =>
  (JSON.parse(readFileSync(join(stateDir, 'program/state.json'), 'utf8')) as { current: { version: string } | null }).current?.version;
/** Waits for a further report, which must be of this version. */
async function reportsAgain(version: string): Promise<void> {
  const before = server.stored.size;
  await waitUntil(() => server.stored.size > before && lastVersion() === version, `a report of ${version}`);
}

it('goes over to a new version, keeps it when it reports, and starts it again after kill -9', async () => {
  offer('2.0.0', runs('2.0.0'));
  const agent = start();
  await waitUntil(() => lastVersion() === '2.0.0', 'the new version reports');
  await waitUntil(() => !state().isOnTrial(), 'the trial has ended');
  expect([inUse(), state().refused()]).toEqual(['2.0.0', null]);
  // There is one process: the supervisor has become the agent.
  await reportsAgain('2.0.0');
  expect(agent.exitCode).toBeNull();
  await kill();
  start();
  await reportsAgain('2.0.0');
  expect(readdirSync(join(stateDir, 'program')).toSorted()).toHaveLength(2);
}, 60_000);

it('takes a package of each of its types, and of several the newest version, so that they do not take turns', async () => {
  offer('1.0.0', runs('1.0.0'));
  offer('2.0.0', runs('2.0.0'), { type: 'AgentUpdater', packageId: randomUUID() });
  offer('1.5.0', 'exit 3', { type: 'AgentRunner', packageId: randomUUID() });
  start();
  await waitUntil(() => lastVersion() === '2.0.0', 'the newest version reports');
  await waitUntil(() => !state().isOnTrial(), 'the trial has ended');
  const first = reported().indexOf('2.0.0');
  await reportsAgain('2.0.0');
  expect([inUse(), state().refused(), [...new Set(reported().slice(first))]]).toEqual(['2.0.0', null, ['2.0.0']]);
}, 60_000);

it.each([
  ['ends at its start', 'exit 3', /ended with 3 before it reported/],
  ['cannot be started', 'exec /nowhere', /ended with 12[67] before it reported/],
])(
  'comes back from a version that %s, says so, and does not try it again',
  async (_what, script, reason) => {
    offer('2.0.0', script);
    start();
    await waitUntil(() => state().refused()?.isReported === true, 'the old version knows of the refusal');
    expect([state().refused()?.reason, inUse() ?? null]).toEqual([expect.stringMatching(reason), null]);
    await reportsAgain('1.0.0');
    await waitUntil(() => server.logged.some(({ detail }) => reason.test(detail)), 'the log of the device says why');
    expect(state().isOnTrial()).toBe(false);
  },
  60_000,
);

it('comes back from a version that hangs when its time is over', async () => {
  const id = offer('2.0.0', 'exec sleep 600');
  state().propose(join(stateDir, 'packages', ownPackageId, id, 'cloudfit-agent'), {
    version: '2.0.0',
    packageId: ownPackageId,
    packageVersionId: id,
  });
  const file = join(stateDir, 'program/state.json');
  const proposed = JSON.parse(readFileSync(file, 'utf8')) as { candidate: object };
  writeFileSync(file, JSON.stringify({ ...proposed, candidate: { ...proposed.candidate, since: Date.now() - 119_000 } }));
  start();
  await waitUntil(() => lastVersion() === '1.0.0', 'the old version reports');
  expect(state().refused()?.reason).toBe('It did not report within 120 s.');
}, 60_000);

it('comes through kill -9 at any moment of the switch', async () => {
  offer('2.0.0', runs('2.0.0'));
  for (const ms of [150, 300, 450, 600, 900]) {
    start();
    await sleep(ms);
    await kill();
  }
  const before = reported().length;
  isService = true;
  start();
  await waitUntil(() => state().refused() !== null || reported().slice(before).includes('2.0.0'), 'the new version reports or is refused');
  await waitUntil(() => !state().isOnTrial(), 'the trial has ended');
  const version = state().refused() ? '1.0.0' : '2.0.0';
  await reportsAgain(version);
  expect([lastVersion(), state().isOnTrial()]).toEqual([version, false]);
}, 90_000);
