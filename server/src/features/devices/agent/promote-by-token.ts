/** Promotes machines that fit the rule of the token that enrolled them, without a person. */
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { promotionPermissions } from '@cloudfit/contract/resources/tokens.ts';
import { currentPermissions } from '../../../auth/current-permissions.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { isInNetworks } from '../../../platform/network.ts';
import { logDevice } from '../log.served.ts';
import { promotePendingDevices } from './promote.ts';

interface PromotionRule {
  tenant_id: string | null;
  owner_id: string | null;
  promote_to: string | null;
  promote_location_id: string | null;
  promote_names: string | null;
  promote_networks: string[];
  promote_heartbeat: number | null;
}

/** Whether a name matches a pattern in which `*` stands for any text; case is ignored. */
export function fitsPattern(name: string, pattern: string): boolean {
  const text = name.toLowerCase();
  const [start = '', ...parts] = pattern.toLowerCase().split('*');
  const end = parts.pop();
  if (end === undefined) return text === start;
  let at = text.startsWith(start) ? start.length : -1;
  // Matches each part at its first possible place: a regular expression would try all places, which takes long for many `*`.
  for (const part of parts) {
    if (at < 0) return false;
    const place = text.indexOf(part, at);
    at = place < 0 ? -1 : place + part.length;
  }
  return at >= 0 && text.length - end.length >= at && text.endsWith(end);
}

/**
 * Promotes the machine by the rule of the token. Returns the new registration, or the unchanged one if the machine does not
 * match or the rule cannot be applied.
 */
export async function promoteByToken<R extends { pendingDeviceId: string; deviceId: string | null }>(
  ctx: Ctx,
  database: Database,
  registration: R,
  machine: Pick<RegisterRequest, 'machineName'>,
): Promise<R> {
  const [rule] = await ctx.db.query<PromotionRule>({
    name: 'promote-by-token',
    text: `select tenant_id, owner_id, promote_to, promote_location_id, promote_names, promote_networks, promote_heartbeat
      from token_grant where token_grant_id = $1`,
    values: [ctx.actor.id],
  });
  if (!rule?.tenant_id || !rule.promote_to || !fits(rule, machine.machineName, ctx.address)) return registration;
  const { tenant_id: tenantId, promote_to: subscriptionId } = rule;
  if (rule.owner_id !== null) {
    const owner = { kind: 'person', id: rule.owner_id } as const;
    const permitted = await currentPermissions(database.scoped('all'), owner, tenantId);
    if (!promotionPermissions.every((promotionPermission) => permitted.has(promotionPermission))) return registration;
  }
  // The token promotes in its own name with these permissions. If the token has an owner, the owner's permissions were checked
  // above.
  const permissions = [
    ...promotionPermissions,
    ...(['PendingDevices', 'Subscriptions', 'Locations', 'Devices'] as const).map((area) => permission(area, 'view')),
  ];
  try {
    return await inTransaction({ ...ctx, permissions: new Map([[tenantId, new Set(permissions)]]) }, async (ctx) => {
      const [promoted] = await promotePendingDevices(
        ctx,
        [registration.pendingDeviceId],
        { tenantId, subscriptionId },
        {
          ...(rule.promote_heartbeat === null ? {} : { heartbeatInterval: rule.promote_heartbeat }),
          ...(rule.promote_location_id === null ? {} : { locationId: rule.promote_location_id }),
        },
      );
      if (!promoted) return registration;
      const { deviceId, created } = promoted;
      const detail = `Promoted by the rule of the token ${ctx.actor.name}, registered from ${ctx.address ?? 'an unknown address'}.`;
      if (created) await logDevice(ctx, { tenantId, deviceId, detail });
      return { ...registration, deviceId };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The rule cannot be applied, for example because its subscription was deleted: the machine waits for a person.
    ctx.log.warn({ err: error, tokenGrantId: ctx.actor.id }, 'A machine could not be promoted by the rule of its token.');
    return registration;
  }
}

function fits(rule: PromotionRule, machineName: string, address: string | undefined): boolean {
  if (rule.promote_names !== null && !fitsPattern(machineName, rule.promote_names)) return false;
  return rule.promote_networks.length === 0 || isInNetworks(address, rule.promote_networks);
}
