/** What the page of a campaign can change: stop, return, begin the next ring, and begin again where it failed. */
import { continueCampaign, pauseCampaign, resumeCampaign, retryCampaign, stopCampaign } from '@cloudfit/contract/calls.ts';
import { isVersionKind } from '@cloudfit/contract/enums.ts';
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { policyRingTexts } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { campaignDevices, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { call } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import type { Campaign } from './campaigns.view.tsx';

const t = campaignTexts.page;
const refreshes = [campaigns.name, campaignDevices.name];

/** The number of devices on which the campaign has begun and whose work is not undone. */
export const touchedOf = ({ running, done, failed }: Campaign) => running + done + failed;

function stopQuestion(campaign: Campaign): string {
  if (campaign.kind === 'ChangePolicy') return policyRingTexts.stopQuestion(touchedOf(campaign));
  return campaign.kind === 'ChangeRule' ? t.ruleQuestion(touchedOf(campaign)) : t.stopQuestion(campaign.waiting);
}

export const stop = command(({ campaignId }: Campaign) => call(stopCampaign, { id: campaignId }), {
  confirm: (campaign) => ({
    title: t.stop,
    text: stopQuestion(campaign),
    yes: t.stop,
    danger: true,
  }),
  done: (_, { kind }) => (isVersionKind(kind) ? t.ruleStopping : t.stopping),
  refreshes,
});

/** Stops the campaign, or undoes one that is over, also on the devices that it has changed. */
export const stopAndReturn = command(({ campaignId }: Campaign) => call(stopCampaign, { id: campaignId, andReturn: true }), {
  confirm: (campaign) => {
    const title = campaign.state === 'Running' ? t.return : t.returnOver;
    const question = campaign.kind === 'AddOperations' ? t.removeQuestion : t.returnQuestion;
    const text = campaign.kind === 'ChangePolicy' ? policyRingTexts.returnQuestion : question(touchedOf(campaign));
    return { title, text, yes: title, danger: true };
  },
  done: (_, { kind }) => (kind === 'AddOperations' ? t.removing : t.returning),
  refreshes,
});

const isInLastRing = ({ ring, rings }: Campaign) => ring + 1 === rings?.length;

/** Begins the next ring; after the last one, a campaign of a rule saves the rule for all devices. */
export const beginNextRing = command(({ campaignId, ring }: Campaign) => call(continueCampaign, { id: campaignId, ring }), {
  confirm: (campaign) => {
    const next = campaign.rings?.[campaign.ring + 1]?.devices ?? 0;
    return isInLastRing(campaign)
      ? { title: t.adopt, text: campaign.kind === 'ChangePolicy' ? policyRingTexts.adoptQuestion : t.adoptQuestion, yes: t.adopt }
      : { title: t.continue, text: t.continueQuestion(next), yes: t.continue };
  },
  done: (_, campaign) => (isInLastRing(campaign) ? t.adopted : t.continued),
  refreshes,
});

export const retryFailed = command(({ campaignId }: Campaign) => call(retryCampaign, { id: campaignId }), {
  done: (_, { failed }) => t.retrying(failed),
  refreshes,
});

export const pause = command(({ campaignId }: Campaign) => call(pauseCampaign, { id: campaignId }), { done: () => t.pauseDone, refreshes });

export const resume = command(({ campaignId }: Campaign) => call(resumeCampaign, { id: campaignId }), { done: () => t.resumed, refreshes });
