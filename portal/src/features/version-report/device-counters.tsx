import { versionReportTexts as t } from '@cloudfit/contract/messages/version-report.en.ts';
import { countText } from '../../components/count.ts';
import { Skeleton } from '../../components/states.tsx';
import type { ListState } from '../../filters/list-state.ts';
import { useDeviceCounts } from './use-device-counts.ts';
import './version-report.css';

interface CounterProps {
  label: string;
  value: number | undefined;
  tone: 'ok' | 'warn';
}

function Counter({ label, value, tone }: CounterProps) {
  return (
    <div className={`counter ${tone}`}>
      <dt>
        <i className="dot" />
        {label}
      </dt>
      <dd className="num">{value === undefined ? <Skeleton width={28} /> : countText(value)}</dd>
    </div>
  );
}

/** The two summary counters and their share of all devices. */
export function DeviceCounters({ state }: { state: ListState }) {
  const { upToDate, outOfDate, error } = useDeviceCounts(state);
  if (error && outOfDate === undefined) return <span className="faint">{t.countsFailed}</span>;
  const all = (upToDate ?? 0) + (outOfDate ?? 0);
  return (
    <div className="device-counters">
      <dl aria-label={t.counters}>
        <Counter label={t.upToDate} value={upToDate} tone="ok" />
        <Counter label={t.outOfDate} value={outOfDate} tone="warn" />
      </dl>
      <span className="share" aria-hidden>
        {all > 0 && (
          <>
            <i className="ok" style={{ flexGrow: upToDate }} />
            <i className="warn" style={{ flexGrow: outOfDate }} />
          </>
        )}
      </span>
    </div>
  );
}
