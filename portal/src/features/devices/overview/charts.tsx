/** The charts of a device: four at first, all metrics on request. */
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { MarkList } from '../../../entities/series/mark-list.tsx';
import { RangeBar } from '../../../entities/series/range-bar.tsx';
import { SeriesCard } from '../../../entities/series/series-card.tsx';
import { useMetrics } from '../../../entities/series/use-series.ts';
import { boundsOf, useChartView } from '../../../entities/series/use-time-range.ts';
import { chartsOf, type Reporter } from './charts.rules.ts';
import { useDeviceMarks, useOperationsOf } from './use-overview.ts';
import { nowMs } from '../../../theme/now.ts';

const t = deviceTexts.overview;
/** The package of the operation that every device has from the start. */
const systemMetrics = 'System metrics';

/** Returns the device and its operation System metrics, with their metrics. */
function useReporters(deviceId: string): { reporters: readonly Reporter[]; notice: string | undefined; isLoading: boolean } {
  const ofDevice = useMetrics(deviceId);
  const { operations } = useOperationsOf(deviceId);
  const system = operations?.find(({ packageName }) => packageName === systemMetrics);
  const ofSystem = useMetrics(system?.deviceOperationId);
  const reporters = useMemo(
    () => [
      { entityId: deviceId, operation: undefined, metrics: ofDevice.data?.value ?? [] },
      ...(system ? [{ entityId: system.deviceOperationId, operation: system.label, metrics: ofSystem.data?.value ?? [] }] : []),
    ],
    [deviceId, ofSystem.data, ofDevice.data, system],
  );
  return { reporters, notice: ofDevice.data?.notice ?? ofSystem.data?.notice, isLoading: ofDevice.isLoading || ofSystem.isLoading };
}

/** `prefix`: the prefix of the chart parameters in the address. */
export function DeviceCharts({ deviceId, prefix }: { deviceId: string; prefix: string }) {
  const view = useChartView(prefix);
  const { reporters, notice, isLoading } = useReporters(deviceId);
  const { main, others } = useMemo(() => chartsOf(reporters), [reporters]);
  const { tenantId = '' } = useParams();
  const { from, to } = boundsOf(view.range, nowMs());
  const marks = useDeviceMarks(deviceId, tenantId, from);
  const [showsAll, setShowsAll] = useState(false);
  if (!isLoading && main.length === 0 && others.length === 0)
    return <EmptyState small icon="report" title={t.noMetrics} text={t.noMetricsText} />;
  const shown = showsAll ? [...main, ...others] : main;
  return (
    <>
      <RangeBar view={view} />
      <MarkList marks={marks.filter((mark) => mark.from <= to)} />
      {notice && <p className="muted">{notice}</p>}
      <div className="device-charts">
        {isLoading && main.length === 0
          ? Array.from({ length: 4 }, (_, at) => <div key={at} className="series-card series-waiting" aria-hidden />)
          : shown.map(({ id, title, hint, series }) => (
              <SeriesCard key={id} title={title} hint={hint} series={series} view={view} marks={marks} />
            ))}
      </div>
      {others.length > 0 && (
        <Button small look="quiet" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t.fewer : t.more(main.length + others.length)}
        </Button>
      )}
    </>
  );
}
