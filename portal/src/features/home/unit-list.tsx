/** The card with the most severe open work units, and a link to all of them. */
import { Link } from 'react-router';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { addresses } from './addresses.ts';
import { shownUnits, useSevere } from './use-home.ts';

const t = home.lists;

/** The most severe open work units of the tenant. */
export function SevereUnits({ tenantId }: { tenantId: string }) {
  const to = addresses(tenantId).units();
  const list = useSevere();
  const loading = (
    <ul aria-busy>
      {Array.from({ length: shownUnits }, (_, at) => (
        <li key={at} className="severe-unit">
          <Skeleton width={`${50 + ((at * 13) % 40)}%`} />
        </li>
      ))}
    </ul>
  );
  return (
    <section className="card units" aria-label={t.severe}>
      <div className="card-head">
        <h3>{t.severe}</h3>
        <span className="grow" />
        <Link to={to} aria-label={`${home.viewAll}: ${t.severe}`}>
          {home.viewAll}
        </Link>
      </div>
      <Loaded
        query={{ data: list.data?.rows, error: list.error, refetch: list.refetch }}
        failed={home.failed}
        loading={loading}
        empty={<EmptyState small title={t.severeNone} />}
      >
        {(units) => (
          <ul>
            {units.map((unit) => (
              <li key={unit.workUnitId}>
                <Link className="severe-unit" to={addresses(tenantId).unit(to, unit.workUnitId)}>
                  <SeverityChip value={unit.severityId} />
                  <span className="muted num">#{unit.publicWorkUnitId}</span>
                  <span className="grow ellipsis" title={unit.title}>
                    {unit.title}
                  </span>
                  <RelativeTime plain value={unit.created} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
