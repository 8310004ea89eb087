/** Open work units by severity and state; every number links to its list. */
import { Link } from 'react-router';
import { openStates, severities } from '@cloudfit/contract/enums.ts';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { failureText } from '../../api/client.ts';
import { SeverityChip } from '../../components/chips.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { addresses } from './addresses.ts';
import type { OpenCount } from './open-over-time.ts';
import { stateLabel } from './series.ts';
import { useOpenNow } from './use-home.ts';

const t = home.split;

interface CellProps {
  rows: readonly OpenCount[] | undefined;
  severity?: string;
  state?: string;
  tenantId: string;
}

function Cell({ rows, severity, state, tenantId }: CellProps) {
  if (!rows) return <Skeleton width={18} />;
  const count = rows.reduce(
    (sum, row) => ((severity ?? row.severityId) === row.severityId && (state ?? row.stateId) === row.stateId ? sum + row.n : sum),
    0,
  );
  if (count === 0) return <span className="faint">0</span>;
  const what = [severity, state && stateLabel(state)].filter(Boolean).join(', ') || t.total;
  return (
    <Link to={addresses(tenantId).units(state ? [state] : undefined, severity ? [severity] : undefined)} aria-label={t.cell(count, what)}>
      {count}
    </Link>
  );
}

export function SplitTable({ tenantId }: { tenantId: string }) {
  const { data, error, refetch } = useOpenNow();
  const rows = data?.rows;
  return (
    <section className="card split" aria-label={t.title}>
      <div className="card-head">
        <h3>{t.title}</h3>
      </div>
      {error && !data ? (
        <ErrorState small title={home.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : (
        <table className="num" aria-busy={!data}>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">{t.state}</span>
              </th>
              {severities.map((severity) => (
                <th key={severity} scope="col">
                  <SeverityChip value={severity} />
                </th>
              ))}
              <th scope="col">{t.total}</th>
            </tr>
          </thead>
          <tbody>
            {[...openStates, undefined].map((state) => (
              <tr key={state ?? t.total}>
                <th scope="row">{state ? stateLabel(state) : t.total}</th>
                {[...severities, undefined].map((severity) => (
                  <td key={severity ?? t.total}>
                    <Cell rows={rows} tenantId={tenantId} {...(severity ? { severity } : {})} {...(state ? { state } : {})} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
