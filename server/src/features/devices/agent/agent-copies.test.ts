/** Real agents whose state folder was copied to another machine, at a real server: two machines are never one device. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';

let site: AgentSite;
let enrolmentToken: string;
let folder: string;
const agents: AgentProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloudfit-copies-'));
  site = await startAgentSite();
  enrolmentToken = await site.tokenFor(site.tenantId, '--scopes', 'agent');
}, 240_000);
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop('SIGKILL')));
});
afterAll(async () => {
  await (site as AgentSite | undefined)?.close();
  rmSync(folder, { recursive: true, force: true });
});

const patience = { interval: 50, timeout: 60_000 };

/** Makes the files of a machine from which the agent reads its facts. */
function machine(nth: number): string {
  const root = mkdtempSync(join(folder, 'root-'));
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/machine-id'), `4f1c2f0e0c5d4f7e9b0a1d2c3b4a59${nth}0\n`);
  mkdirSync(join(root, 'sys/class/net/eth0/device'), { recursive: true });
  writeFileSync(join(root, 'sys/class/net/eth0/address'), `52:54:00:12:34:${nth}0\n`);
  return root;
}

interface Machine {
  agent: AgentProcess;
  stateDir: string;
  root: string;
}
const identityOf = ({ stateDir }: Pick<Machine, 'stateDir'>) =>
  JSON.parse(readFileSync(join(stateDir, 'identity.json'), 'utf8')) as {
    key: { x: string };
    enrolment?: { registrationId: string };
    copiedFrom?: object;
  };

function start(stateDir: string, root: string, token = ''): Machine {
  const agent = site.startAgent({ CLOUDFIT_TOKEN: token, CLOUDFIT_STATE_DIR: stateDir, CLOUDFIT_SYSTEM_ROOT: root });
  agents.push(agent);
  return { agent, stateDir, root };
}

const heartbeatAfter = (deviceId: string, time: string) =>
  site.until('a heartbeat comes', 'select 1 from latest_packet where entity_id = $1 and timestamp > $2::timestamptz', [deviceId, time]);

async function promote(registrationId: string | undefined): Promise<string> {
  const { value } = await site.call('POST', '/v1/pendingdevices/batchpromote', {
    items: [registrationId],
    subscriptionId: site.subscriptionId,
  });
  const deviceId = String((value as { deviceId: string }[])[0]?.deviceId);
  await site.call('POST', `/v1/devices/${deviceId}`, { heartbeatInterval: 1 });
  return deviceId;
}

/** Starts an agent on a machine and waits until it reports as a device. */
async function startDevice(root = machine(1)): Promise<Machine & { deviceId: string }> {
  const started = start(join(mkdtempSync(join(folder, 'machine-')), 'state'), root, enrolmentToken);
  await expect
    .poll(() => existsSync(join(started.stateDir, 'identity.json')) && identityOf(started).enrolment !== undefined, patience)
    .toBe(true);
  const deviceId = await promote(identityOf(started).enrolment?.registrationId);
  await heartbeatAfter(deviceId, '2020-01-01T00:00:00Z');
  return { ...started, deviceId };
}

function copy({ stateDir }: Machine): string {
  const copied = join(mkdtempSync(join(folder, 'machine-')), 'state');
  for (let left = 20; ; left--) {
    try {
      cpSync(stateDir, copied, { recursive: true, force: true });
      return copied;
    } catch (error) {
      // The running agent has replaced a file meanwhile.
      if (left === 0) throw error;
    }
  }
}

/** Waits until the copy has enrolled as a machine of its own, and returns its registration. */
const enrolledCopy = async (copied: Machine, original: Machine) => {
  await expect
    .poll(() => identityOf(copied).key.x !== identityOf(original).key.x && identityOf(copied).enrolment?.registrationId, patience)
    .toBeTruthy();
  return site.until<{ id: string; device_id: string | null; copied_from: string }>(
    'the copy is a pending device',
    'select pending_device_id as id, device_id, copied_from from pending_device where pending_device_id = $1',
    [identityOf(copied).enrolment?.registrationId],
  );
};
const warnings = async (deviceId: string) =>
  (
    await site.client.query<{ detail: string }>(
      "select detail from device_log where device_id = $1 and entry_type = 'Warning' order by created",
      [deviceId],
    )
  ).rows.map((row) => row.detail);
const isMarked = async (deviceId: string) =>
  (
    await site.client.query<{ marked: boolean }>('select other_machine_on is not null as marked from device where device_id = $1', [
      deviceId,
    ])
  ).rows[0]?.marked;

