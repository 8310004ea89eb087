/** `demo --live`: lets the devices of the demonstration report until it is stopped, through the API like any device. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { invalidateTokens } from '../auth/invalidate.ts';
import type { Ctx } from '../context/ctx.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { demoId, incidentsAt, operationReadingOf, readingOf, type LiveDevice, type LiveOperation } from '../demo/live.ts';
import { createToken } from '../features/tokens/tokens.served.ts';
import { UsageError } from './command.ts';

export interface LiveOptions {
  db: Db;
  ctx: Ctx;
  seed: number;
  /** Address of the server on this machine. */
  url: string;
  signal: AbortSignal;
  progress: (line: string) => void;
  /** Time between two reports of a device. */
  everyMs?: number;
}

interface LiveTenant {
  tenantId: string;
  token: string;
  devices: LiveDevice[];
  operations: LiveOperation[];
}

const tokenName = 'Live demonstration';
/** Number of tenants of the largest demonstration (`sizes`). */
const maxTenants = 200;
const maxPackets = 1_000;

/** Lets the devices report until `signal` aborts. Returns the number of packets that were sent. */
export async function runLiveDemo(options: LiveOptions): Promise<number> {
  const { db, seed, signal, progress, everyMs = 60_000 } = options;
  const tenantIds = Array.from({ length: maxTenants }, (_, n) => demoId(seed, 'tenant', n + 1));
  await revokeTokens(db, tenantIds);
  let sent = 0;
  try {
    const tenants = await tenantsOf(options, tenantIds);
    if (tenants.length === 0) throw new UsageError(`There is no demonstration of seed ${seed} yet: run the command without --live first.`);
    progress(`${tenants.reduce((sum, { devices }) => sum + devices.length, 0)} devices report each minute until Ctrl-C.`);
    const started = new Date();
    const deviceIds = tenants.flatMap(({ devices }) => devices.map(({ deviceId }) => deviceId));
    while (!signal.aborted) {
      const at = new Date();
      const incidents = incidentsAt(deviceIds, started, at);
      for (const tenant of tenants) {
        const packets = [
          ...tenant.devices.map((device) => ({
            entityId: device.deviceId,
            timestamp: at,
            message: readingOf(device, at, incidents.get(device.deviceId)),
          })),
          ...tenant.operations.map((operation) => ({
            entityId: operation.deviceOperationId,
            timestamp: at,
            message: operationReadingOf(operation, at),
          })),
        ];
        for (let from = 0; from < packets.length && !signal.aborted; from += maxPackets)
          sent += await send(options.url, tenant.token, packets.slice(from, from + maxPackets), progress);
      }
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await revokeTokens(db, tenantIds);
  }
  return sent;
}

/**
 * Loads the tenants with the devices that this command simulates, without devices with a real agent, and creates their tokens.
 */
async function tenantsOf({ db, ctx }: LiveOptions, tenantIds: readonly string[]): Promise<LiveTenant[]> {
  const rows = await db.query<{
    deviceId: string;
    name: string;
    tenantId: string;
    at: string | null;
    disk: number | null;
    uptime: number | null;
  }>({
    text: `select d.device_id as "deviceId", d.name, d.tenant_id as "tenantId", l.timestamp as at,
        (l.message #>> '{Metrics,Disk}')::float8 as disk, (l.message #>> '{Metrics,Uptime}')::float8 as uptime
      from device d left join latest_packet l on l.entity_id = d.device_id
      where d.tenant_id = any($1::uuid[]) and d.enabled and not d.is_deleted and not exists (select from pending_device p where p.device_id = d.device_id)`,
    values: [tenantIds],
  });
  const devices = rows.map(({ at, disk, uptime, ...row }) => ({
    ...row,
    last: { at: at === null ? ctx.now() : new Date(at), disk: disk ?? 50, uptimeSeconds: uptime ?? 0 },
  }));
  const operations = await db.query<LiveOperation & { tenantId: string }>({
    text: `select o.device_operation_id as "deviceOperationId", o.package_name as "packageName", o.tenant_id as "tenantId" from device_operation o
      join device d on d.device_id = o.device_id
      where o.tenant_id = any($1::uuid[]) and o.enabled and not o.is_deleted and d.enabled and not d.is_deleted
        and not exists (select from pending_device p where p.device_id = d.device_id)`,
    values: [tenantIds],
  });
  const tenants: LiveTenant[] = [];
  for (const tenantId of new Set(devices.map((device) => device.tenantId))) {
    const created = await createToken(ctx, { name: tokenName, tenantId, lifetimeYears: 1, scopes: ['ingest'], permissionSetId: null });
    const isOurs = (row: { tenantId: string }) => row.tenantId === tenantId;
    tenants.push({ tenantId, token: created.generatedToken, devices: devices.filter(isOurs), operations: operations.filter(isOurs) });
  }
  return tenants;
}

/** Revokes the tokens of this run, and those that a killed run has left. */
async function revokeTokens(db: Db, tenantIds: readonly string[]): Promise<void> {
  await db.query({
    text: `with revoked as (
  update token_grant set revoked_on = now(), version = version + 1 where name = $1 and revoked_on is null and tenant_id = any($2::uuid[])
  returning tenant_id, token_grant_id
)
${changed(tokens, 'update', 'revoked', 'uuidv7()')}`,
    values: [tokenName, tenantIds],
  });
  await invalidateTokens(db);
}

/** Sends the packets and returns their number. If the server is unreachable, reports that and returns 0. */
function send(url: string, token: string, packets: readonly object[], progress: (line: string) => void): Promise<number> {
  const body = JSON.stringify(packets);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const fail = (reason: string): void => {
      progress(`The packets could not be sent: ${reason}`);
      resolve(0);
    };
    request(`${url}/v1/packets`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve(packets.length) : fail(`status ${answer.statusCode}`)));
    })
      .on('error', (error: NodeJS.ErrnoException) =>
        fail(error.code === 'ECONNREFUSED' ? `no server answers at ${url}; start it with npm start.` : error.message),
      )
      .end(body);
  });
}
