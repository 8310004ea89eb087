/** The rings of a campaign: how far each is, and what the present one waits for. */
import { isVersionKind } from '@cloudfit/contract/enums.ts';
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { campaignDevices, type CampaignRing } from '@cloudfit/contract/resources/campaigns.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { clockTime } from '../../theme/times.ts';
import { PersonName } from '../../rows/person-name.tsx';
import { useGroups } from '../../rows/use-rows.ts';
import type { Campaign } from './campaigns.view.tsx';
import { OutcomeBar, type OutcomeCounts } from './outcome-bar.tsx';

const t = campaignTexts.page;

interface RingOutcome {
  ring: number;
  outcome: string;
  n: number;
}

const partOf: Readonly<Record<string, keyof OutcomeCounts>> = {
  Waiting: 'waiting',
  Running: 'running',
  Returning: 'running',
  Done: 'done',
  Failed: 'failed',
  Stopped: 'stopped',
  Returned: 'returned',
};

/**
 * The outcomes of a ring. In a ring that has not begun all devices count as waiting, also when the campaign was stopped
 * before that ring.
 */
function countsOf(groups: readonly RingOutcome[], ring: number, { devices: total }: CampaignRing, hasBegun: boolean): OutcomeCounts {
  const counts = { total, waiting: 0, running: 0, done: 0, failed: 0, stopped: 0, returned: 0 };
  if (!hasBegun) return { ...counts, waiting: total };
  for (const group of groups) if (group.ring === ring) counts[partOf[group.outcome] ?? 'waiting'] += group.n;
  return counts;
}

function stateOf({ ring, state, ringPassed, rings }: Campaign, at: number): readonly [string, Tone] {
  if (rings?.[at]?.skippedBy) return [t.ringStates.skipped, 'warn'];
  if (at > ring) return [t.ringStates.after, 'plain'];
  if (at < ring || state === 'Done') return [t.ringStates.before, 'ok'];
  if (state !== 'Running') return [state, 'warn'];
  return ringPassed ? [t.ringStates.paused, 'info'] : [t.ringStates.now, 'info'];
}

function Wait({ campaign: { kind, rings, ring, ringPassed, ringNote, ringUntil, pauseMinutes } }: { campaign: Campaign }) {
  if (!ringPassed) return <span>{ringUntil ? t.watching(clockTime(ringUntil), ringNote ?? '') : ringNote}</span>;
  return (
    <span>
      {isVersionKind(kind) && ring + 1 === rings?.length ? t.pauseUntilAll : t.pauseUntil}{' '}
      <RelativeTime value={new Date(Date.parse(ringPassed) + pauseMinutes * 60_000).toISOString()} />
    </span>
  );
}

function gateText({ kind, gate, pauseMinutes }: Campaign): string {
  return [
    ...(gate ? [(kind === 'ChangeRule' ? t.gateOfRule : t.gate)(gate.minShare)] : []),
    ...(gate?.heartbeat ? [t.gateHeartbeat] : []),
    ...(gate && gate.ruleIds.length > 0 ? [t.gateRules(gate.ruleIds.length)] : []),
    ...(pauseMinutes > 0 ? [t.gatePause(pauseMinutes)] : []),
  ].join(', ');
}

export function CampaignRings({ campaign }: { campaign: Campaign }) {
  const { campaignId, rings, ring, state } = campaign;
  const { data } = useGroups<RingOutcome>(campaignDevices, {
    apply: `filter(${eq(campaignDevices, 'campaignId', campaignId)})/groupby((ring,outcome),aggregate($count as n))`,
  });
  if (!rings) return null;
  return (
    <section aria-label={t.rings}>
      <ol className="campaign-rings">
        {rings.map((item, at) => {
          const { share, filter, skippedBy, skippedAt } = item;
          const [text, tone] = stateOf(campaign, at);
          return (
            <li key={at} aria-current={at === ring ? 'step' : undefined}>
              <span className="ellipsis" title={filter}>
                <strong>{t.ring(at + 1)}</strong> {share === undefined ? (filter === undefined ? t.others : t.ofTag) : t.upTo(share)}
              </span>
              <OutcomeBar counts={countsOf(data?.rows ?? [], at, item, at <= ring)} />
              <Chip tone={tone} dot>
                {text}
              </Chip>
              {skippedBy && skippedAt ? (
                <span>
                  {t.skippedBy} <PersonName userName={skippedBy} /> <RelativeTime value={skippedAt} />
                </span>
              ) : at === ring && state === 'Running' ? (
                <Wait campaign={campaign} />
              ) : (
                <span />
              )}
            </li>
          );
        })}
      </ol>
      <span className="faint">{gateText(campaign)}</span>
    </section>
  );
}
