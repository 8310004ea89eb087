/** What needs attention, each number a link to the list behind it. */
import { useMemo, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useCurrentUser, useMay } from '../../api/lookups.ts';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { counters, type Counter } from './counters.ts';
import { NewestUnits } from './newest-units.tsx';
import { useCount } from './use-count.ts';
import './home.css';

const t = en.home;
const number = new Intl.NumberFormat('en-US');

function CounterTile({ counter }: { counter: Counter }) {
  const { data, isError } = useCount(counter);
  const tone = data && counter.alarming ? 'alarm' : '';
  return (
    <Link className={`tile ${tone}`} to={counter.to}>
      <span className="label">{counter.label}</span>
      <span className="value num">
        {isError ? <span className="faint">{en.common.none}</span> : data === undefined ? <Skeleton width={40} /> : number.format(data)}
      </span>
      {counter.hint && <span className="hint">{counter.hint}</span>}
    </Link>
  );
}

export function HomePage({ banner }: { banner: ReactNode }) {
  const { tenantId = '' } = useParams();
  const { data: user } = useCurrentUser();
  const may = useMay();
  usePageTitle(t.title);
  const shown = useMemo(() => (user ? counters(tenantId, user) : []), [tenantId, user]).filter((counter) => may(counter.area, 'view'));
  return (
    <div className="home">
      {banner}
      <div>
        <h2>{user ? t.welcome(user.name) : t.welcomePlain}</h2>
        <p className="muted">{t.intro}</p>
      </div>
      {user && shown.length === 0 && <EmptyState icon="lock" title={t.noRights} />}
      <div className="tiles">
        {shown.map((counter) => (
          <CounterTile key={counter.id} counter={counter} />
        ))}
      </div>
      {may('WorkUnits', 'view') && <NewestUnits tenantId={tenantId} />}
    </div>
  );
}
