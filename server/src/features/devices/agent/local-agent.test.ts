import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentLogs, registerRequest, type AgentPacket } from '@cloudfit/contract/agent/messages.ts';
import { createDeviceTokens, looksLikeDeviceToken, type DeviceTokens } from '../../../auth/device-tokens.ts';
import { hashIntegrationToken } from '../../../auth/integration-token.ts';
import { masterKeyOf } from '../../../auth/master-key.ts';
import { loadPackageKey } from '../../../auth/package-key.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { openDatabase, type Database } from '../../../db/connection.ts';
import { registerServed } from '../../../resources/served.ts';
import { served } from '../../../app/served.ts';
import { testDatabase, type TestDatabase } from '../../../testing/database.ts';
import { agentConfiguration } from './configuration.ts';
import { watchDevices, type DeviceWatch } from './device-watch.ts';
import { storeAgentLogs } from './store-logs.ts';
import { startLocalAgent } from './local-agent.ts';
import { registerAgent } from './register.ts';
import { openSignIn, type SignIn } from './sign-in.ts';

let test: TestDatabase;
let database: Database;
let watch: DeviceWatch;
let system: Ctx;
let server: Server;
let url: string;
let dataDir: string;
let packets: AgentPacket[];
let logged: string;
let deviceTokens: DeviceTokens;
let signIn: SignIn;

beforeEach(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  await registerServed(database, served);
  watch = await watchDevices(database, () => undefined);
  logged = '';
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const log = pino({}, { write: (line: string) => (logged += line) });
  deviceTokens = createDeviceTokens(database, masterKey);
  signIn = openSignIn({ database, deviceTokens, packageKey: await loadPackageKey(database.scoped('all'), masterKey), log });
  system = systemCtx({ database, log, name: 'test' });
  packets = [];
  dataDir = await mkdtemp(join(tmpdir(), 'local-agent-'));
  server = createServer((request, response) => {
    void serve(request.url ?? '', request.headers.authorization ?? '', request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: { status?: number; body?: object }) =>
        response.writeHead(error.status ?? 500, { 'content-type': 'application/json' }).end(JSON.stringify(error.body ?? {})),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await watch.close();
  await database.close();
  await test.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Serves the agent's calls by the server's functions, without HTTP. */
async function serve(path: string, authorization: string, body: AsyncIterable<Buffer>): Promise<unknown> {
  let text = '';
  for await (const chunk of body) text += chunk.toString();
  if (path === '/healthz') return { status: 'ok' };
  if (path === '/v1/agent/token') {
    const { status, body } = await signIn({ now: () => new Date() }, new URLSearchParams(text));
    if (status !== 200) throw Object.assign(new Error('Refused.'), { status, body });
    return body;
  }
  const ctx = await callerOf(authorization.slice(7));
  if (path === '/v1/agent/register') return registerAgent(ctx, registerRequest.parse(JSON.parse(text)), { publicUrl: url, database });
  if (path === '/v1/agent/logs') return storeAgentLogs(ctx, agentLogs.parse(JSON.parse(text)));
  if (path === '/v1/packets') {
    const batch = JSON.parse(text) as AgentPacket[];
    packets.push(...batch);
    return { value: batch.map(({ entityId }, index) => ({ index, entityId, status: 'stored' })) };
  }
  // A short poll, so that the test does not wait at its end; the agent polls again.
  return agentConfiguration(ctx, watch, { waitSeconds: 1 });
}

async function callerOf(token: string): Promise<Ctx> {
  if (looksLikeDeviceToken(token)) return { ...system, ...(await deviceTokens.check(token)) };
  const [grant] = await query<{ token_grant_id: string; tenant_id: string | null; scopes: string[] }>(
    'select token_grant_id, tenant_id, scopes from token_grant where token_hash = $1',
    hashIntegrationToken(token),
  );
  if (!grant?.tenant_id) throw Object.assign(new Error('No such token.'), { status: 401 });
  return {
    ...system,
    actor: { kind: 'token', id: grant.token_grant_id, name: 'local', scopes: grant.scopes },
    tenants: [grant.tenant_id],
    db: database.scoped([grant.tenant_id]),
  };
}

const query = <T>(text: string, ...values: unknown[]) => database.scoped('all').query<T>({ text, values });

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds());) {
    if (Date.now() > end) throw new Error(`Did not come about within a minute: ${what}\n${logged}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('local agent', () => {
  it('shows this machine at the first start, comes back when killed, and stays one device', async () => {
    const agent = await startLocalAgent(system, { dataDir, url });
    await until(() => packets.length > 0, 'the first heartbeat');
    const [device] = await query<Record<string, unknown>>(
      'select d.*, t.name as tenant, s.name as subscription from device d join tenant t using (tenant_id) join subscription s using (subscription_id)',
    );
    expect(device).toMatchObject({ heartbeat_interval: 5, tenant: 'My organisation', subscription: 'Default' });
    expect(packets[0]).toMatchObject({ entityId: device?.['device_id'] });
    expect((await stat(join(dataDir, 'agent', 'token'))).mode & 0o777).toBe(0o600);
    expect(
      await query(
        'select 1 from token_grant where token_hash = $1',
        hashIntegrationToken((await readFile(join(dataDir, 'agent', 'token'), 'utf8')).trim()),
      ),
    ).toHaveLength(1);

    const beforeKill = packets.length;
    process.kill(await agentPid(), 'SIGKILL');
    await until(() => packets.length > beforeKill, 'a heartbeat after the kill');
    expect(logged).toMatch(/signal SIGKILL/);
    const pid = await agentPid();
    await agent.stop();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);

    const beforeStart = packets.length;
    const again = await startLocalAgent(system, { dataDir, url });
    await until(() => packets.length > beforeStart, 'a heartbeat after the second start');
    await again.stop();
    for (const table of ['tenant', 'subscription', 'device', 'pending_device', 'token_grant'])
      expect([table, (await query(`select 1 from ${table}`)).length]).toEqual([table, 1]);
    expect(logged).not.toContain((await readFile(join(dataDir, 'agent', 'token'), 'utf8')).trim());
  });

  it('leaves a deleted device and a revoked token as people left them', async () => {
    const agent = await startLocalAgent(system, { dataDir, url });
    await until(() => packets.length > 0, 'the first heartbeat');
    await agent.stop();
    await query('update device set is_deleted = true, version = version + 1');
    const second = await startLocalAgent(system, { dataDir, url });
    await until(
      async () => (await query('select 1 from pending_device where device_id is null')).length === 1,
      'the machine is pending again',
    );
    await second.stop();
    // A start looks for the pending machine at once, and its stop waits for the result.
    await (await startLocalAgent(system, { dataDir, url })).stop();
    expect(await query('select 1 from device where not is_deleted')).toHaveLength(0);

    await query('update token_grant set revoked_on = now()');
    const third = await startLocalAgent(system, { dataDir, url });
    expect(logged).toMatch(/token of the local agent was revoked/);
    await third.stop();
    expect(await query('select 1 from token_grant')).toHaveLength(1);
  });
});

/** Returns the process id of the agent, which is a child of this process. */
async function agentPid(): Promise<number> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ');
  for (const pid of children) if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('agent/src/main.ts')) return Number(pid);
  throw new Error('No agent runs.');
}
