/** A real agent uninstalls itself: for one device, and as a machine of a customer that comes back after the customer was deleted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';

let site: AgentSite;
let tokenFile: string;
const agentIn = (stateDir: string) => site.startAgent({ CLOUDFIT_TOKEN: '', CLOUDFIT_TOKEN_FILE: tokenFile, CLOUDFIT_STATE_DIR: stateDir });

beforeAll(async () => {
  site = await startAgentSite();
  tokenFile = join(dirname(site.stateDir), 'token');
});
afterAll(() => site.close());

/** Waits until the agent has printed the text, or ended without. */
async function says(agent: AgentProcess, text: string): Promise<void> {
  let isOver = false;
  void agent.ended.then(() => (isOver = true));
  await expect.poll(() => isOver || agent.output().includes(text), { timeout: 40_000 }).toBe(true);
  expect(agent.output()).toContain(text);
}

const refused = async (id: string, body: object): Promise<string> =>
  site.call('POST', `/v1/devices/${id}/uninstall`, body).then(
    () => '',
    (error: Error) => error.message,
  );

it('removes its packages, its key and its token when its device is retired, reports that, and stays away', async () => {
  writeFileSync(tokenFile, await site.tokenFor(site.tenantId, '--scopes', 'agent,ingest'));
  const operations = await site.install(
    {
      name: 'Answers',
      version: '1.0.0',
      type: 'Watcher',
      executable: 'run.sh',
      executableType: 'Script',
      operations: [{ name: 'Answer', frequencies: ['Recurring'], arguments: ['answer'], output: 'json' }],
    },
    { 'run.sh': 'echo \'{"value": 42}\'' },
  );
  const agent = agentIn(site.stateDir);
  const deviceId = await site.promote();
  // A file of somebody else in the folder that the setting names.
  writeFileSync(join(site.stateDir, 'notes.txt'), 'mine');
  const body = { deviceId, operationId: operations['Answer'], label: 'Answer', enabled: true, frequencyTypeId: 2, interval: '00:00:30' };
  await site.call('PUT', '/v1/deviceOperations', body);
  await site.until(
    'the package is installed',
    "select 1 as n from device_installation where device_id = $1 and install_status = 'Installed'",
    [deviceId],
  );
  const [{ name } = { name: '' }] = (await site.client.query<{ name: string }>('select name from device where device_id = $1', [deviceId]))
    .rows;
  expect(await refused(deviceId, { name: 'another' })).toContain(`Please enter the name of the device to confirm: ${name}.`);
  await site.client.query('insert into device (tenant_id, subscription_id, name, parent_device_id) values ($1, $2, $3, $4)', [
    site.tenantId,
    site.subscriptionId,
    'behind it',
    deviceId,
  ]);
  expect(await refused(deviceId, { name })).toContain('behind it depends on');
  await site.client.query('update device set parent_device_id = null where parent_device_id = $1', [deviceId]);
  await site.call('POST', `/v1/devices/${deviceId}/uninstall`, { name });
  expect(await refused(deviceId, { name })).toContain('told to uninstall itself already');

  expect(await agent.ended).toBe(76);
  expect([readdirSync(site.stateDir).toSorted(), existsSync(tokenFile)]).toEqual([['notes.txt', 'uninstalled'], false]);
  const { rows } = await site.client.query(
    `select d.enabled, d.uninstalled_on is not null as done, p.public_key, o.report -> 'removed' as removed, o.report ->> 'stays' as stays,
      (select count(*)::int from audit a where a.entity = 'devices' and a.entity_id = d.device_id::text and (a.after ->> 'uninstallOn') is not null) as audited
      from device d join pending_device p using (device_id) join uninstall_order o using (device_id) where d.device_id = $1`,
    [deviceId],
  );
  expect(rows).toEqual([
    {
      enabled: false,
      done: true,
      public_key: null,
      removed: expect.arrayContaining(['Answers']),
      stays: expect.stringContaining('delete it by hand'),
      audited: expect.any(Number),
    },
  ]);
  expect(Number(rows[0]?.['audited'])).toBeGreaterThan(0);
  const logs = await site.client.query<{ detail: string }>(
    "select detail from device_log where device_id = $1 and detail like 'The agent has%'",
    [deviceId],
  );
  expect(logs.rows.map(({ detail }) => detail)).toEqual([expect.stringMatching(/Removed: .*Answers/)]);

  // A service manager that starts it again gets no machine back.
  const again = agentIn(site.stateDir);
  await says(again, 'was uninstalled by its server');
  await again.stop();
  expect(readdirSync(site.stateDir).toSorted()).toEqual(['notes.txt', 'uninstalled']);
}, 120_000);

