/**
 * Whether a unit is acknowledged; who was notified about it, when, by which channel and with which outcome; and the planned
 * steps of its protocol.
 */
import { useState } from 'react';
import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { failureText } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { exactTime } from '../../../theme/times.ts';
import { ErrorState } from '../../../components/states.tsx';
import { PersonName } from '../../../rows/person-name.tsx';
import { useList } from '../../../rows/use-rows.ts';
import { StateChip } from '../state-chip.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { maxNotifications } from './notifications-query.ts';
import { outcomeTones, useSentMessages } from './sent-messages.ts';
import { useHistory } from './use-work-unit.ts';

const t = workUnitPanelTexts.notified;

/** Whether the unit is acknowledged, and who last took it out of the state New. */
function AcknowledgeState({ unit }: { unit: PanelWorkUnit }) {
  const { data: history } = useHistory(unit.workUnitId);
  if (unit.stateId === 'New') return <Chip tone="warn">{t.unacknowledged}</Chip>;
  const entry = history
    ?.filter((item) => item.field === 'stateId' && item.oldValue === 'New' && item.mergedNumber === undefined)
    .toSorted((a, b) => b.id - a.id)[0];
  return (
    <span className="row">
      {entry?.newValue === 'Acknowledged' ? <Chip tone="ok">{t.acknowledged}</Chip> : <StateChip state={unit.stateId} />}
      {entry && (
        <span className="muted">
          {t.by} <PersonName userName={entry.createdBy} /> <RelativeTime value={entry.created} />
        </span>
      )}
    </span>
  );
}

const firstRows = 3;
/**
 * For a unit that a rule opened, that follows a protocol or about which somebody was notified: whether it is acknowledged, and
 * who was notified.
 */
export function Notified({ unit }: { unit: PanelWorkUnit }) {
  const { protocolId, ruleId } = unit;
  const [isLong, setLong] = useState(false);
  const { messages: all, error, refetch } = useSentMessages(unit);
  if (error) return <ErrorState small title={failureText(error)} onRetry={refetch} />;
  if (!all) return null;
  if (all.length === 0 && !protocolId && !ruleId) return null;
  return (
    <section className="unit-told" aria-label={t.heading}>
      <h3 className="row">
        <span className="grow">{t.heading}</span>
        <AcknowledgeState unit={unit} />
      </h3>
      {all.length === 0 && <p className="muted">{t.nobody}</p>}
      <ul className="told">
        {all.slice(0, isLong ? all.length : firstRows).map(({ key, name, how, outcome, at, notes }) => (
          <li key={key}>
            <span className="row">
              <span className="grow">
                <strong>{name}</strong> <span className="muted">{how}</span>
              </span>
              <RelativeTime value={at} />
              <Chip tone={outcomeTones[outcome]}>{t.outcomes[outcome]}</Chip>
            </span>
            {notes.map((note) => (
              <span key={note} className="faint">
                {note}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {!isLong && all.length > firstRows && (
        <Button small onClick={() => setLong(true)}>
          {t.more(all.length - firstRows)}
        </Button>
      )}
    </section>
  );
}

export function PlannedSteps({ id }: { id: number }) {
  const { data, error, refetch } = useList(plannedSteps, {
    filter: eq(plannedSteps, 'workUnitId', id),
    orderBy: 'due asc',
    top: maxNotifications,
  });
  if (error && !data) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data || data.rows.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.planned}>
      <h3>{t.planned}</h3>
      <ul className="told">
        {data.rows.map((item) => (
          <li key={item.plannedStepId} className="row">
            <span className="grow">
              <strong>{item.name}</strong>{' '}
              <span className="muted">
                {item.ended === null
                  ? t.next(exactTime(item.due), item.runsLeft)
                  : item.reason
                    ? t.stopped(item.reason)
                    : t.done(item.runs)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
