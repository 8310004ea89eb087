import type { RegisterAnswer, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { inTransaction, type Ctx } from '../../../ctx.ts';
import { record } from './record.ts';
import { requireAgent } from './requester.ts';

interface Pending {
  pending_device_id: string;
  device_id: string | null;
  is_new: boolean;
}

/** An agent starts or pings: keeps its pending device, and says which device it has become. A deleted device is pending again. */
export function registerAgent(ctx: Ctx, input: RegisterRequest): Promise<RegisterAnswer> {
  const tenantId = requireAgent(ctx);
  return inTransaction(ctx, async (ctx) => {
    const [pending] = await ctx.db.query<Pending>({
      name: 'agent-register',
      text: `insert into pending_device as p (tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, created, last_ping)
        values ($1, $2, $3, $4, $5, $6, $7, $7)
        on conflict (tenant_id, machine_key) do update set
          machine_name = excluded.machine_name, operating_system = excluded.operating_system, architecture = excluded.architecture,
          ip_address = excluded.ip_address, last_ping = excluded.last_ping,
          device_id = (select d.device_id from device d where d.device_id = p.device_id and not d.is_deleted)
        returning p.pending_device_id, p.device_id, (p.xmax = 0) as is_new`,
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
    if (!pending) throw new Error('An upsert answered no row.');
    const { is_new: isNew, pending_device_id: pendingDeviceId, device_id: deviceId } = pending;
    if (isNew)
      await record(ctx, {
        verb: 'create',
        entity: 'pendingDevices',
        entityId: pendingDeviceId,
        tenantId,
        before: null,
        after: { ...input, ipAddress: ctx.address ?? null },
      });
    return deviceId === null ? { status: 'pending', pendingDeviceId } : { status: 'promoted', pendingDeviceId, deviceId };
  });
}
