import { campaignDevices, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { serve } from '../../resources/served.ts';

export const servedCampaigns = serve(campaigns, 'campaign');

export const servedCampaignDevices = serve(campaignDevices, 'campaign_device');
