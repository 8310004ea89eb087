import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import './campaigns.css';

const parts = ['done', 'failed', 'returned', 'stopped', 'running'] as const;

export type OutcomeCounts = Pick<Row<typeof campaigns>, 'total' | 'waiting' | (typeof parts)[number]>;

/** Devices whose outcome is known. Those that a stop left untouched have none. */
const endedOf = ({ total, waiting, running, stopped }: OutcomeCounts): number => total - waiting - running - stopped;

export const progressText = (counts: OutcomeCounts): string => t.progressText(endedOf(counts), counts.total);

/** How many devices have ended, by outcome. */
export function OutcomeBar({ counts }: { counts: OutcomeCounts }) {
  const { total, waiting } = counts;
  return (
    <span className="outcome-bar">
      <span
        className="share"
        role="progressbar"
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor((endedOf(counts) / Math.max(1, total)) * 100)}
      >
        {parts.map((part) => counts[part] > 0 && <i key={part} className={part} style={{ flexGrow: counts[part] }} />)}
        {waiting > 0 && <i style={{ flexGrow: waiting }} />}
      </span>
      <span className="num">{progressText(counts)}</span>
    </span>
  );
}
