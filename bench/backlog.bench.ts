/**
 * Measures the calls and work units of one tenant while the calls of another tenant wait for a receiver that hangs and later
 * answers again in 5 ms.
 */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { served } from '../server/src/app/served.ts';
import { masterKeyOf } from '../server/src/auth/master-key.ts';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import { openTenantSecrets } from '../server/src/auth/tenant-secrets.ts';
import { destinationBreaker } from '../server/src/automation/destinations.ts';
import { runActionJob } from '../server/src/automation/run-action.job.ts';
import { openHopCounts } from '../server/src/context/hop-count.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { writeExecutions } from '../server/src/executions/executions.ts';
import { jobRegistry } from '../server/src/jobs/job.ts';
import { startWorker } from '../server/src/jobs/worker.ts';
import { openOutboundHttp } from '../server/src/outbound/http.ts';
import { openAckLinks } from '../server/src/platform/ack-links.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { percentile, type BenchRow } from './load.ts';

const callCount = Number(process.env['BENCH_CALLS'] ?? 20_000);
/** How long the receiver hangs once the calls are queued. */
const hangMs = 60_000;
const deviceCount = 500;
const answerMs = 5;
/** The number of calls that a worker makes at the same time. */
const outboundSlots = 64;

const sampleEveryMs = 200;

interface BacklogCall {
  path: string;
  at: number;
}

interface BacklogReceiver {
  origin: string;
  received: BacklogCall[];
  /** `true`: the receiver accepts calls and answers none; `false`: it answers all of them. */
  hang(does: boolean): void;
  close(): void;
}

async function receive(): Promise<BacklogReceiver> {
  const received: BacklogCall[] = [];
  let hangs = false;
  const server = http.createServer((request, response) => {
    if (hangs) return;
    received.push({ path: request.url ?? '', at: performance.now() });
    request.resume().on('end', () => setTimeout(() => response.writeHead(204).end(), answerMs));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const hang = (does: boolean): void => {
    hangs = does;
    if (!does) server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, hang, close };
}

async function addTenant(client: pg.Client, origin: string): Promise<{ tenantId: string; actionId: string }> {
  const { rows } = await client.query<{ tenantId: string | null; actionId: string }>(
    `with t as (insert into tenant (name) values ($1) returning tenant_id)
    insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method, body)
    select tenant_id, 'Receiver', 3, $1, 'POST', '{"n": "{n}"}' from t returning tenant_id as "tenantId", action_definition_id as "actionId"`,
    [`${origin}/{device}/{n}`],
  );
  const [row] = rows;
  if (!row?.tenantId) throw new Error('No tenant was made.');
  return { tenantId: row.tenantId, actionId: row.actionId };
}

/** Puts each job into the series of its device: the devices report in turn, and calls about one device keep their order. */
const inOrder = `update job set series = 'device-' || n.n % ${deviceCount}
from (select message_id::text, (input_parameters::jsonb ->> 'n')::int as n from action_history where tenant_id = $1) n where payload ->> 'messageId' = n.message_id`;

/** Seconds in which the receiver takes all calls without a queue, as many at a time as a worker makes. */
async function bareSeconds(origin: string): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: outboundSlots });
  const began = performance.now();
  let left = callCount;
  const callAll = async (): Promise<void> => {
    while (left-- > 0)
      await new Promise((done, failed) => {
        http
          .request(`${origin}/bare`, { agent, method: 'POST' }, (answer) => answer.resume().on('end', done))
          .on('error', failed)
          .end('{}');
      });
  };
  await Promise.all(Array.from({ length: outboundSlots }, callAll));
  agent.destroy();
  return (performance.now() - began) / 1_000;
}

