/** Lists the tries of an execution: when, what was sent where, and the outcome. */
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionTries } from '@cloudfit/contract/resources/action-tries.ts';
import { executionTexts } from '@cloudfit/contract/messages/executions.en.ts';
import { useMay } from '../../api/lookups.ts';
import { exactTime } from '../../theme/times.ts';
import { useList } from '../../rows/use-rows.ts';
import { Loaded } from '../../calls/loaded.tsx';
import './tries.css';

const t = executionTexts.tries;
const maxTries = 100;
type TryRow = Row<typeof actionTries>;

function TryLine({ row }: { row: TryRow }) {
  const { number, started, status, durationMs, target, sent, error } = row;
  const outcome = error ?? (durationMs === null ? t.underWay : t.ok);
  return (
    <li>
      <div className="row">
        <b className="num">{t.number(number)}</b>
        <span className="num muted">{exactTime(started)}</span>
        {durationMs !== null && <span className="num muted">{t.ms(durationMs)}</span>}
      </div>
      <p className={error ? 'failed' : undefined}>{[status, outcome].filter(Boolean).join(' · ')}</p>
      <p className="mono">{target}</p>
      {sent && (
        <details>
          <summary>{t.sent}</summary>
          <pre className="mono">{sent}</pre>
        </details>
      )}
    </li>
  );
}

export function Tries({ actionHistoryId }: { actionHistoryId: number }) {
  const mayView = useMay()('ActionDefinitions', 'view');
  const tries = useList(
    actionTries,
    { filter: eq(actionTries, 'actionHistoryId', actionHistoryId), orderBy: 'actionTryId asc', top: maxTries },
    { enabled: mayView },
  );
  return (
    <section className="tries" aria-label={t.title}>
      {mayView ? (
        <Loaded query={tries} failed={t.failed}>
          {({ rows }) =>
            rows.length === 0 ? (
              <p className="muted">{t.none}</p>
            ) : (
              <ol>
                {rows.map((row) => (
                  <TryLine key={row.actionTryId} row={row} />
                ))}
              </ol>
            )
          }
        </Loaded>
      ) : (
        <p className="muted">{t.forbidden}</p>
      )}
    </section>
  );
}
