import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { campaignDevices, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { Campaign } from './campaigns.view.tsx';

const t = campaignTexts.page;

type CampaignChange = 'stop' | 'return' | 'continue' | 'retryFailed';

/** The number of devices on which the campaign has begun and whose work is not undone. */
export const touchedOf = ({ running, done, failed }: Campaign) => running + done + failed;

interface ChangeCall {
  /** Title and text of the confirmation. Without them, the call needs no confirmation. */
  title?: string;
  question?: string;
  danger?: boolean;
  path: string;
  body?: object;
  message: string;
}

function callOf(campaign: Campaign, change: CampaignChange): ChangeCall {
  const { waiting, failed, ring, rings } = campaign;
  switch (change) {
    case 'stop':
      return campaign.kind === 'ChangeRule'
        ? { title: t.stop, question: t.ruleQuestion(touchedOf(campaign)), danger: true, path: 'stop', message: t.ruleStopping }
        : { title: t.stop, question: t.stopQuestion(waiting), danger: true, path: 'stop', message: t.stopping };
    case 'return':
      return {
        title: campaign.state === 'Running' ? t.return : t.returnOver,
        question: campaign.kind === 'AddOperations' ? t.removeQuestion(touchedOf(campaign)) : t.returnQuestion(touchedOf(campaign)),
        danger: true,
        path: 'stop',
        body: { andReturn: true },
        message: campaign.kind === 'AddOperations' ? t.removing : t.returning,
      };
    case 'continue':
      if (ring + 1 === rings?.length)
        return { title: t.adopt, question: t.adoptQuestion, path: 'continue', body: { ring }, message: t.adopted };
      return {
        title: t.continue,
        question: t.continueQuestion(rings?.[ring + 1]?.devices ?? 0),
        path: 'continue',
        body: { ring },
        message: t.continued,
      };
    case 'retryFailed':
      return { path: 'retryFailed', message: t.retrying(failed) };
  }
}

/** Stops, returns or continues a campaign after a confirmation, or starts it again on the devices where it failed. */
export async function changeCampaign(campaign: Campaign, change: CampaignChange): Promise<void> {
  const { title, question, danger = false, path, body = {}, message } = callOf(campaign, change);
  if (title && question) {
    const { yes } = await confirm({ title, text: question, yes: title, no: en.common.cancel, danger });
    if (!yes) return;
  }
  try {
    await callJson(`/v1/campaigns/${campaign.campaignId}/${path}`, { method: 'POST', body });
    toast.success(message);
  } catch (error) {
    console.warn(error);
    toastFailure(error);
  }
  await Promise.all([campaigns, campaignDevices].map(({ name }) => queryClient.invalidateQueries({ queryKey: [name] })));
}
