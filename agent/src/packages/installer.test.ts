/** Which steps of a package run, in which order, and what is in use afterwards: also after a failure or a kill in the middle. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentPackage } from '@cloudfit/contract/agent/messages.ts';
import { manifestName } from '@cloudfit/contract/packages/manifest.ts';
import type { Client } from '../connection/client.ts';
import { createInstalledRegister, type InstalledRegister } from './installed.ts';
import { createInstaller, RefusedVersion, RolledBack } from './installer.ts';
import { openPackageFolder, type PackageFolder } from './package-folder.ts';
import type { PublisherTrust } from './verify.ts';

const packageId = '0197a1c0-0000-7000-8000-0000000000aa';
const [one, two, three] = [1, 2, 3].map((n) => `0197a1c0-0000-7000-8000-00000000000${n}`) as [string, string, string];

let root: string;
let folder: PackageFolder;
let register: InstalledRegister;
let reports: string[];
let refusals: Record<string, string>;
let trust: PublisherTrust;

/** Puts an unpacked version on the disk, whose steps note their names; `fails` names those that fail. */
function unpacked(id: string, version: string, fails: readonly string[] = []): void {
  const at = join(root, packageId, id);
  mkdirSync(at, { recursive: true });
  const step = (name: string) => ({ arguments: [name], timeLimit: '00:00:30' });
  const manifest = {
    name: 'P',
    version,
    type: 'Watcher',
    executable: 'run.sh',
    executableType: 'Script',
    install: step('install'),
    uninstall: step('uninstall'),
    check: step('check'),
  };
  writeFileSync(join(at, manifestName), JSON.stringify(manifest));
  const failures = fails.map((name) => `[ "$1" = ${name} ] && { echo "No ${name}."; exit 3; }`);
  writeFileSync(join(at, 'run.sh'), [`echo "$1 ${version}" >> "${join(root, 'steps')}"`, ...failures, 'exit 0'].join('\n'));
}
function steps(): string[] {
  const file = join(root, 'steps');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  rmSync(file, { force: true });
  return lines;
}
const wishOf = (id: string | null, installedVersionId: string | null = null): AgentPackage => ({
  packageId,
  name: 'P',
  packageTypeId: 1,
  executableTypeId: 1,
  installedVersionId,
  wanted:
    id === null
      ? null
      : {
          packageVersionId: id,
          version: { [one]: '1.0.0', [two]: '2.0.0', [three]: '3.0.0' }[id] ?? '',
          executableName: 'run.sh',
          fileSize: 1,
          sha256: 'ab',
          signature: null,
          publisher: null,
          comesWithServer: false,
        },
  wishNumber: 1,
});

function installer() {
  register = createInstalledRegister();
  const opened = createInstaller({
    folder,
    client: {} as Client,
    register,
    keys: () => [],
    trust: () => trust,
    refusal: (id) => refusals[id],
    report: ({ status }) => void reports.push(status),
    log: () => undefined,
  });
  opened.open();
  return opened;
}
const fulfil = (wish: AgentPackage) => installer().fulfil(wish, new AbortController().signal);
const inUse = () => register.find(packageId)?.version;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'installer-'));
  folder = openPackageFolder(root, packageId);
  [reports, refusals, trust] = [[], {}, { publishers: [], onlyTrustedPublishers: false }];
  unpacked(one, '1.0.0');
  unpacked(two, '2.0.0');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('installs a version once, and tells the server again only if it does not know', async () => {
  await fulfil(wishOf(one));
  expect([steps(), inUse(), reports]).toEqual([['install 1.0.0', 'check 1.0.0'], '1.0.0', ['Installing', 'Checking', 'Installed']]);
  expect(folder.state()).toEqual({ current: one, previous: null, installing: null, removing: null });
  reports = [];
  await fulfil(wishOf(one, one));
  await fulfil(wishOf(one));
  expect([steps(), inUse(), reports]).toEqual([[], '1.0.0', ['Installed']]);
});

it('keeps the previous version at an update, and no older one', async () => {
  await fulfil(wishOf(one));
  unpacked(two, '2.0.0');
  await fulfil(wishOf(two));
  expect(folder.state()).toMatchObject({ current: two, previous: one });
  unpacked(three, '3.0.0');
  await fulfil(wishOf(three));
  expect(readdirSync(join(root, packageId)).toSorted()).toEqual([two, three, 'current']);
  expect([steps().at(-1), inUse()]).toEqual(['check 3.0.0', '3.0.0']);
});

