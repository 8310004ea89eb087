/** Measures how soon a second server follows a change at the first, and how a server answers while its database hangs. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { agentTokenPath } from '@cloudfit/contract/agent/identity.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import type { AgentPrivateKey } from '../../agent/src/identity/identity-file.ts';
import { joinEmbedded } from '../../server/src/db/embedded/embedded.ts';
import { serverProcess } from '../../server/src/testing/server-process.ts';
import { client, enrol, signIn } from './connections.bench.ts';
import { percentile, type BenchRow } from '../load.ts';
import { addDevices, addToken, caller, findHome, type Call } from '../site.ts';

const samples = 20;
const patienceMs = 30_000;

/** Milliseconds until `isDone` returns true; calls it again without a pause. */
async function until(isDone: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isDone())) if (performance.now() - began > patienceMs) throw new Error('The other server never followed.');
  return performance.now() - began;
}

const rowOf = (name: string, all: readonly number[]): BenchRow => ({
  name,
  figures: { 'slowest ms': percentile(all, 0.9999), 'p50 ms': percentile(all, 0.5) },
});

/** Measures how soon the second server follows a change at the first. `url` is the address of an empty database. */
async function follow(url: string): Promise<BenchRow[]> {
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '8', EXIT_WITH_PARENT: String(process.pid) };
  const [a, b] = [await serverProcess({ databaseUrl: url, env }), await serverProcess({ databaseUrl: url, env })];
  const db = new pg.Client({ connectionString: url });
  try {
    await a.start();
    await b.start();
    await db.connect();
    const home = await findHome(db);
    const all = caller(a.url, await addToken(db, null));
    const { send, close } = client(b.url);
    const authorization = `Bearer ${await addToken(db, home.tenantId)}`;
    const statusAtB = async (header: string, path: string): Promise<number> => (await send('GET', path, { authorization: header })).status;

    const cutOff: number[] = [];
    const audience = `${b.url}${agentTokenPath}`;
    const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as AgentPrivateKey;
    for (const registrationId of await enrol(db, samples, audience, key.x)) {
      const { token } = await signIn(send, key, registrationId, audience);
      const path = '/v1/agent/configuration?wait=0';
      if ((await statusAtB(`Bearer ${token}`, path)) !== 200) throw new Error('The device is not admitted.');
      const { rows } = await db.query<{ id: string | null }>('select device_id as id from pending_device where pending_device_id = $1', [
        registrationId,
      ]);
      await all.call('POST', `/v1/devices/${rows[0]?.id}/cutOff`, {});
      cutOff.push(await until(async () => (await statusAtB(`Bearer ${token}`, path)) === 401));
    }

    const rule = await measureRule(all.call, send, db, authorization);

    const disabled: number[] = [];
    for (let n = 0; n < samples; n++) {
      await all.call('POST', `/v1/tenants/${home.tenantId}`, { enabled: false });
      disabled.push(await until(async () => (await statusAtB(authorization, '/v1/devices?$top=1')) === 401));
      await all.call('POST', `/v1/tenants/${home.tenantId}`, { enabled: true });
      await until(async () => (await statusAtB(authorization, '/v1/devices?$top=1')) === 200);
    }
    all.close();
    close();
    return [
      rowOf(`device cut off at one server, refused by another, ${samples} times`, cutOff),
      rowOf(`tenant disabled at one server, its token refused by another, ${samples} times`, disabled),
      rowOf(`rule enabled or disabled at one server, in force at another, ${2 * samples} times`, rule),
    ];
  } finally {
    await db.end();
    await a.remove();
    await b.remove();
  }
}

/** Enables and disables a rule at the first server. Sends packets of fresh devices to the second until it uses the change. */
async function measureRule(call: Call, send: ReturnType<typeof client>['send'], db: pg.Client, authorization: string): Promise<number[]> {
  const home = await findHome(db);
  const conditions = starterRule.conditions.map((condition) => ({ ...condition, OccurrencePattern: undefined }));
  const { ruleId } = (await call('PUT', '/v1/rules', {
    ...starterRule,
    ...home,
    name: 'Changed elsewhere',
    conditions,
    enabled: false,
  })) as {
    ruleId: string;
  };
  const latencies: number[] = [];
  for (let n = 0; n < samples; n++) {
    const devices = (await addDevices(db, home, 400)).values();
    /** Sends a packet of a fresh device. Returns when it was sent, and whether the rule matched it. */
    const probe = async (): Promise<{ sentAt: number; isMatched: boolean }> => {
      const { value: device } = devices.next();
      if (!device) throw new Error('The rule never changed at the other server.');
      const sentAt = performance.now();
      const packet = { entityId: device.deviceId, message: { Metrics: { Cpu: 97 } } };
      await send('POST', '/v1/packets', { authorization, 'content-type': 'application/json' }, JSON.stringify(packet));
      const { rows } = await db.query('select 1 from rule_match where rule_id = $1 and subject_id = $2', [ruleId, device.deviceId]);
      return { sentAt, isMatched: rows.length > 0 };
    };
    for (const enabled of [true, false]) {
      await call('POST', `/v1/rules/${ruleId}`, { enabled });
      const began = performance.now();
      let sentAt = began;
      await until(async () => {
        const { sentAt: at, isMatched } = await probe();
        sentAt = at;
        return isMatched === enabled;
      });
      latencies.push(sentAt - began);
    }
  }
  return latencies;
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    return false;
  }
}

/** Measures a server whose database hangs: suspends the processes of PostgreSQL, so that its connections stay open. */
async function hang(): Promise<BenchRow[]> {
  const server = await serverProcess({ env: { EXIT_WITH_PARENT: String(process.pid) } });
  const stopped: number[] = [];
  try {
    await server.start();
    const embedded = await joinEmbedded({ dataDir: server.dataDir, log: () => undefined });
    const db = new pg.Client({ connectionString: embedded.url });
    await db.connect();
    const authorization = `Bearer ${await addToken(db, null)}`;
    await db.end();
    const { send, close } = client(server.url);
    const paths = ['/v1/workUnits?$top=5', '/v1/devices?$top=5', '/v1/tenants'];
    for (const path of paths)
      if ((await send('GET', path, { authorization })).status !== 200) throw new Error(`${path} is not answered before the hang.`);
    for (const pid of server.processes().filter(isPostgres)) {
      process.kill(pid, 'SIGSTOP');
      stopped.push(pid);
    }
    const ready = send('GET', '/readyz', {});
    const answers: Promise<{ status: number; ms: number }>[] = [];
    // More requests than the pool has connections, for longer than the server needs to detect the hang.
    for (let n = 0; n < 30; n++) {
      for (const path of paths) answers.push(send('GET', path, { authorization }));
      await sleep(200);
    }
    const [unready, all] = [await ready, await Promise.all(answers)];
    close();
    const refused = all.filter(({ status }) => status === 503);
    return [
      {
        name: `${all.length} requests while the database hangs`,
        figures: {
          'slowest ms': percentile(
            all.map(({ ms }) => ms),
            0.9999,
          ),
          'answered 503': refused.length,
        },
      },
      { name: '/readyz right after the hang began', figures: { ms: Math.round(unready.ms), status: unready.status } },
    ];
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    await server.remove();
  }
}

export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  return [...(await follow(url)), ...(await hang())];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
