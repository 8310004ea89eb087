/** A receiver of outbound calls that answers well, slowly, with an error or never, and workers that call it. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { masterKeyOf } from '../../auth/master-key.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { openTenantSecrets } from '../../auth/tenant-secrets.ts';
import { runActionJob } from '../../automation/run-action.job.ts';
import { openHopCounts } from '../../context/hop-count.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import type { OutboundHttp } from '../../outbound/http.ts';
import { openAckLinks } from '../../platform/ack-links.ts';
import { silent, type Flow } from '../../rules/testing/flow.ts';

export type ReceiverMood = 'well' | 'hang' | 'drip' | 'broken';

interface ReceivedCall {
  /** The first label of the host name that was called. */
  readonly host: string;
  readonly path: string;
  /** The idempotency key. */
  readonly key: string;
}

export interface TestReceiver {
  readonly port: number;
  readonly calls: ReceivedCall[];
  /** Ends the calls that hang. */
  endCalls(): void;
  close(): void;
}

export async function openReceiver(moodOf: (call: ReceivedCall) => ReceiverMood): Promise<TestReceiver> {
  const calls: ReceivedCall[] = [];
  const server = http.createServer((request, response) => {
    const host = (request.headers.host ?? '').split('.')[0] ?? '';
    const call = { host, path: request.url ?? '', key: String(request.headers['idempotency-key']) };
    calls.push(call);
    const mood = moodOf(call);
    if (mood === 'well') response.end('noted');
    if (mood === 'broken') response.writeHead(503).end();
    if (mood !== 'drip') return;
    response.writeHead(200, { 'content-length': '100000' });
    const drops = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drops));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const endCalls = () => server.closeAllConnections();
  const close = () => {
    endCalls();
    server.close();
  };
  return { port, calls, endCalls, close };
}

/** A worker that runs the actions of a flow. */
export function startActionWorker({ database }: Flow, outbound: OutboundHttp): Promise<Worker> {
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const publicUrl = 'https://ops.example.com';
  const job = runActionJob({
    http: outbound,
    mail: undefined,
    publicUrl,
    secrets: openTenantSecrets(masterKey),
    hopCounts: openHopCounts(masterKey),
    ackLinks: openAckLinks(masterKey, publicUrl),
    push: { key: { publicKey: '', privateKey: '' } },
  });
  return startWorker({
    dataFolder: 'test',
    database,
    log: silent,
    jobs: jobRegistry([job]),
    ctxFor: ({ correlationId }) => systemCtx({ database, log: silent, name: 'Automation', correlationId }),
  });
}

/** SQL that inserts an action of the tenant `$1` that posts to the address `$2`; returns its id. */
export const addHook = `insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method) values ($1, 'Hook', 3, $2, 'POST') returning action_definition_id as id`;
