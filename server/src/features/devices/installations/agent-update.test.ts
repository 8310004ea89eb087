/** A real agent that changes to another version of itself, which somebody chose on the server, and back. */
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';
import { buildAgent, ownPlatform } from '../../../testing/built-agent.ts';
import { zipOf } from '../../../testing/packages/zip.ts';

const root = join(import.meta.dirname, '../../../../..');
let folder: string;
let site: AgentSite;
let deviceId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-update-'));
  site = await startAgentSite();
}, 120_000);
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

const wish = (item: { packageId: string; packageVersionId: string }) =>
  site.call('POST', `/v1/deviceInstallations/${deviceId}/packages`, [item]);
const reaches = (packageVersionId: string, status: string) =>
  site.until<{ installed: string | null; detail: string | null }>(
    status,
    `select installed_version_id as installed, status_detail as detail from device_installation
      where device_id = $1 and package_version_id = $2 and install_status = $3`,
    [deviceId, packageVersionId, status],
    90_000,
  );
/** Waits for a report of this version that was received after the call. */
async function reports(version: string): Promise<void> {
  const { rows } = await site.client.query<{ now: string }>('select now()::text as now');
  await site.until(
    `a report of ${version}`,
    `select 1 as one from latest_packet where entity_id = $1 and message->'Properties'->>'AgentVersion' = $2 and received_timestamp > $3`,
    [deviceId, version, rows[0]?.now],
    90_000,
  );
}
/** The file that the process of the agent runs. */
const programOf = (agent: AgentProcess) => readlinkSync(`/proc/${agent.pid()}/exe`);

// Uses /proc, and executables are built on Linux.
it.skipIf(ownPlatform === undefined)(
  'updates itself to the executable of a package, and comes back when the supervisor of the next one does not let it report in time',
  async () => {
    // The server offers the package of the built executable; the running agent has the previous version.
    const built = buildAgent(join(folder, 'dist'), ownPlatform ?? 'linux-x64', '9.0.0');
    if ('reason' in built) throw new Error(built.reason);
    let agent = site.startAgent({}, ['--supervise']);
    deviceId = await site.promote();
    await site.call('POST', `/v1/devices/${deviceId}`, { heartbeatInterval: 1 });
    await reports(JSON.parse(readFileSync(join(root, 'agent/package.json'), 'utf8')).version as string);
    expect(programOf(agent)).toBe(process.execPath);
    const good = await site.upload(readFileSync(`${built.file}.zip`));
    await wish(good);
    await reaches(good.packageVersionId, 'Installed');
    await reports('9.0.0');
    await site.until('the log of the device', "select 1 as one from device_log where device_id = $1 and detail like '%agent 9.0.0.'", [
      deviceId,
    ]);
    // The trial ends when the version that has reported is in use. Then the process that was started first runs this version.
    const inState = () =>
      JSON.parse(readFileSync(join(site.stateDir, 'program/state.json'), 'utf8')) as { current: { version: string } | null };
    await expect.poll(() => inState().current?.version, { timeout: 90_000 }).toBe('9.0.0');
    await expect.poll(() => programOf(agent), { timeout: 90_000 }).toMatch(/\/program\/[^/]+\/cloudfit-agent$/);
    expect(programOf(agent).startsWith(site.stateDir)).toBe(true);

    // A restart of the machine starts the new version. From here on, a version has two seconds to report.
    await agent.stop();
    agent = site.startAgent({ CLOUDFIT_TRIAL_SECONDS: '2' }, ['--supervise']);
    await reports('9.0.0');
    const manifest = {
      name: `CloudFit agent for Linux ${process.arch}`,
      version: '10.0.0',
      type: 'AgentLogic',
      executable: 'cloudfit-agent',
      executableType: 'Executable',
      check: { arguments: ['--check'] },
    };
    // The agent of this executable would work, but its supervisor hangs. It records which program started its supervisor.
    const noted = join(folder, 'started-by');
    const hangs = `#!/bin/sh
case "$1" in
  --check) exit 0 ;;
  --supervise) readlink /proc/$PPID/exe >>'${noted}' && exec sleep 600 ;;
  *) exec '${built.file}' "$@" ;;
esac
`;
    const bad = await site.upload(await zipOf({ 'cloudfit.json': JSON.stringify(manifest), 'cloudfit-agent': hangs }));
    expect(bad.packageId).toBe(good.packageId);
    await wish(bad);
    const row = await reaches(bad.packageVersionId, 'RolledBack');
    expect(row.installed).toBe(good.packageVersionId);
    expect(row.detail).toMatch(
      /^Version 10\.0\.0 was tried and is not used: It did not report within 2 s\. Version 9\.0\.0 is in use again\./,
    );
    await reports('9.0.0');
    expect(programOf(agent).startsWith(site.stateDir)).toBe(true);
    // The supervisor was updated too: the one of 9.0.0 tried this version and rejected it.
    expect([...new Set(readFileSync(noted, 'utf8').trim().split('\n'))]).toEqual([programOf(agent)]);
    await site.until(
      'the log of the device says why',
      "select 1 as one from device_log where device_id = $1 and detail like 'Version 10.0.0 of the agent is not used: It did not report within 2 s.%'",
      [deviceId],
    );
  },
  300_000,
);
