import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Meter } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { usePacket } from './use-packet.ts';

/** A device is silent after this long without a packet. */
const silentMs = 5 * 60_000;

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
  const isSilent = now - new Date(data.timestamp).getTime() > silentMs;
  return (
    <span className="status" style={isSilent ? { color: 'var(--danger)' } : undefined}>
      <i className="dot" style={{ color: isSilent ? 'var(--danger)' : 'var(--ok)' }} aria-label={isSilent ? t.silent : t.live} role="img" />
      <RelativeTime plain value={data.timestamp} />
    </span>
  );
}
