/**
 * The identity of real agents at a real server: keys that are replaced, cut off or adopted, and what a device may not do for
 * other devices.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importJWK, SignJWT, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assertionType } from '@cloudfit/contract/agent/identity.ts';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';
import { machineOf, newAgentKey } from '../../../testing/enrolled-device.ts';

let site: AgentSite;
let enrolmentToken: string;
let folder: string;
const agents: AgentProcess[] = [];
const proxies: Server[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloudfit-identity-'));
  site = await startAgentSite();
  enrolmentToken = await site.tokenFor(site.tenantId, '--scopes', 'agent');
}, 120_000);
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop('SIGKILL')));
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    proxy.close();
  }
});
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Reply {
  status: number;
  body: Record<string, unknown> & { value?: Record<string, unknown>[]; error?: unknown };
}

async function send(token: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const answer = await fetch(site.server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Reply['body'] };
}

const patience = { interval: 20 };

interface StoredIdentity {
  key: JWK;
  nextKey?: JWK;
  enrolment: { registrationId: string; audience: string };
}
const newStateDir = (): string => join(mkdtempSync(join(folder, 'machine-')), 'state');
const identityOf = (stateDir: string) => JSON.parse(readFileSync(join(stateDir, 'identity.json'), 'utf8')) as StoredIdentity;

/** Signs in as an agent does, by one of its keys. */
async function signIn({ enrolment }: StoredIdentity, key: JWK): Promise<Reply> {
  const seconds = Math.floor(Date.now() / 1_000);
  const assertion = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(enrolment.registrationId)
    .setSubject(enrolment.registrationId)
    .setAudience(enrolment.audience)
    .setExpirationTime(seconds + 60)
    .setJti(randomUUID())
    .sign(await importJWK(key, 'EdDSA'));
  const answer = await fetch(`${site.server.url}/v1/agent/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion: assertion }),
  });
  return { status: answer.status, body: (await answer.json()) as Reply['body'] };
}
const tokenOf = async (identity: StoredIdentity): Promise<string> => String((await signIn(identity, identity.key)).body['access_token']);

async function promote(registrationId: string): Promise<string> {
  const { value } = await site.call('POST', '/v1/pendingdevices/batchpromote', {
    items: [registrationId],
    subscriptionId: site.subscriptionId,
  });
  const deviceId = String((value as { deviceId: string }[])[0]?.deviceId);
  await site.call('POST', `/v1/devices/${deviceId}`, { heartbeatInterval: 1 });
  return deviceId;
}

function startAgent(stateDir: string, env: Record<string, string> = {}): AgentProcess {
  const agent = site.startAgent({ CLOUDFIT_TOKEN: enrolmentToken, CLOUDFIT_STATE_DIR: stateDir, ...env });
  agents.push(agent);
  return agent;
}

/** Starts an agent on a new machine and waits until it sends heartbeats as a device. */
async function startDevice(env: Record<string, string> = {}): Promise<{ agent: AgentProcess; stateDir: string; deviceId: string }> {
  const stateDir = newStateDir();
  const agent = startAgent(stateDir, env);
  await expect.poll(() => existsSync(join(stateDir, 'identity.json')) && identityOf(stateDir).enrolment !== undefined, patience).toBe(true);
  const deviceId = await promote(identityOf(stateDir).enrolment.registrationId);
  await heartbeatAfter(deviceId, '2020-01-01T00:00:00Z');
  return { agent, stateDir, deviceId };
}

/** Waits for a packet of the device that was measured after this time. */
const heartbeatAfter = (deviceId: string, time: string) =>
  site.until(
    'a heartbeat comes',
    'select 1 from latest_packet where entity_id = $1 and timestamp > $2::timestamptz',
    [deviceId, time],
    20_000,
  );

interface Proxy {
  url: string;
  /** Method and path of each request. */
  requests: string[];
}

/** Passes on what agents send. `over` may hold back a request, or its answer after the server has processed it. */
async function startProxy(over: (path: string) => 'pass' | 'keep request' | 'keep answer' = () => 'pass'): Promise<Proxy> {
  const requests: string[] = [];
  const proxy = createServer((from, to) => {
    const path = from.url?.split('?')[0] ?? '';
    requests.push(`${from.method} ${path}`);
    const what = over(path);
    if (what === 'keep request') return void from.resume();
    const onward = request(site.server.url + from.url, { method: from.method, headers: from.headers }, (answer) => {
      if (what === 'keep answer') return void answer.resume();
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  });
  proxies.push(proxy);
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, requests };
}

describe('the key of an agent', () => {
  it('is enrolled once when the agent is killed before the answer to its enrolment', async () => {
    let isKept = true;
    const proxy = await startProxy((path) => (isKept && path === '/v1/agent/register' ? 'keep answer' : 'pass'));
    const stateDir = newStateDir();
    const agent = startAgent(stateDir, { CLOUDFIT_URL: proxy.url });
    await expect.poll(() => existsSync(join(stateDir, 'identity.json')), patience).toBe(true);
    const before = identityOf(stateDir);
    const enrolled = 'select pending_device_id from pending_device where public_key = $1';
    await site.until('the server has enrolled the machine', enrolled, [before.key.x]);
    await agent.stop('SIGKILL');
    expect(identityOf(stateDir).enrolment).toBeUndefined();

    isKept = false;
    startAgent(stateDir, { CLOUDFIT_URL: proxy.url });
    await expect.poll(() => identityOf(stateDir).enrolment !== undefined, patience).toBe(true);
    const after = identityOf(stateDir);
    expect(after.key.x).toBe(before.key.x);
    const { rows } = await site.client.query(enrolled, [after.key.x]);
    expect(rows).toEqual([{ pending_device_id: after.enrolment.registrationId }]);
  });

  it('is replaced once when that is requested, and the old one is refused', async () => {
    const { agent, stateDir, deviceId } = await startDevice();
    const before = identityOf(stateDir);
    await site.call('POST', `/v1/devices/${deviceId}/replaceKey`, {});
    await expect.poll(() => identityOf(stateDir).key.x !== before.key.x, patience).toBe(true);
    const after = identityOf(stateDir);
    expect(after.nextKey).toBeUndefined();
    expect((await signIn(before, before.key)).body).toMatchObject({ error: 'invalid_client' });
    expect((await signIn(after, after.key)).status).toBe(200);
    await heartbeatAfter(deviceId, new Date().toISOString());
    const token = await tokenOf(after);
    expect((await send(token, 'GET', '/v1/agent/configuration')).body).toMatchObject({ deviceId, replaceKey: false });
    expect(identityOf(stateDir).key.x).toBe(after.key.x);
    expect(agent.output().match(/This agent has replaced its key with a new one\./g)).toHaveLength(1);
  });

  it.each([
    ['before the server took the new one', 'keep request', /This agent has replaced its key with a new one\./],
    ['after the server took the new one', 'keep answer', /This machine is device/],
  ] as const)('is the new one after kill -9 %s', async (_when, fault, line) => {
    let isKept = false;
    const proxy = await startProxy((path) => (isKept && path === '/v1/agent/key' ? fault : 'pass'));
    const { agent, stateDir, deviceId } = await startDevice({ CLOUDFIT_URL: proxy.url });
    const before = identityOf(stateDir);
    isKept = true;
    await site.call('POST', `/v1/devices/${deviceId}/replaceKey`, {});
    await expect.poll(() => proxy.requests.includes('POST /v1/agent/key'), patience).toBe(true);
    const isTaken = fault === 'keep answer';
    await expect.poll(async () => (await signIn(before, before.key)).status, patience).toBe(isTaken ? 401 : 200);
    await agent.stop('SIGKILL');
    const killed = identityOf(stateDir);
    expect(killed.key.x).toBe(before.key.x);
    expect((await signIn(killed, killed.nextKey ?? {})).status).toBe(isTaken ? 200 : 401);

    isKept = false;
    const restartedAt = new Date().toISOString();
    const restarted = startAgent(stateDir, { CLOUDFIT_URL: proxy.url, CLOUDFIT_TOKEN: '' });
    await expect.poll(() => restarted.output(), patience).toMatch(line);
    await expect.poll(() => identityOf(stateDir).nextKey, patience).toBeUndefined();
    const after = identityOf(stateDir);
    // The agent uses the next key that it had stored before it sent anything, and has created no third key.
    expect(after.key.x).toBe(killed.nextKey?.x);
    expect((await signIn(after, after.key)).status).toBe(200);
    expect((await signIn(before, before.key)).body).toMatchObject({ error: 'invalid_client' });
    await heartbeatAfter(deviceId, restartedAt);
  });
});

/** Preload script of the agent: makes timeouts of 100 to 300 s 100 times shorter. Other timeouts do not change. */
const shortPauses = `--import=data:text/javascript,${encodeURIComponent(`
  const [start, now] = [globalThis.setTimeout, performance.now.bind(performance)];
  globalThis.setTimeout = (call, ms, ...values) => {
    if (!(ms >= 100_000 && ms <= 300_000)) return start(call, ms, ...values);
    return start(() => {
      performance.now = () => now() + ms;
      try { call(...values); } finally { performance.now = now; }
    }, ms / 100);
  };`)}`;

const packet = (entityId: string) => ({ entityId, timestamp: new Date().toISOString(), message: { Metrics: { Free: 1 } } });
const runOf = (deviceOperationId: string, over: object = {}) => ({
  operationRunId: randomUUID(),
  deviceOperationId,
  completionToken: null,
  status: 'Success',
  started: new Date().toISOString(),
  ended: new Date().toISOString(),
  durationMs: 5,
  exitCode: 0,
  value: null,
  message: 'told by another device',
  progress: null,
  output: null,
  ...over,
});

describe('an agent that is cut off', { timeout: 120_000 }, () => {
  it('is refused everything, says so once, only tries to sign in, and goes on when it is admitted', async () => {
    const proxy = await startProxy();
    const { agent, stateDir, deviceId } = await startDevice({ CLOUDFIT_URL: proxy.url });
    const before = identityOf(stateDir);
    const token = await tokenOf(before);
    const { body } = await send(token, 'GET', '/v1/agent/configuration');
    const operations = body['operations'] as { deviceOperationId: string }[];
    const calls: [path: string, body?: unknown][] = [
      ['/v1/packets', [packet(deviceId)]],
      ['/v1/agent/runs', { runs: [runOf(operations[0]?.deviceOperationId ?? deviceId)] }],
      ['/v1/agent/configuration'],
    ];
    const statuses = () => Promise.all(calls.map(async ([path, sent]) => (await send(token, sent ? 'POST' : 'GET', path, sent)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    // The agent has just started: what it reports may still change the configuration, which ends a poll early.
    const longPoll = async (version: unknown): Promise<number> => {
      const answer = await fetch(`${site.server.url}/v1/agent/configuration?wait=50`, {
        headers: { authorization: `Bearer ${token}`, 'if-none-match': `"${String(version)}"` },
      });
      return answer.status === 200 ? longPoll(((await answer.json()) as { version: unknown }).version) : answer.status;
    };
    const polled = longPoll(body['version']);

    await site.call('POST', `/v1/devices/${deviceId}/cutOff`, {});
    await expect.poll(statuses, patience).toEqual([401, 401, 401]);
    expect(await polled).toBe(401);
    await expect
      .poll(() => agent.output(), patience)
      .toMatch(/error The server refuses this device: This device was cut off by an administrator\./);

    // It tries to sign in every four to eight seconds, and calls nothing else.
    const [firstRequest, began] = [proxy.requests.length, performance.now()];
    const tries = () => proxy.requests.slice(firstRequest);
    await expect.poll(() => tries().length, { interval: 20, timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(performance.now() - began).toBeGreaterThanOrEqual(8_000);
    expect(new Set(tries())).toEqual(new Set(['POST /v1/agent/token']));
    expect(agent.output().match(/The server refuses this device/g)).toHaveLength(1);

    const admittedAt = new Date().toISOString();
    await site.call('POST', `/v1/devices/${deviceId}/admit`, {});
    await heartbeatAfter(deviceId, admittedAt);
    const after = identityOf(stateDir);
    expect(after.key.x).not.toBe(before.key.x);
    expect((await signIn(before, before.key)).body).toMatchObject({ error: 'invalid_client' });
    expect(after.enrolment.registrationId).toBe(before.enrolment.registrationId);
  });

  it('says what to do when it is admitted and has no token, and goes on with one without a restart', async () => {
    const { agent: first, stateDir, deviceId } = await startDevice();
    await first.stop('SIGTERM');
    await site.call('POST', `/v1/devices/${deviceId}/cutOff`, {});
    await site.call('POST', `/v1/devices/${deviceId}/admit`, {});
    const tokenFile = join(stateDir, '..', 'token');
    const agent = startAgent(stateDir, { CLOUDFIT_TOKEN: '', CLOUDFIT_TOKEN_FILE: tokenFile, NODE_OPTIONS: shortPauses });
    await expect
      .poll(() => agent.output(), patience)
      .toMatch(/error This machine is not enrolled, and there is no token that enrols it: please give/);
    const givenAt = new Date().toISOString();
    writeFileSync(tokenFile, enrolmentToken);
    await heartbeatAfter(deviceId, givenAt);
    expect(agent.output()).toContain('This machine is enrolled; its agent signs in by its own key from now on.');
  });
});

describe('the access token of a device', () => {
  interface EnrolledDevice {
    deviceId: string;
    token: string;
    /** A device operation, and a waiting request of it. */
    operation: string;
    requested: string;
  }

  async function enrol(home: { tenantId: string; subscriptionId: string }): Promise<EnrolledDevice> {
    const admin = await site.tokenFor(home.tenantId, '--scopes', 'ingest', '--set', 'Administrator');
    const enrolment = await site.tokenFor(home.tenantId, '--scopes', 'agent');
    const { privateKey, publicKey } = newAgentKey();
    const { body } = await send(enrolment, 'POST', '/v1/agent/register', machineOf({ publicKey }));
    const registrationId = String(body['pendingDeviceId']);
    const promoted = await send(admin, 'POST', '/v1/pendingdevices/batchpromote', {
      items: [registrationId],
      subscriptionId: home.subscriptionId,
    });
    const deviceId = String(promoted.body.value?.[0]?.['deviceId']);
    const key = privateKey.export({ format: 'jwk' }) as JWK;
    const token = await tokenOf({ key, enrolment: { registrationId, audience: String(body['audience']) } });
    await send(admin, 'PUT', `/v1/tenants/${home.tenantId}/secrets`, { name: 'api.key', value: `secret of ${deviceId}` });
    const { id: operationId } = await site.until<{ id: string }>(
      'an operation of a package that comes with the server',
      "select operation_id as id from operation o join package p using (package_id) where p.tenant_id is null and o.name = 'System metrics'",
    );
    const added = await send(admin, 'PUT', '/v1/deviceOperations', {
      deviceId,
      operationId,
      label: 'Mine',
      frequencyTypeId: 1,
      enabled: true,
    });
    const operation = String(added.body['deviceOperationId']);
    const queued = await send(admin, 'POST', `/v1/deviceOperations/${operation}/enqueueOnDemand`, {});
    return { deviceId, token, operation, requested: String(queued.body['completionToken']) };
  }

  async function otherTenant(): Promise<{ tenantId: string; subscriptionId: string }> {
    return site.until<{ tenantId: string; subscriptionId: string }>(
      'another tenant',
      `with t as (insert into tenant (name) values ('Other') returning tenant_id)
       insert into subscription (tenant_id, name) select tenant_id, 'Default' from t
       returning tenant_id as "tenantId", subscription_id as "subscriptionId"`,
    );
  }

  it('reports for this device and its operations alone: packets, runs, installations; and reads no secrets of others', async () => {
    const mine = await enrol(site);
    const others = [await enrol(site), await enrol(await otherTenant())];
    const [sibling, elsewhere] = others as [EnrolledDevice, EnrolledDevice];
    const sent = [
      packet(sibling.deviceId),
      packet(sibling.operation),
      packet(elsewhere.operation),
      packet(mine.operation),
      packet(mine.deviceId),
    ];
    const { value } = (await send(mine.token, 'POST', '/v1/packets', sent)).body;
    expect(value?.map((answer) => [answer['status'], answer['code']])).toEqual([
      ['refused', 'OtherDevice'],
      ['refused', 'OtherDevice'],
      ['refused', 'UnknownEntity'],
      ['stored', undefined],
      ['stored', undefined],
    ]);
    const { rows: stored } = await site.client.query('select entity_id as id from latest_packet where entity_id = any($1::uuid[])', [
      sent.map((packet) => packet.entityId),
    ]);
    expect(stored.map(({ id }) => id).toSorted()).toEqual([mine.operation, mine.deviceId].toSorted());

    const secrets = (deviceOperationId: string) => send(mine.token, 'POST', '/v1/agent/secrets', { deviceOperationId });
    expect((await secrets(mine.operation)).status).toBe(200);
    for (const { operation } of others) expect((await secrets(operation)).status).toBe(404);

    for (const { operation, requested } of others) {
      const runs = [
        runOf(operation),
        runOf(operation, { operationRunId: requested, completionToken: requested }),
        runOf(mine.operation, { operationRunId: requested, completionToken: requested }),
      ];
      for (const run of runs) expect((await send(mine.token, 'POST', '/v1/agent/runs', { runs: [run] })).body).toEqual({ stored: 0 });
      const runsNow = await site.client.query('select status, operation_run_id as id from operation_run where device_operation_id = $1', [
        operation,
      ]);
      expect(runsNow.rows).toEqual([{ status: 'Queued', id: requested }]);
      const waiting = await site.client.query('select completion_token as token from device_operation where device_operation_id = $1', [
        operation,
      ]);
      expect(waiting.rows).toEqual([{ token: requested }]);
    }
    const completed = runOf(mine.operation, { operationRunId: mine.requested, completionToken: mine.requested });
    expect((await send(mine.token, 'POST', '/v1/agent/runs', { runs: [completed] })).body).toEqual({ stored: 1 });
  });

  it('reports no installation that only another device has', async () => {
    const [mine, sibling] = [await enrol(site), await enrol(site)];
    const wished = await site.until<{ package_id: string; package_version_id: string; wish_number: number }>(
      'a wish of the other device',
      'select package_id, package_version_id, wish_number from device_installation where device_id = $1 and package_version_id is not null limit 1',
      [sibling.deviceId],
    );
    await site.client.query('delete from device_installation where device_id = $1', [mine.deviceId]);
    const report = {
      packageId: wished.package_id,
      wantedVersionId: wished.package_version_id,
      wishNumber: wished.wish_number,
      status: 'Installed',
      progress: null,
      detail: null,
      installedVersionId: wished.package_version_id,
    };
    const state = async () =>
      (
        await site.client.query(
          'select install_status, installed_version_id from device_installation where device_id = $1 and package_id = $2',
          [sibling.deviceId, wished.package_id],
        )
      ).rows;
    const before = await state();
    expect((await send(mine.token, 'POST', '/v1/agent/installations', { reports: [report] })).body).toEqual({ stored: 0 });
    expect(await state()).toEqual(before);
    expect((await send(sibling.token, 'POST', '/v1/agent/installations', { reports: [report] })).body).toEqual({ stored: 1 });
  });
});

describe('a machine that registered before agents had keys', () => {
  it('adopts a key at its next registration, once; a second machine with its machine key is refused and shown', async () => {
    const stateDir = newStateDir();
    const machine = machineOf();
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, 'machine-key'), machine.machineKey);
    const { body } = await send(enrolmentToken, 'POST', '/v1/agent/register', machine);
    const registrationId = String(body['pendingDeviceId']);
    const deviceId = await promote(registrationId);
    const keyOf = async () =>
      (
        await site.client.query<{ public_key: string | null }>('select public_key from pending_device where pending_device_id = $1', [
          registrationId,
        ])
      ).rows[0]?.public_key;
    expect(await keyOf()).toBeNull();

    startAgent(stateDir);
    await heartbeatAfter(deviceId, '2020-01-01T00:00:00Z');
    const adopted = identityOf(stateDir);
    expect([await keyOf(), adopted.enrolment.registrationId]).toEqual([adopted.key.x, registrationId]);

    const copy = newStateDir();
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, 'machine-key'), machine.machineKey);
    const second = startAgent(copy);
    await expect
      .poll(() => second.output(), patience)
      .toMatch(/The server did not enrol this machine \(409 Another machine is registered with this machine key/);
    expect(await keyOf()).toBe(adopted.key.x);
    const marked = await site.call('GET', `/v1/devices(${deviceId})`);
    expect(marked['otherMachineOn']).toEqual(expect.any(String));
    await site.until(
      'the log of the device says so',
      "select 1 from device_log where device_id = $1 and detail like 'Another machine (%) tried to register as this one, and was refused.'",
      [deviceId],
    );
    await heartbeatAfter(deviceId, new Date().toISOString());
  });

  it('keeps the first of several keys that come at once', async () => {
    const machine = machineOf();
    const { body } = await send(enrolmentToken, 'POST', '/v1/agent/register', machine);
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { publicKey } = newAgentKey();
        const { status } = await send(enrolmentToken, 'POST', '/v1/agent/register', { ...machine, publicKey });
        return { status, x: publicKey.x };
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const enrolled = await site.client.query('select public_key from pending_device where pending_device_id = $1', [
      body['pendingDeviceId'],
    ]);
    expect(enrolled.rows).toEqual([{ public_key: answers.find(({ status }) => status === 200)?.x }]);
    // Before the promotion, the warning about another machine is on the pending device. Because a key is stored now, a
    // registration without a key is refused, too.
    expect((await site.call('GET', `/v1/pendingdevices(${String(body['pendingDeviceId'])})`))['otherMachineOn']).toEqual(
      expect.any(String),
    );
    expect((await send(enrolmentToken, 'POST', '/v1/agent/register', machine)).status).toBe(409);
  });
});
