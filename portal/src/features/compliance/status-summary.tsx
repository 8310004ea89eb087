import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { signOffTexts } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { countText } from '../../components/count.ts';
import { isChanged, statusOf } from './narrow.ts';
import type { WeekControl } from './use-controls.ts';
import type { Status } from './use-place.ts';

interface StatusSummaryProps {
  controls: readonly WeekControl[];
  /** Statuses of the week before, by the id of the control. */
  before: ReadonlyMap<string, Status>;
  value: Status | undefined;
  isChangedOnly: boolean;
  onChange: (status: Status | undefined) => void;
  onChangedOnly: (only: boolean) => void;
}

const order: readonly Status[] = [...controlStatusValues.slice(1), ...controlStatusValues.slice(0, 1)];

/** How many controls have which status; a click filters the grid by it. */
export function StatusSummary({ controls, before, value, isChangedOnly, onChange, onChangedOnly }: StatusSummaryProps) {
  const counts = new Map<Status, number>();
  for (const control of controls) counts.set(statusOf(control), (counts.get(statusOf(control)) ?? 0) + 1);
  const changed = controls.filter((control) => isChanged(control, before)).length;
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
        {(changed > 0 || isChangedOnly) && (
          <button
            type="button"
            className="btn small quiet"
            title={signOffTexts.changedTip}
            aria-pressed={isChangedOnly}
            onClick={() => onChangedOnly(!isChangedOnly)}
          >
            {signOffTexts.changed(changed)}
          </button>
        )}
      </span>
    </div>
  );
}
