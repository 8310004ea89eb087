/** Receivers whose calls fail, each with its circuit breaker; a reset lets calls go out at once. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { activityTexts } from '@cloudfit/contract/messages/activity.en.ts';
import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { useMay } from '../../api/lookups.ts';
import { removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useList } from '../../rows/use-rows.ts';

const t = activityTexts.receivers;
const pollMs = 10_000;

const reset = command(({ destinationId }: Row<typeof destinations>) => removeRow(destinations, destinationId), {
  done: (_, { origin }) => t.resetDone(origin),
  failed: t.resetFailed,
  refreshes: [destinations.name],
});

export function Receivers({ tenantId }: { tenantId: string }) {
  const may = useMay();
  const { data } = useList(
    destinations,
    { filter: eq(destinations, 'tenantId', tenantId), top: 100 },
    { enabled: may('Settings', 'edit'), pollMs, pollsAlways: true },
  );
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
            <Button small icon="refresh" aria-label={t.resetOf(row.origin)} onClick={() => void reset(row)}>
              {t.reset}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