it('follows no order that its server has not signed for it, and one of its customer when it comes back after the deletion', async () => {
  const stateDir = `${site.stateDir}-2`;
  mkdirSync(stateDir);
  writeFileSync(tokenFile, await site.tokenFor(site.tenantId, '--scopes', 'agent,ingest'));
  const first = agentIn(stateDir);
  const { id } = await site.until<{ id: string }>(
    'the second machine registers',
    'select pending_device_id as id from pending_device where tenant_id = $1 and public_key is not null and device_id is null',
    [site.tenantId],
  );
  const { value } = await site.call('POST', '/v1/pendingdevices/batchpromote', { items: [id], subscriptionId: site.subscriptionId });
  const deviceId = (value as { deviceId: string }[])[0]?.deviceId ?? '';
  await site.until('it reports', 'select 1 as n from latest_packet where entity_id = $1', [deviceId]);
  // Whoever answers in the server's place has another key.
  const pinned = join(stateDir, 'package-keys');
  const foreignKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const keys = readFileSync(pinned, 'utf8');
  writeFileSync(pinned, JSON.stringify([foreignKey]));
  const order = `insert into uninstall_order (tenant_id, device_id, registration_id, public_key, audience, until)
    select tenant_id, device_id, pending_device_id, public_key, audience, now() + interval '1 hour' from pending_device where device_id = $1`;
  await site.client.query('update device set cut_off_on = now() where device_id = $1', [deviceId]);
  await site.client.query(order, [deviceId]);
  await site.client.query('notify devices');
  await says(first, 'not signed by the server');
  expect(existsSync(join(stateDir, 'identity.json'))).toBe(true);
  await first.stop();
  writeFileSync(pinned, keys);
  await site.client.query('delete from uninstall_order where device_id = $1', [deviceId]);
  await site.client.query('update device set cut_off_on = null where device_id = $1', [deviceId]);

  // The customer leaves while the machine is off.
  const [{ offboarding_id: offboardingId } = { offboarding_id: '' }] = (
    await site.client.query<{ offboarding_id: string }>(
      `with t as (update tenant set enabled = false where tenant_id = $1 returning tenant_id, name)
        insert into offboarding (customer_id, customer_name, delete_on, reason, requested_by, steps)
        select tenant_id, name, now() + interval '1 day', 'leaves', 'test', '{"access": {}}' from t returning offboarding_id`,
      [site.tenantId],
    )
  ).rows;
  const steps = 'select steps -> $2 as machines from offboarding where offboarding_id = $1';
  const ordered = await site.until<{ machines: object }>(
    'machines are told',
    `${steps} and steps ? 'archive'`,
    [offboardingId, 'machines'],
    60_000,
  );
  expect(ordered.machines).toMatchObject({ ordered: 1, uninstalled: 0, waiting: [expect.any(String)] });
  await site.client.query("update offboarding set delete_on = now() - interval '1 second' where offboarding_id = $1", [offboardingId]);
  const { proof } = await site.until<{ proof: object }>(
    'the deletion',
    "select proof from offboarding where offboarding_id = $1 and state = 'Deleted'",
    [offboardingId],
    60_000,
  );
  expect(proof).toMatchObject({ agentsUninstalled: 0, agentsNotReached: 1 });
  expect((await site.client.query('select tenant_id, device_id from uninstall_order')).rows).toEqual([
    { tenant_id: null, device_id: null },
  ]);
  const back = agentIn(stateDir);
  expect(await back.ended).toBe(76);
  expect(readdirSync(stateDir)).toEqual(['uninstalled']);
  const after = await site.until<{ machines: object }>('the report', steps, [offboardingId, 'machines']);
  expect(after.machines).toMatchObject({ ordered: 1, uninstalled: 1, waiting: [] });
}, 240_000);
