import { Link } from 'react-router';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { SeverityChip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { useList } from '../../resource/use-rows.ts';
import { isOpen, openStates } from './counters.ts';

type Unit = Row<typeof workUnits>;

const shown = 8;

/** The most severe open units, the newest first among equals. */
export function NewestUnits({ tenantId }: { tenantId: string }) {
  const { data, isLoading } = useList<Unit>(
    workUnits,
    { filter: and(eq('tenantId', tenantId, 'guid'), isOpen), orderBy: 'severityId asc,created desc', top: shown },
    { pollMs: 60_000 },
  );
  const all = `/${tenantId}/workunitsv2?f.stateId=${openStates.join(',')}`;
  return (
    <section className="card" aria-label={en.home.newest}>
      <div className="card-head">
        <h3>{en.home.newest}</h3>
        <span className="grow" />
        <Link to={all}>{en.home.viewAll}</Link>
      </div>
      {isLoading && (
        <p className="unit-line">
          <Skeleton width="60%" />
        </p>
      )}
      {data?.rows.length === 0 && <EmptyState small title={en.home.allClear} />}
      <ul>
        {data?.rows.map((unit) => (
          <li key={unit.workUnitId}>
            <Link className="unit-line" to={`${all}&workUnitId=${unit.workUnitId}`}>
              <SeverityChip value={unit.severityId} />
              <span className="muted num">#{unit.publicWorkUnitId}</span>
              <span className="grow ellipsis">{unit.title}</span>
              <span className="muted">{unit.stateId}</span>
              <RelativeTime plain value={unit.created} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
