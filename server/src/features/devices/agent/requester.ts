import { forbidden, notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** Returns the tenant for which a token enrols machines; the token must have the scope agent and cover one tenant only. */
export function requireEnrolmentToken(ctx: Ctx): string {
  if (ctx.actor.kind !== 'token' || !ctx.actor.scopes.includes('agent')) throw forbidden('Only a token with the scope agent may do this.');
  const [tenantId, ...others] = ctx.tenants === 'all' ? [] : ctx.tenants;
  if (tenantId === undefined || others.length > 0) throw forbidden('A token that enrols machines belongs to one tenant.');
  return tenantId;
}

export interface AgentDevice {
  deviceId: string;
  tenantId: string;
  /** A `deviceLoggingLevelId`. */
  loggingLevelId: number;
}

/** Returns the calling machine; throws 403 for anything but the access token of a device. */
export function requireDeviceToken({ actor }: Pick<Ctx, 'actor'>): { deviceId: string; registrationId: string } {
  if (actor.kind !== 'device')
    throw forbidden(
      'This call needs the access token of a device, which its agent gets by its key. A token of the tenant only enrols machines: please update the agent.',
    );
  return { deviceId: actor.id, registrationId: actor.registrationId };
}

/** Returns the device of the access token; throws 404 if the device was deleted. */
export async function requireAgentDevice(ctx: Ctx): Promise<AgentDevice> {
  const { deviceId } = requireDeviceToken(ctx);
  const [device] = await ctx.db.query<AgentDevice>({
    name: 'agent-device',
    text: `select device_id as "deviceId", tenant_id as "tenantId", device_logging_level_id as "loggingLevelId"
      from device where device_id = $1 and not is_deleted`,
    values: [deviceId],
  });
  if (!device) throw notFound('The device');
  return device;
}
