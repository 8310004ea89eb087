/** A real agent runs what a policy gives its machine, from its enrolment on, also when the server is killed meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from '../../testing/packages/zip.ts';
import { startAgentSite, type AgentSite } from '../../testing/agent-site.ts';

let site: AgentSite;
let operationId: string;
let deviceId: string;

beforeAll(async () => {
  site = await startAgentSite();
  const manifest = {
    name: 'Checks of policies',
    version: '1.0.0',
    type: 'Watcher',
    executable: 'run.sh',
    executableType: 'Script',
    operations: [{ name: 'answer', frequencies: ['Recurring'], arguments: ['answer'], output: 'json' }],
  };
  operationId = (await site.install(manifest, { 'run.sh': 'echo \'{"value": 42}\'' }))['answer'] ?? '';
}, 120_000);
afterAll(() => site.close());

const reported = `select o.device_operation_id as id, k.message ->> 'Value' as value from device_operation o join latest_packet k on k.entity_id = o.device_operation_id
where o.device_id = $1 and o.label = 'Answer' and not o.is_deleted`;
const once = `select count(*)::int as operations, count(*) filter (where d.tags = 'by policy')::int as tagged from device_operation o join device d on d.device_id = o.device_id
where o.device_id = $1 and o.label = 'Answer' and not o.is_deleted`;

it('gets the operation at its enrolment, runs it, and has it once after a kill of the server', async () => {
  const { deviceSelectionId } = await site.call('PUT', '/v1/deviceSelections', {
    name: 'All machines',
    tenantId: site.tenantId,
    filter: 'enabled eq true',
  });
  await site.call('PUT', '/v1/policies', {
    name: 'Answer',
    tenantId: site.tenantId,
    deviceSelectionId,
    tags: 'by policy',
    operations: [{ operationId, label: 'Answer', frequencyTypeId: 2, interval: '00:00:30', parameters: [] }],
  });
  site.startAgent();
  deviceId = await site.promote();
  await site.server.kill();
  await site.server.start();
  const { value } = await site.until<{ value: string }>('a result of the operation of the policy', reported, [deviceId], 120_000);
  expect(value).toBe('42');
  const { rows } = await site.client.query<object>(once, [deviceId]);
  expect(rows).toEqual([{ operations: 1, tagged: 1 }]);
}, 200_000);

it('gets packages of a channel, tags, values for rules and a heartbeat, and loses them on the machine when it leaves', async () => {
  const manifest = { name: 'Tool', type: 'Watcher', executable: 'run.sh', executableType: 'Script' };
  const upload = async (version: string) =>
    site.upload(await zipOf({ 'cloudfit.json': JSON.stringify({ ...manifest, version }), 'run.sh': 'true' }));
  const { packageId } = await upload('1.0.0');
  const { packageVersionId } = await upload('1.1.0-rc.1');
  const place = { tenantId: site.tenantId };
  const selection = { name: 'In', ...place, filter: 'enabled eq true' };
  const { deviceSelectionId } = await site.call('PUT', '/v1/deviceSelections', selection);
  const content = {
    tags: 'tool',
    heartbeatInterval: 7,
    ruleValues: 'limit = 5',
    packages: [{ packageId, packageVersionId: null, preReleases: true }],
  };
  await site.call('PUT', '/v1/policies', { name: 'Tool', ...place, deviceSelectionId, rank: 1, ...content });
  const installed = `select i.installed_version_id as id, d.tags, d.heartbeat_interval as seconds, d.rule_values as rules from device_installation i join device d using (device_id)
    where i.device_id = $1 and i.package_id = $2 and i.install_status = 'Installed' and i.installed_version_id = $3`;
  const has = await site.until<Record<string, unknown>>(
    'the pre-release is installed',
    installed,
    [deviceId, packageId, packageVersionId],
    60_000,
  );
  expect(has).toEqual({ id: packageVersionId, tags: expect.stringContaining('tool'), seconds: 7, rules: 'limit = 5' });
  const folder = join(site.stateDir, 'packages', packageId);
  expect(existsSync(folder)).toBe(true);
  // The agent itself beats by it.
  const beats =
    'select 1 as n from packet where entity_id = $1 and received_timestamp > now() - make_interval(secs => 15) having count(*) >= 2';
  await site.until('the agent beats every 7 seconds', beats, [deviceId], 60_000);

  await site.call('POST', `/v1/deviceSelections/${deviceSelectionId}`, { filter: "name eq 'nobody'" });
  const removedText = `select tags, heartbeat_interval as seconds, rule_values as rules from device d where device_id = $1 and heartbeat_interval <> 7
    and not exists (select from device_installation i where i.device_id = d.device_id and i.package_id = $2)`;
  const left = await site.until<Record<string, unknown>>('the package is removed', removedText, [deviceId, packageId], 60_000);
  expect(left).toEqual({ tags: 'by policy', seconds: 60, rules: null });
  expect(existsSync(folder)).toBe(false);
}, 200_000);
