/** Which version of the agent is tried next, and what becomes of one that has failed its trial. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageTypes } from '@cloudfit/contract/enums.ts';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { createInstalledRegister, type InstalledPackage, type InstalledRegister } from '../packages/installed.ts';
import { openPackageFolder } from '../packages/package-folder.ts';
import { createSignal } from '../signal.ts';
import { agentVersion } from '../version.ts';
import { awaitOwnVersion, takeBackRefused } from './own-package.ts';
import { openProgramState, type ProgramState } from './program-state.ts';

const typeOf = (label: string) => packageTypes.find((type) => type.label === label)?.value ?? 0;
const [logic, watcher] = [typeOf('AgentLogic'), typeOf('Watcher')];

let folder: string;
let state: ProgramState;
let installed: InstalledRegister;
let logged: string[];
let packages: { packageId: string; packageTypeId: number; [target: string]: unknown }[];
let stopping: AbortController;
const configurationChanged = createSignal();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-package-'));
  state = openProgramState(folder);
  installed = createInstalledRegister();
  [logged, packages, stopping] = [[], [], new AbortController()];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs a version of a package whose executable is its own version as text. */
function install(packageId: string, version: string, packageTypeId = logic): void {
  writeFileSync(join(folder, `agent-${version}`), version);
  const manifest = { executable: `agent-${version}` } as InstalledPackage['manifest'];
  installed.set(packageId, { packageId, packageVersionId: `id of ${version}`, version, folder, manifest });
  packages.push({ packageId, packageTypeId, wanted: { packageVersionId: `id of ${version}` } });
}
const wait = (canSwitch = true) =>
  awaitOwnVersion(
    {
      configuration: () => ({ packages }) as unknown as AgentConfiguration,
      configurationChanged,
      installed,
      state,
      canSwitch,
      log: (level, text) => void logged.push(`${level} ${text}`),
    },
    stopping.signal,
  );
const triedText = (): string => readFileSync(state.plan('0.0.1', 60_000).file ?? '', 'utf8');

it('tries the newest version among the packages of the agent, and of no other package', async () => {
  install('p1', '98.0.0');
  install('p2', '99.1.0');
  install('p3', '99.0.0');
  install('p4', '99.9.0', watcher);
  expect(await wait()).toBe('switch');
  expect([state.isOnTrial(), triedText()]).toEqual([true, '99.1.0']);
});

it('tries neither the version that runs nor one without a supervisor that could take it back', async () => {
  install('p1', agentVersion);
  const ended = wait(false);
  install('p2', '99.0.0');
  await expect.poll(() => logged).toEqual(['warn Version 99.0.0 of the agent is not used: this agent was started without --supervise.']);
  stopping.abort();
  expect([await ended, state.isOnTrial()]).toEqual(['stopped', false]);
});

it('says once that a version was refused, tries an older one, and the same again only after another wish', async () => {
  writeFileSync(join(folder, 'source'), 'x');
  state.propose(join(folder, 'source'), { version: '99.0.0', packageId: 'p1', packageVersionId: 'id of 99.0.0' });
  state.refuse('It did not report.');
  install('p1', '99.0.0');
  const ended = wait();
  await expect.poll(() => logged).toEqual([expect.stringMatching(/^error Version 99.0.0 of the agent is not used: It did not report\./)]);
  configurationChanged.notify();
  await new Promise((resolve) => setTimeout(resolve));
  expect([logged.length, state.refused()?.isReported, state.isOnTrial()]).toEqual([1, true, false]);
  packages = [{ packageId: 'p1', packageTypeId: logic, wanted: null }];
  configurationChanged.notify();
  await expect.poll(() => state.refused()).toBeNull();
  configurationChanged.notify();
  expect([await ended, triedText()]).toEqual(['switch', '99.0.0']);
});

it('takes the version before back for one that was refused, and leaves another one', () => {
  const packageId = '0197a1c0-0000-7000-8000-0000000000aa';
  const [one, two] = ['0197a1c0-0000-7000-8000-000000000001', '0197a1c0-0000-7000-8000-000000000002'];
  const packageFolder = openPackageFolder(join(folder, 'packages'), packageId);
  packageFolder.change({ current: two, previous: one });
  takeBackRefused(folder, state);
  expect(packageFolder.state()).toMatchObject({ current: two, previous: one });
  writeFileSync(join(folder, 'source'), 'x');
  state.propose(join(folder, 'source'), { version: '2.0.0', packageId, packageVersionId: two });
  state.refuse('It did not report.');
  for (let start = 0; start < 2; start += 1) {
    takeBackRefused(folder, state);
    expect(packageFolder.state()).toMatchObject({ current: one, previous: null });
  }
});
