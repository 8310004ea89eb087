/** On whose behalf and with whose permissions a campaign works. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { currentPermissions } from '../../auth/current-permissions.ts';
import type { Actor, Ctx } from '../../context/ctx.ts';

export interface CampaignOwner {
  tenant_id: string | null;
  created_by: string;
  owner_kind: Actor['kind'];
  owner_id: string | null;
  rule_id: string | null;
}

const of = 'select tenant_id, created_by, owner_kind, owner_id, rule_id from campaign where campaign_id = $1';

/**
 * Returns the person or token that started the campaign, with their present permissions: the records of the campaign name them,
 * and the campaign can do nothing that they may not do. Undefined if they may no longer edit devices of the tenant, or rules
 * for a campaign that changes a rule.
 */
export async function ownerOf(ctx: Ctx, campaignId: string): Promise<Pick<Ctx, 'actor' | 'permissions'> | undefined> {
  const [campaign] = await ctx.db.query<CampaignOwner>({ name: 'campaign-owner', text: of, values: [campaignId] });
  if (!campaign) return undefined;
  const { tenant_id: tenantId, created_by: name, owner_kind: kind, owner_id: id } = campaign;
  if (id === null || kind === 'system' || kind === 'device') return { actor: ctx.actor, permissions: ctx.permissions };
  const actor: Actor =
    kind === 'person'
      ? { kind, id, name, userName: name }
      : // `actorName` adds the suffix again.
        { kind, id, name: name.replace(/ \(token\)$/, ''), scopes: [] };
  const permissions = await currentPermissions(ctx.db, actor, tenantId);
  const mayStill =
    permissions.has(permission('Devices', 'edit')) && (campaign.rule_id === null || permissions.has(permission('Rules', 'edit')));
  return mayStill ? { actor, permissions: new Map([[tenantId ?? '*', permissions]]) } : undefined;
}
