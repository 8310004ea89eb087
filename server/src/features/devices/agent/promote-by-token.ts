/** Promotes machines that fit the rule of the token that enrolled them, without a person. */
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { stillMay } from '../../../auth/still-may.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { isInNetworks } from '../../../platform/network.ts';
import { promotePendingDevices } from './promote.ts';

/** What the owner of a token must hold for machines to be promoted by it. */
export const promotion = [permission('PendingDevices', 'edit'), permission('Devices', 'create')] as const;

interface PromotionRule {
  tenant_id: string | null;
  owner_id: string | null;
  promote_to: string | null;
  promote_location_id: string | null;
  promote_names: string | null;
  promote_networks: string[];
  promote_heartbeat: number | null;
}

/** Whether a name fits a pattern in which `*` stands for any text; upper and lower case are the same. */
export function fitsPattern(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'isu').test(name);
}

/** The registration after it: promoted, or as it was when the machine does not fit or the rule cannot be followed. */
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
    const permitted = await Promise.all(promotion.map((one) => stillMay(database.scoped('all'), owner, one, tenantId)));
    if (permitted.includes(false)) return registration;
  }
  // The token promotes in its own name; its owner may, which was looked at above.
  const permissions = [
    ...promotion,
    ...(['PendingDevices', 'Subscriptions', 'Locations', 'Devices'] as const).map((area) => permission(area, 'view')),
  ];
  try {
    const [promoted] = await promotePendingDevices(
      { ...ctx, permissions: new Map([[tenantId, new Set(permissions)]]) },
      [registration.pendingDeviceId],
      { tenantId, subscriptionId },
      {
        ...(rule.promote_heartbeat === null ? {} : { heartbeatInterval: rule.promote_heartbeat }),
        ...(rule.promote_location_id === null ? {} : { locationId: rule.promote_location_id }),
      },
    );
    return promoted ? { ...registration, deviceId: promoted.deviceId } : registration;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Its subscription is gone, for example: the machine waits for a person.
    ctx.log.warn({ err: error, tokenGrantId: ctx.actor.id }, 'A machine could not be promoted by the rule of its token.');
    return registration;
  }
}

function fits(rule: PromotionRule, machineName: string, address: string | undefined): boolean {
  if (rule.promote_names !== null && !fitsPattern(machineName, rule.promote_names)) return false;
  return rule.promote_networks.length === 0 || isInNetworks(address, rule.promote_networks);
}
