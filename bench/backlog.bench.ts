/** Delivers calls that waited for a receiver, which is back and answers in 5 ms, while another tenant's calls go on. BENCH_CALLS=20000 for more. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
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
import { percentile, type BenchRow } from './load.ts';

const callCount = Number(process.env['BENCH_CALLS'] ?? 5_000);
const deviceCount = 500;
const answerMs = 5;

interface BacklogCall {
  path: string;
  at: number;
}

async function receive(): Promise<{ origin: string; received: BacklogCall[]; close(): void }> {
  const received: BacklogCall[] = [];
  const server = http.createServer((request, response) => {
    received.push({ path: request.url ?? '', at: performance.now() });
    request.resume().on('end', () => setTimeout(() => response.writeHead(204).end(), answerMs));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
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

/** A call as if it had met an open circuit; devices report in turn. */
const wait = `update job set destination = $2, last_error = 'Waits.', run_at = now() + interval '1 hour', series = 'device-' || n.n % ${deviceCount}
from (select message_id::text, (input_parameters::jsonb ->> 'n')::int as n from action_history where tenant_id = $1) n where payload ->> 'messageId' = n.message_id`;

/** Calls that came before an earlier one about the same device. */
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

/** `url` is that of an empty database, which this bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const log = pino({ level: 'silent' });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  const db = database.scoped('all');
  const [back, other] = await Promise.all([receive(), receive()]);
  const [tenant, healthy] = [await addTenant(client, back.origin), await addTenant(client, other.origin)];
  const call = async (of: { tenantId: string; actionId: string }, from: number, to: number): Promise<void> =>
    db.transaction((tx) =>
      writeExecutions(
        tx,
        Array.from({ length: to - from }, (_, i) => ({
          tenantId: of.tenantId,
          actionDefinitionId: of.actionId,
          messageId: crypto.randomUUID(),
          correlationId: crypto.randomUUID(),
          referenceId: null,
          parameters: { device: `device-${(from + i) % deviceCount}`, n: String(from + i) },
          suppressed: false,
          detail: {},
        })),
      ),
    );
  for (let n = 0; n < callCount; n += 1_000) await call(tenant, n, Math.min(n + 1_000, callCount));
  await client.query(wait, [tenant.tenantId, back.origin]);
  await client.query('insert into destination (tenant_id, origin, failures, paused_until) values ($1, $2, 4, now())', [
    tenant.tenantId,
    back.origin,
  ]);
  await client.query('analyze');
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const outbound = openOutboundHttp({ allow: ['127.0.0.1'], breaker: destinationBreaker(db) });
  const publicUrl = 'https://ops.example.com';
  const started = performance.now();
  const worker = await startWorker({
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
  const latencies: number[] = [];
  try {
    const patience = started + 400_000;
    for (let n = 0; back.received.length < callCount && performance.now() < patience; n += 1) {
      const began = performance.now();
      await call(healthy, n, n + 1);
      while (other.received.length <= n && performance.now() < patience) await sleep(2);
      latencies.push((other.received[n]?.at ?? patience) - began);
      await sleep(200);
    }
  } finally {
    await worker.stop();
    await outbound.close();
    await database.close();
    await client.end();
    back.close();
    other.close();
  }
  const seconds = ((back.received.at(-1)?.at ?? 0) - started) / 1_000;
  return [
    {
      name: `${callCount} calls that waited for a receiver that answers in ${answerMs} ms, one worker`,
      figures: {
        's until the last': Math.round(seconds * 10) / 10,
        'calls/s': Math.round(back.received.length / seconds),
        'repeated or missing':
          new Set(back.received.map(({ path }) => path)).size - back.received.length + callCount - back.received.length,
        'out of order of their device': outOfOrder(back.received),
        'calls of another tenant p50 ms': percentile(latencies, 0.5),
        'calls of another tenant p99 ms': percentile(latencies, 0.99),
      },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
