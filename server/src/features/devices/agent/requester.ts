import { forbidden, notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** The tenant that an agent acts for: the tenant of its token, which must have the agent scope and cover one tenant only. */
export function requireAgent(ctx: Ctx): string {
  if (ctx.actor.kind !== 'token' || !ctx.actor.scopes.includes('agent')) throw forbidden('Only a token with the scope agent may do this.');
  const [tenantId, ...others] = ctx.tenants === 'all' ? [] : ctx.tenants;
  if (tenantId === undefined || others.length > 0) throw forbidden("An agent's token belongs to one tenant.");
  return tenantId;
}

export interface AgentDevice {
  deviceId: string;
  tenantId: string;
  /** A `deviceLoggingLevelId`. */
  loggingLevelId: number;
}

/** The promoted device of the machine that calls; throws 404 when nobody has promoted it or the device was deleted. */
export async function requireAgentDevice(ctx: Ctx, machineKey: string): Promise<AgentDevice> {
  const tenantId = requireAgent(ctx);
  const [device] = await ctx.db.query<AgentDevice>({
    name: 'agent-device',
    text: `select d.device_id as "deviceId", d.tenant_id as "tenantId", d.device_logging_level_id as "loggingLevelId"
      from pending_device p join device d on d.device_id = p.device_id
      where p.tenant_id = $1 and p.machine_key = $2 and not d.is_deleted`,
    values: [tenantId, machineKey],
  });
  if (!device) throw notFound('The device');
  return device;
}
