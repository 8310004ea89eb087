/**
 * Measures thousands of agents that wait for changes of their configuration: the sign-in, the time until a change has reached
 * all agents, a list of the portal during the change, and the polls of BENCH_CONNECTIONS agents after a restart of the server.
 */
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { agentTokenPath, assertionType } from '@cloudfit/contract/agent/identity.ts';
import { signAssertion } from '../../agent/src/identity/assertion.ts';
import type { AgentPrivateKey } from '../../agent/src/identity/identity-file.ts';
import { serverProcess } from '../../server/src/testing/server-process.ts';
import { databaseMs, percentile, processorMs, residentMb, type BenchRow } from '../load.ts';
import { addDevices, addToken, caller, findHome } from '../site.ts';

const returning = Number(process.env['BENCH_CONNECTIONS'] ?? 10_000);
const connected = Math.min(3_000, returning);
/** The number of devices that one mass edit changes. */
const atOnce = 1_000;
const reading = 40;

interface SimulatedAgent {
  registrationId: string;
  token: string;
  etag: string;
}

interface PollAnswer {
  status: number;
  etag: string;
  body: string;
  ms: number;
}

export function client(url: string) {
  const connections = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
  const send = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<PollAnswer> =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      http
        .request(`${url}${path}`, { agent: connections, method, headers, signal: AbortSignal.timeout(60_000) }, (answer) => {
          const parts: Buffer[] = [];
          answer.on('error', reject);
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              etag: answer.headers.etag ?? '',
              body: Buffer.concat(parts).toString(),
              ms: performance.now() - began,
            }),
          );
        })
        .on('error', reject)
        .end(body);
    });
  return { send, close: () => connections.destroy() };
}

type SendRequest = ReturnType<typeof client>['send'];

/** Adds devices whose machines have all enrolled the same key, which makes no difference here. Returns the registration ids. */
export async function enrol(db: pg.Client, count: number, audience: string, x: string): Promise<string[]> {
  const home = await findHome(db);
  const devices = await addDevices(db, home, count);
  const { rows } = await db.query<{ id: string }>(
    `insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, device_id, public_key, key_created, audience, created, last_ping)
     select $1::uuid, gen_random_uuid(), 'device-' || n, 'linux', 'x64', device_id, $3, now(), $4, now(), now()
     from unnest($2::uuid[]) with ordinality as d (device_id, n) returning pending_device_id as id`,
    [home.tenantId, devices.map((device) => device.deviceId), x, audience],
  );
  await db.query('analyze');
  return rows.map((row) => row.id);
}

/** Signs an agent in. After a 429, tries again one to three seconds later. */
export async function signIn(
  send: SendRequest,
  key: AgentPrivateKey,
  registrationId: string,
  audience: string,
): Promise<{ token: string; ms: number }> {
  const began = performance.now();
  for (;;) {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: await signAssertion(key, { registrationId, audience }, new Date()),
    });
    const { status, body } = await send('POST', agentTokenPath, { 'content-type': 'application/x-www-form-urlencoded' }, form.toString());
    if (status === 200) return { token: (JSON.parse(body) as { access_token: string }).access_token, ms: performance.now() - began };
    if (status !== 429) throw new Error(`A sign-in answered ${status}: ${body.slice(0, 300)}`);
    await sleep(1_000 + Math.random() * 2_000);
  }
}

/** Runs `work` for all items, `width` at a time. */
async function inParallel<T>(all: readonly T[], width: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const one of left) await work(one);
    }),
  );
}

const poll = (send: SendRequest, simulatedAgent: SimulatedAgent, waitSeconds: number): Promise<PollAnswer> =>
  send('GET', `/v1/agent/configuration?wait=${waitSeconds}`, {
    authorization: `Bearer ${simulatedAgent.token}`,
    ...(simulatedAgent.etag === '' ? {} : { 'if-none-match': simulatedAgent.etag }),
  });

