/** Who was told about a unit, when, by what and with which outcome; and the steps of its protocol that still wait. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { failureText } from '../../../api/client.ts';
import { Chip } from '../../../components/chips.tsx';
import { exactTime, RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { useList } from '../../../rows/use-rows.ts';

const t = workUnitPanelTexts.notified;
const maxRows = 100;

const tones = {
  Sent: 'ok',
  Failed: 'danger',
  Stopped: 'plain',
  Kept: 'warn',
  Retrying: 'warn',
  Waiting: 'info',
  Held: 'info',
  Unknown: 'plain',
} as const;

export function Notified({ id }: { id: number }) {
  const { data, error, refetch } = useList(notifications, {
    filter: eq(notifications, 'workUnitId', id),
    orderBy: 'created desc',
    top: maxRows,
  });
  if (error && !data) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <section className="form-section" aria-label={t.heading}>
      <h3>{t.heading}</h3>
      {data.rows.length === 0 && <p className="muted">{t.nobody}</p>}
      <ul className="told">
        {data.rows.map((one) => (
          <li key={one.notificationId}>
            <span className="row">
              <span className="grow">
                <strong>{one.name}</strong> <span className="muted">{t.how(one.whom, one.channel, one.address)}</span>
              </span>
              <RelativeTime value={one.created} />
              <Chip tone={tones[one.outcome]}>{t.outcomes[one.outcome]}</Chip>
            </span>
            {one.nextTry && one.outcome === 'Waiting' && <span className="faint">{t.due(exactTime(one.nextTry))}</span>}
            {one.nextTry && one.outcome === 'Held' && <span className="faint">{t.held(exactTime(one.nextTry))}</span>}
            {one.error && one.outcome !== 'Sent' && <span className="faint">{one.error}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function PlannedSteps({ id }: { id: number }) {
  const { data, error, refetch } = useList(plannedSteps, { filter: eq(plannedSteps, 'workUnitId', id), orderBy: 'due asc', top: maxRows });
  if (error && !data) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data || data.rows.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.planned}>
      <h3>{t.planned}</h3>
      <ul className="told">
        {data.rows.map((one) => (
          <li key={one.plannedStepId} className="row">
            <span className="grow">
              <strong>{one.name}</strong>{' '}
              <span className="muted">
                {one.ended === null ? t.next(exactTime(one.due), one.runsLeft) : one.reason ? t.stopped(one.reason) : t.done(one.runs)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