/** The number of calls that arrived after a later call about the same device. */
function outOfOrder(received: readonly BacklogCall[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { path } of received) {
    const [, device = '', n = ''] = path.split('/');
    if ((last.get(device) ?? -1) > Number(n)) count += 1;
    last.set(device, Number(n));
  }
  return count;
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const log = pino({ level: 'silent' });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  await registerServed(database, served);
  const db = database.scoped('all');
  const [back, other] = await Promise.all([receive(), receive()]);
  const [tenant, healthy] = [await addTenant(client, back.origin), await addTenant(client, other.origin)];
  const write = (
    of: { tenantId: string; actionId: string },
    from: number,
    to: number,
    detail: Record<string, unknown> = {},
  ): Promise<void> =>
    db.transaction(async (tx) => {
      await writeExecutions(
        tx,
        Array.from({ length: to - from }, (_, i) => ({
          tenantId: of.tenantId,
          actionDefinitionId: of.actionId,
          messageId: crypto.randomUUID(),
          correlationId: crypto.randomUUID(),
          referenceId: null,
          parameters: { device: `device-${(from + i) % deviceCount}`, n: String(from + i), Title: `Unit ${from + i}` },
          suppressed: false,
          detail,
        })),
      );
      // In the same transaction, so before any call begins.
      if (of === tenant) await tx.query({ text: inOrder, values: [of.tenantId] });
    });
  const inside = { tenantId: healthy.tenantId, actionId: builtInAction.createWorkUnit };
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const outbound = openOutboundHttp({ allow: ['127.0.0.1'], breaker: destinationBreaker(db) });
  const publicUrl = 'https://ops.example.com';
  const worker = await startWorker({
    dataFolder: 'bench',
    database,
    log,
    jobs: jobRegistry([
      runActionJob({
        http: outbound,
        mail: undefined,
        publicUrl,
        secrets: openTenantSecrets(masterKey),
        hopCounts: openHopCounts(masterKey),
        ackLinks: openAckLinks(masterKey, publicUrl),
        push: { key: { publicKey: '', privateKey: '' } },
      }),
    ]),
    ctxFor: ({ correlationId }) => systemCtx({ database, log, name: 'Automation', correlationId }),
  });
  let sampled = 0;
  const unitsOf = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from work_unit where tenant_id = $1', [
      healthy.tenantId,
    ]);
    return rows[0]?.count ?? 0;
  };
  /** Milliseconds until a call of the healthy tenant arrives, and until its work unit exists; repeats until `isOver`. */
  async function measure(isOver: () => boolean): Promise<{ calls: number[]; units: number[] }> {
    const latencies = { calls: [] as number[], units: [] as number[] };
    while (!isOver()) {
      const [n, patience] = [sampled++, performance.now() + 120_000];
      const began = performance.now();
      await write(healthy, n, n + 1);
      while (other.received.length <= n && performance.now() < patience) await sleep(2);
      latencies.calls.push((other.received[n]?.at ?? patience) - began);
      const unitBegan = performance.now();
      await write(inside, n, n + 1, { test: true });
      while ((await unitsOf()) <= n && performance.now() < patience) await sleep(2);
      latencies.units.push(performance.now() - unitBegan);
      await sleep(sampleEveryMs);
    }
    return latencies;
  }
  try {
    const bare = await bareSeconds(other.origin);
    other.received.length = 0;
    const alone = await measure(() => sampled >= 50);

    back.hang(true);
    await write(tenant, 0, callCount);
    await client.query('analyze');
    const hangsUntil = performance.now() + hangMs;
    const beside = await measure(() => performance.now() > hangsUntil);
    back.hang(false);
    const answers = performance.now();
    const during = await measure(() => back.received.length >= callCount || performance.now() > answers + 400_000);
    const seconds = ((back.received.at(-1)?.at ?? Infinity) - answers) / 1_000;
    const calls = [...beside.calls, ...during.calls];
    const units = [...beside.units, ...during.units];
    const repeated = new Set(back.received.map(({ path }) => path)).size - callCount;
    return [
      {
        name: `call of another tenant beside ${callCount} calls that wait for a hung receiver and are then delivered, one worker`,
        figures: {
          'p99 ms': percentile(calls, 0.99),
          'p50 ms': percentile(calls, 0.5),
          'alone p99 ms': percentile(alone.calls, 0.99),
          samples: calls.length,
        },
      },
      {
        name: 'action inside the server (a work unit) of that tenant beside them',
        figures: { 'p99 ms': percentile(units, 0.99), 'p50 ms': percentile(units, 0.5), 'alone p99 ms': percentile(alone.units, 0.99) },
      },
      {
        name: `${callCount} calls delivered after the receiver hung for a minute and answers in ${answerMs} ms again`,
        figures: {
          's until the last': Math.round(seconds * 10) / 10,
          'calls/s': Math.round(back.received.length / seconds),
          'bare calls s': Math.round(bare * 10) / 10,
        },
      },
      {
        name: 'calls among them out of the order of their device, repeated or missing',
        figures: { calls: outOfOrder(back.received) + Math.abs(repeated) + Math.abs(back.received.length - callCount) },
      },
    ];
  } finally {
    await worker.stop();
    await outbound.close();
    await database.close();
    await client.end();
    back.close();
    other.close();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
