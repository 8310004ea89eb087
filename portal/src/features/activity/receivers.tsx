/** Receivers whose calls fail, each with its circuit breaker; a reset lets calls go out at once. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { activityTexts } from '@cloudfit/contract/messages/activity.en.ts';
import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useList, useRemove } from '../../rows/use-rows.ts';

const t = activityTexts.receivers;
const pollMs = 10_000;

export function Receivers({ tenantId }: { tenantId: string }) {
  const may = useMay();
  const { data } = useList(
    destinations,
    { filter: eq(destinations, 'tenantId', tenantId), top: 100 },
    { enabled: may('Settings', 'edit'), pollMs, pollsAlways: true },
  );
  const remove = useRemove(destinations);
  const reset = async (destinationId: string, origin: string) => {
    try {
      await remove(destinationId);
      toast.success(t.resetDone(origin));
    } catch (error) {
      toastFailure(error, t.resetFailed);
    }
  };
  if (!data || data.rows.length === 0) return null;
  return (
    <section className="activity-card" aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className="muted">{t.text}</p>
      <ul className="receivers">
        {data.rows.map((row) => (
          <li key={row.destinationId}>
            <b>{row.origin}</b>
            <Chip tone={row.pausedUntil || row.disabled ? 'danger' : 'warn'} dot>
              {row.disabled ? t.disabled : t.failures(row.failures)}
            </Chip>
            {row.pausedUntil && (
              <span className="muted">
                {t.probe} <RelativeTime value={row.pausedUntil} />
              </span>
            )}
            <span className="muted grow">{row.lastError}</span>
            <Button small icon="refresh" aria-label={t.resetOf(row.origin)} onClick={() => void reset(row.destinationId, row.origin)}>
              {t.reset}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
