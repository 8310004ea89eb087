import { permission } from '@cloudfit/contract/permissions.ts';
import { campaignDevices, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { may } from '../../context/ctx.ts';
import { sql } from '../../db/sql.ts';
import { serve } from '../../resources/served.ts';

/** A campaign of several tenants counts devices of all of them, so only those who see them all see it. */
export const servedCampaigns = serve(campaigns, 'campaign', {
  rowsFor: (ctx, t) =>
    may(ctx, permission(campaigns.area, 'view'), null) ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} is not null`,
});

export const servedCampaignDevices = serve(campaignDevices, 'campaign_device');
