import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { countText } from '../../components/count.ts';
import { statusOf } from './narrow.ts';
import type { WeekControl } from './use-controls.ts';
import type { Status } from './use-place.ts';

interface StatusSummaryProps {
  controls: readonly WeekControl[];
  value: Status | undefined;
  onChange: (status: Status | undefined) => void;
}

const order: readonly Status[] = [...controlStatusValues.slice(1), ...controlStatusValues.slice(0, 1)];

/** How many controls have which status; a click filters the grid by it. */
export function StatusSummary({ controls, value, onChange }: StatusSummaryProps) {
  const counts = new Map<Status, number>();
  for (const control of controls) counts.set(statusOf(control), (counts.get(statusOf(control)) ?? 0) + 1);
  return (
    <div className="status-summary">
      <span className="share" aria-hidden>
        {order.map((status) => (
          <i key={status} className={status} style={{ flexGrow: counts.get(status) ?? 0 }} />
        ))}
      </span>
      <span className="row" role="group" aria-label={t.summary}>
        {order.map((status) => (
          <button
            key={status}
            type="button"
            className="btn small quiet"
            aria-pressed={value === status}
            onClick={() => onChange(value === status ? undefined : status)}
          >
            <i className={`mark ${status}`} />
            {t.status[status]}
            <span className="num">{countText(counts.get(status) ?? 0)}</span>
          </button>
        ))}
      </span>
    </div>
  );
}
