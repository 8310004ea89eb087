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

/** Stops a campaign after a question, or begins again where it failed. */
export async function changeCampaign({ campaignId, waiting, failed }: Campaign, change: 'stop' | 'retryFailed'): Promise<void> {
  if (change === 'stop') {
    const { yes } = await confirm({ title: t.stop, text: t.stopQuestion(waiting), yes: t.stop, no: en.common.cancel, danger: true });
    if (!yes) return;
  }
  try {
    await callJson(`/v1/campaigns/${campaignId}/${change}`, { method: 'POST', body: {} });
    toast.success(change === 'stop' ? t.stopping : t.retrying(failed));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.failed);
  }
  await Promise.all([campaigns, campaignDevices].map(({ name }) => queryClient.invalidateQueries({ queryKey: [name] })));
}
