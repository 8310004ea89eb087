import { sql } from 'kysely';
import type { RegisterAnswer, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedPendingDevices } from '../pending.served.ts';
import { clearRestartFlag } from '../restart-flag.ts';
import { countEnrolment } from './enrolment.ts';
import { requireAgent } from './requester.ts';

interface Pending {
  pending_device_id: string;
  device_id: string | null;
}

/**
 * Registers an agent when it starts or pings: creates or updates its pending device, and returns its device if it was
 * promoted. A deleted device becomes pending again.
 */
export function registerAgent(ctx: Ctx, input: RegisterRequest): Promise<Omit<RegisterAnswer, 'packageKeys'>> {
  const tenantId = requireAgent(ctx);
  return inTransaction(ctx, async (ctx) => {
    const status = await ping(ctx, tenantId, input);
    if (status?.device_id) {
      await clearRestartFlag(ctx, status.device_id);
      return { status: 'promoted', pendingDeviceId: status.pending_device_id, deviceId: status.device_id };
    }
    const pendingDeviceId = status?.pending_device_id ?? (await keepNew(ctx, tenantId, input));
    return { status: 'pending', pendingDeviceId };
  });
}

async function ping(ctx: Ctx, tenantId: string, input: RegisterRequest): Promise<Pending | undefined> {
  const [pending] = await ctx.db.query<Pending>({
    name: 'agent-ping',
    text: `update pending_device p set machine_name = $3, operating_system = $4, architecture = $5, ip_address = $6, last_ping = $7,
        device_id = (select d.device_id from device d where d.device_id = p.device_id and not d.is_deleted)
      where tenant_id = $1 and machine_key = $2 returning p.pending_device_id, p.device_id`,
    values: [
      tenantId,
      input.machineKey,
      input.machineName,
      input.operatingSystem,
      input.architecture,
      ctx.address ?? null,
      ctx.now().toISOString(),
    ],
  });
  return pending;
}

async function keepNew(ctx: Ctx, tenantId: string, input: RegisterRequest): Promise<string> {
  await countEnrolment(ctx, tenantId);
  const now = ctx.now().toISOString();
  const write = sql`insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, created, last_ping)
    values (${tenantId}, ${input.machineKey}, ${input.machineName}, ${input.operatingSystem}, ${input.architecture}, ${ctx.address ?? null}, ${now}, ${now})
    on conflict (tenant_id, machine_key) do nothing returning *`;
  const row = await writeRecorded(ctx, servedPendingDevices, 'create', write, null);
  if (row) return row.pendingDeviceId;
  // Two simultaneous pings of a new machine: the other one inserted the row.
  const other = await ping(ctx, tenantId, input);
  if (!other) throw new Error('A pending device was neither made nor found.');
  return other.pending_device_id;
}
