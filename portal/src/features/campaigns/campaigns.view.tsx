import { eq, or } from '@cloudfit/contract/query/build.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { OutcomeBar, progressText } from './outcome-bar.tsx';

const resource = campaigns;

export type Campaign = Row<typeof campaigns>;

const tones: Readonly<Record<Campaign['state'], Tone>> = { Running: 'info', Stopping: 'warn', Stopped: 'warn', Done: 'ok' };

export function CampaignState({ campaign: { state, failed, pausedOn } }: { campaign: Pick<Campaign, 'state' | 'failed' | 'pausedOn'> }) {
  if (pausedOn)
    return (
      <Chip tone="warn" dot>
        {t.page.paused}
      </Chip>
    );
  return (
    <Chip tone={state === 'Done' && failed > 0 ? 'danger' : tones[state]} dot>
      {choiceText(state)}
    </Chip>
  );
}

export const campaignsView = defineView({
  resource,
  icon: 'campaigns',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(resource, 'title'), width: 240 },
    { ...fieldColumn(resource, 'state'), width: 100, cell: (row) => <CampaignState campaign={row} /> },
    { id: 'progress', header: t.progress, width: 190, cell: (row) => <OutcomeBar counts={row} />, text: progressText },
    { ...fieldColumn(resource, 'failed'), width: 80 },
    { ...fieldColumn(resource, 'createdBy'), width: 150 },
    { ...fieldColumn(resource, 'created'), width: 100 },
    { ...fieldColumn(resource, 'ended'), width: 100 },
  ],
  phoneLine: (row) => (
    <>
      <CampaignState campaign={row} />
      <span>{t.progressText(row.total - row.waiting - row.running, row.total)}</span>
      <RelativeTime value={row.created} />
      <span className="ellipsis">
        <PersonName userName={row.createdBy} />
      </span>
    </>
  ),
  base: ({ tenantId }) => [tenantId ? or(eq(resource, 'tenantId', tenantId), eq(resource, 'tenantId', null)) : undefined],
  filters: ['state', 'kind', 'createdBy', 'created'],
  rows: 25,
  pollMs: 10_000,
});