it(
  'a copy on a machine with other facts enrols by itself as a new pending device, and the old device is untouched',
  { timeout: 180_000 },
  async () => {
    const original = await startDevice();
    const before = identityOf(original);
    const name = (await site.call('GET', `/v1/devices/${original.deviceId}`))['name'];
    const copied = start(copy(original), machine(2));
    const pending = await enrolledCopy(copied, original);
    expect(pending).toMatchObject({ device_id: null, copied_from: name });
    expect(identityOf(copied).copiedFrom).toBeUndefined();
    expect(identityOf(original)).toEqual(before);
    expect(await warnings(original.deviceId)).toEqual([
      expect.stringMatching(/^A copy of this machine \(.*\) has enrolled as a new pending device\.$/),
    ]);
    expect(await isMarked(original.deviceId)).toBe(true);
    const otherId = await promote(pending.id);
    expect(otherId).not.toBe(original.deviceId);
    await heartbeatAfter(otherId, '2020-01-01T00:00:00Z');
    await heartbeatAfter(original.deviceId, new Date().toISOString());
    expect(copied.agent.output()).toContain(`This machine is device ${otherId}`);
    expect(copied.agent.output()).not.toContain(`This machine is device ${original.deviceId}`);
  },
);

it(
  'a copy with the same facts is noticed, runs nothing of the device, and enrols as a new pending device',
  { timeout: 180_000 },
  async () => {
    const original = await startDevice();
    // The run tells which agent it belongs to.
    const operations = await site.install(
      {
        name: 'Whose',
        version: '1.0.0',
        type: 'Watcher',
        executable: 'run.sh',
        executableType: 'Script',
        operations: [{ name: 'Ask', frequencies: ['OnDemand'] }],
      },
      { 'run.sh': 'echo $PPID' },
    );
    const operation = await site.call('PUT', '/v1/deviceOperations', {
      deviceId: original.deviceId,
      operationId: operations['Ask'],
      label: 'Ask',
      frequencyTypeId: 1,
      enabled: true,
    });
    const id = String(operation['deviceOperationId']);
    const ask = () => site.call('POST', `/v1/deviceOperations/${id}/enqueueOnDemand`, {});
    await ask();
    const runs = (count: number) =>
      site.until(
        'it has run',
        'select from (select count(*) as n from operation_run where device_operation_id = $1 and ended is not null) r where n >= $2',
        [id, count],
      );
    await runs(1);
    const copied = start(copy(original), original.root);
    await expect.poll(() => copied.agent.output(), patience).toMatch(/This machine is device/);
    await ask();
    await enrolledCopy(copied, original);
    await runs(2);
    const { rows } = await site.client.query<{ value: string | null }>(
      'select distinct value from operation_run where device_operation_id = $1',
      [id],
    );
    expect(rows.map((row) => Number(row.value))).toEqual([original.agent.pid()]);
    expect(await warnings(original.deviceId)).toContainEqual(
      expect.stringMatching(/^Another machine runs with a copy of the identity of this device\./),
    );
    expect(await isMarked(original.deviceId)).toBe(true);
    await heartbeatAfter(original.deviceId, new Date().toISOString());
  },
);

it('an agent that is killed or restarted is not taken for a copy, and one changed fact is told', { timeout: 180_000 }, async () => {
  const device = await startDevice();
  const before = identityOf(device);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await agents.at(-1)?.stop(signal);
    const startedAt = new Date().toISOString();
    const again = start(device.stateDir, device.root);
    await expect.poll(() => again.agent.output(), patience).toMatch(/This machine is device/);
    await heartbeatAfter(device.deviceId, startedAt);
  }
  await site.call('POST', `/v1/devices/${device.deviceId}/restartagent`, {});
  await site.until('the agent has restarted', 'select 1 from device where device_id = $1 and not restart_agent_flag', [device.deviceId]);
  expect(await warnings(device.deviceId)).toEqual([]);
  await agents.at(-1)?.stop('SIGTERM');
  writeFileSync(join(device.root, 'sys/class/net/eth0/address'), '52:54:00:77:77:77\n');
  start(device.stateDir, device.root);
  await expect
    .poll(() => warnings(device.deviceId), patience)
    .toContain('This machine has changed: the first network card is another one than before.');
  expect([await isMarked(device.deviceId), identityOf(device).key.x]).toEqual([false, before.key.x]);
});