it.each(['install', 'check'])('goes back to the version before when the %s of the next one fails', async (name) => {
  await fulfil(wishOf(one));
  steps();
  unpacked(two, '2.0.0', [name]);
  const failed = await fulfil(wishOf(two)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(RolledBack);
  expect((failed as Error).message).toMatch(new RegExp(`The ${name} of version 2.0.0 .*No ${name}. Version 1.0.0 is in use again.`));
  expect(steps().slice(-2)).toEqual(['uninstall 2.0.0', 'install 1.0.0']);
  expect([folder.state(), inUse()]).toEqual([{ current: one, previous: null, installing: null, removing: null }, '1.0.0']);
});

it('uses no version when the first one fails', async () => {
  unpacked(one, '1.0.0', ['check']);
  const failed = await fulfil(wishOf(one)).catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(RolledBack);
  expect([folder.state().current, folder.state().installing, inUse()]).toEqual([null, null, undefined]);
});

it('uses no version when the one in use is installed again after a kill, and fails', async () => {
  await fulfil(wishOf(one));
  folder.change({ installing: one });
  unpacked(one, '1.0.0', ['check']);
  const failed = await fulfil(wishOf(one)).catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(RolledBack);
  expect(steps().slice(-2)).toEqual(['check 1.0.0', 'uninstall 1.0.0']);
  expect([folder.state().current, folder.state().installing, inUse()]).toEqual([null, null, undefined]);
});

it('goes on after a kill: it installs the same version again, and takes back another one first', async () => {
  await fulfil(wishOf(one));
  steps();
  folder.change({ installing: one });
  await fulfil(wishOf(one));
  const again = { current: one, previous: null, installing: null, removing: null };
  expect([steps(), folder.state()]).toEqual([['install 1.0.0', 'check 1.0.0'], again]);
  unpacked(two, '2.0.0');
  folder.change({ installing: two });
  await fulfil(wishOf(two));
  expect([steps(), inUse()]).toEqual([['install 2.0.0', 'check 2.0.0'], '2.0.0']);
  unpacked(three, '3.0.0');
  folder.change({ installing: three });
  unpacked(one, '1.0.0');
  await fulfil(wishOf(one));
  expect(steps()).toEqual(['uninstall 3.0.0', 'install 2.0.0', 'install 1.0.0', 'check 1.0.0']);
  expect(folder.state()).toEqual({ current: one, previous: two, installing: null, removing: null });
});

it('removes the package after its uninstall, also after a kill or a failure in between', async () => {
  await fulfil(wishOf(one));
  steps();
  unpacked(one, '1.0.0', ['uninstall']);
  await expect(fulfil(wishOf(null))).rejects.toThrow('No uninstall.');
  expect([folder.state(), inUse(), reports.at(-1)]).toEqual([
    { current: null, previous: null, installing: null, removing: one },
    undefined,
    'Uninstalling',
  ]);
  unpacked(one, '1.0.0');
  await fulfil(wishOf(null));
  expect([steps(), reports.at(-1), existsSync(join(root, packageId))]).toEqual([['uninstall 1.0.0', 'uninstall 1.0.0'], 'Removed', false]);
});

it('uninstalls what a killed removal has left before it installs again', async () => {
  await fulfil(wishOf(one));
  folder.change({ current: null, removing: one });
  steps();
  unpacked(two, '2.0.0');
  await fulfil(wishOf(two));
  expect([steps(), folder.state().removing]).toEqual([['uninstall 1.0.0', 'install 2.0.0', 'check 2.0.0'], null]);
});

it('uses no version that has failed its trial, and says whether another one is in use', async () => {
  refusals = { [two]: 'It did not report.' };
  const first = await fulfil(wishOf(two)).catch((error: unknown) => error);
  expect(first).toMatchObject({ isRolledBack: false, message: 'Version 2.0.0 was tried and is not used: It did not report.' });
  await fulfil(wishOf(one));
  steps();
  unpacked(two, '2.0.0');
  folder.change({ installing: two });
  const failed = await fulfil(wishOf(two)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(RefusedVersion);
  expect(failed).toMatchObject({ isRolledBack: true, message: expect.stringContaining('Version 1.0.0 is in use again.') });
  expect([steps(), folder.state().installing]).toEqual([['uninstall 2.0.0', 'install 1.0.0'], null]);
});

it('runs nothing of a version that its tenant does not trust, or that nobody has signed', async () => {
  trust = { publishers: [], onlyTrustedPublishers: true };
  await expect(fulfil(wishOf(one))).rejects.toThrow('no publisher has signed it');
  trust = { publishers: [], onlyTrustedPublishers: false };
  await expect(fulfil(wishOf(three))).rejects.toThrow('no key of its server');
  expect([steps(), folder.state().installing, inUse()]).toEqual([[], null, undefined]);
});

it('leaves an installation that is stopped for the next start', async () => {
  const stopping = new AbortController();
  const opened = installer();
  writeFileSync(join(root, packageId, one, 'run.sh'), 'sleep 30');
  const ended = opened.fulfil(wishOf(one), stopping.signal).catch((error: unknown) => error);
  await expect.poll(() => reports).toEqual(['Installing']);
  stopping.abort();
  expect(await ended).toBeInstanceOf(Error);
  expect(folder.state()).toMatchObject({ current: null, installing: one });
});