function expectStatus(answer: PollAnswer, status: number): PollAnswer {
  if (answer.status !== status) throw new Error(`A poll answered ${answer.status}, not ${status}: ${answer.body.slice(0, 300)}`);
  return answer;
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const db = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await db.connect();
    const audience = `${server.url}${agentTokenPath}`;
    const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as AgentPrivateKey;
    const ids = await enrol(db, returning, audience, key.x);
    const home = await findHome(db);
    const operator = caller(server.url, await addToken(db, home.tenantId));
    let { send, close } = client(server.url);

    const agents: SimulatedAgent[] = [];
    const signIns: number[] = [];
    const signInBegan = performance.now();
    await inParallel(ids, 200, async (registrationId) => {
      const { token, ms } = await signIn(send, key, registrationId, audience);
      signIns.push(ms);
      agents.push({ registrationId, token, etag: '' });
    });
    const signInSeconds = (performance.now() - signInBegan) / 1_000;
    await inParallel(agents, 200, async (item) => void (item.etag = expectStatus(await poll(send, item, 0), 200).etag));

    const waiting = agents.slice(0, connected);
    const delays: number[] = [];
    let changedAt = 0;
    const polls = waiting.map(async (waiter) => {
      waiter.etag = expectStatus(await poll(send, waiter, 55), 200).etag;
      delays.push(performance.now() - changedAt);
    });
    // After five seconds, all polls wait for a change.
    await sleep(5_000);
    const { rows } = await db.query<{ id: string }>(
      'select d.device_id as id from pending_device p join device d using (device_id) where p.pending_device_id = any($1)',
      [waiting.map((registration) => registration.registrationId)],
    );
    const deviceIds = rows.map((row) => row.id);
    const readLists = async (isOver: (read: number) => boolean) => {
      const times: number[] = [];
      while (!isOver(times.length)) {
        const began = performance.now();
        await operator.call('GET', '/v1/devices?$top=50&$orderby=name&$count=true');
        times.push(performance.now() - began);
      }
      return times;
    };
    const alone = await readLists((read) => read === reading);
    const changeProcessor = processorMs(server.pid());
    const changeDatabase = await databaseMs(db);
    changedAt = performance.now();
    const watching = readLists(() => delays.length === connected);
    await Promise.all(
      Array.from({ length: Math.ceil(deviceIds.length / atOnce) }, (_, n) =>
        operator.call('PATCH', '/v1/devices', {
          ids: deviceIds.slice(n * atOnce, (n + 1) * atOnce),
          newState: { heartbeatInterval: 90 },
        }),
      ),
    );
    const savedMs = performance.now() - changedAt;
    const [lists] = await Promise.all([watching, ...polls]);
    const changeMs = processorMs(server.pid()) - changeProcessor;
    const changeDatabaseMs = (await databaseMs(db)) - changeDatabase;

    close();
    await server.kill();
    await server.start();
    ({ send, close } = client(server.url));
    let peakMb = 0;
    const memory = setInterval(() => (peakMb = Math.max(peakMb, residentMb(server.pid()))), 200);
    const returnProcessor = processorMs(server.pid());
    const returnDatabase = await databaseMs(db);
    let errors = 0;
    const back: number[] = [];
    await Promise.all(
      agents.map(async (agent) => {
        try {
          const { status, ms } = await poll(send, agent, 0);
          if (status === 200 || status === 304) back.push(ms);
          else errors += 1;
        } catch {
          errors += 1;
        }
      }),
    );
    const returnMs = processorMs(server.pid()) - returnProcessor;
    const returnDatabaseMs = (await databaseMs(db)) - returnDatabase;
    clearInterval(memory);
    close();
    operator.close();
    return [
      {
        name: `${returning} agents sign in by their keys`,
        figures: { 'p95 ms': percentile(signIns, 0.95), 'sign-ins/s': Math.round(returning / signInSeconds) },
      },
      {
        name: `a change of the configuration of ${connected} agents that wait for it`,
        figures: {
          'last agent ms': Math.max(...delays),
          'p50 ms': percentile(delays, 0.5),
          'saved ms': savedMs,
          'processor ms': changeMs,
          'processor ms, database': changeDatabaseMs,
        },
      },
      {
        name: 'the list of devices while that change is saved and fetched',
        figures: {
          'list beside it p95 ms': percentile(lists, 0.95),
          'list beside it p50 ms': percentile(lists, 0.5),
          'list alone p95 ms': percentile(alone, 0.95),
        },
      },
      {
        name: `${returning} agents at once after a restart of the server`,
        figures: { 'p99 ms': percentile(back, 0.99), errors, 'processor ms': returnMs, 'processor ms, database': returnDatabaseMs },
      },
      { name: 'memory of the server while they return', figures: { 'resident MB at most': peakMb } },
    ];
  } finally {
    await db.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
