import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import './campaigns.css';

const parts = ['done', 'failed', 'returned', 'stopped', 'running'] as const;

export type OutcomeCounts = Pick<Row<typeof campaigns>, 'total' | 'waiting' | (typeof parts)[number]>;

export const progressText = ({ total, waiting, running }: OutcomeCounts): string => t.progressText(total - waiting - running, total);

/** How many devices have ended, by outcome. */
export function OutcomeBar({ counts }: { counts: OutcomeCounts }) {
  const { total, waiting, running } = counts;
  const ended = total - waiting - running;
  return (
    <span className="outcome-bar">
      <span
        className="share"
        role="progressbar"
        aria-label={t.progress}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor((ended / Math.max(1, total)) * 100)}
      >
        {parts.map((part) => counts[part] > 0 && <i key={part} className={part} style={{ flexGrow: counts[part] }} />)}
        {waiting > 0 && <i style={{ flexGrow: waiting }} />}
      </span>
      <span className="num">{progressText(counts)}</span>
    </span>
  );
}
