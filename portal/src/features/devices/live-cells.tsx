import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Meter } from '../../components/chips.tsx';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { silentAfterMs } from '../../entities/attention.ts';
import { useSparkline } from '../../entities/series/use-sparkline.ts';
import { agentVersion } from './health.rules.ts';
import { usePacket } from './use-packet.ts';

export function MetricCell({ id, metric, label }: { id: string; metric: 'Cpu' | 'Memory'; label: string }) {
  const { data, isLoading } = usePacket(id);
  if (isLoading) return <Skeleton width="100%" />;
  return <Meter value={data?.message.Metrics?.[metric]} label={label} />;
}

export function AgeCell({ id }: { id: string }) {
  const { data, isLoading, maySee } = usePacket(id);
  const now = useNow();
  if (isLoading) return <Skeleton width="60%" />;
  if (!maySee) return <span className="faint">{en.common.none}</span>;
  if (!data)
    return (
      <span className="faint" title={t.noData}>
        {t.never}
      </span>
    );
  const isSilent = now - new Date(data.timestamp).getTime() > silentAfterMs;
  return (
    <span className="status" style={isSilent ? { color: 'var(--danger)' } : undefined}>
      <i className="dot" style={{ color: isSilent ? 'var(--danger)' : 'var(--ok)' }} aria-label={isSilent ? t.silent : t.live} role="img" />
      <RelativeTime plain value={data.timestamp} />
    </span>
  );
}

export function AgentCell({ id }: { id: string }) {
  const { data, isLoading } = usePacket(id);
  if (isLoading) return <Skeleton width="60%" />;
  const version = agentVersion(data?.message);
  return version ? <span className="num">{version}</span> : <span className="faint">{en.common.none}</span>;
}

/** The CPU of the last hours as a small line. One call reads the lines of all rows. */
export function CpuCourse({ id, name }: { id: string; name: string }) {
  const { data } = useSparkline(id, 'Cpu');
  if (!data) return <Skeleton width="100%" />;
  const series = { id, label: `${t.cpu} ${name}`, unit: 'percent' as const, buckets: data.buckets, gap: data.gap };
  return <Sparkline series={series} from={data.from} to={data.to} />;
}
