/** A card with the first work units of a list and a link to all of them. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import type { RowsPage } from '../../rows/use-rows.ts';
import { addresses } from './addresses.ts';
import { shownUnits, useApprovals, useMine, useSevere, type Unit } from './use-home.ts';

interface UnitListProps {
  title: string;
  none: string;
  to: string;
  list: UseQueryResult<RowsPage<Unit>>;
  tenantId: string;
}

function UnitList({ title, none, to, list, tenantId }: UnitListProps) {
  const loading = (
    <ul aria-busy>
      {Array.from({ length: shownUnits }, (_, at) => (
        <li key={at} className="unit-line">
          <Skeleton width={`${50 + ((at * 13) % 40)}%`} />
        </li>
      ))}
    </ul>
  );
  return (
    <section className="card units" aria-label={title}>
      <div className="card-head">
        <h3>{title}</h3>
        <span className="grow" />
        <Link to={to} aria-label={`${home.viewAll}: ${title}`}>
          {home.viewAll}
        </Link>
      </div>
      <Loaded
        query={{ data: list.data?.rows, error: list.error, refetch: list.refetch }}
        failed={home.failed}
        loading={loading}
        empty={<EmptyState small title={none} />}
      >
        {(units) => (
          <ul>
            {units.map((unit) => (
              <li key={unit.workUnitId}>
                <Link className="unit-line" to={addresses(tenantId).unit(to, unit.workUnitId)}>
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

export function UnitLists({ tenantId }: { tenantId: string }) {
  const to = addresses(tenantId);
  const t = home.lists;
  return (
    <div className="lists">
      <UnitList title={t.mine} none={t.mineNone} to={to.mine} list={useMine()} tenantId={tenantId} />
      <UnitList title={t.approval} none={t.approvalNone} to={to.approval} list={useApprovals()} tenantId={tenantId} />
      <UnitList title={t.severe} none={t.severeNone} to={to.units()} list={useSevere()} tenantId={tenantId} />
    </div>
  );
}
