/** One handover: its note, read-only or editable, and what happened in the shift. */
import { useState } from 'react';
import { Link } from 'react-router';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { Button } from '../../components/button.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { Skeleton } from '../../components/states.tsx';
import { unitAddress } from '../explanations/addresses.ts';
import { markRead, useHandoverFacts, writeNote, type Handover, type HandoverFacts } from './use-handovers.ts';
import { zoneTime } from '../../theme/times.ts';
import './handover.css';

const longestNote = 10_000;
const done = ['opened', 'acknowledged', 'resolved'] as const;

function Units({ facts }: { facts: HandoverFacts }) {
  if (facts.units.length === 0) return null;
  return (
    <>
      <h4 title={t.unitsHelp}>{t.units(facts.units.length + facts.moreUnits)}</h4>
      <ul>
        {facts.units.map((unit) => (
          <li key={unit.workUnitId} className="row">
            <SeverityChip value={unit.severityId} />
            <Link className="grow ellipsis" to={unitAddress(unit.workUnitId)} title={unit.title}>
              #{unit.publicWorkUnitId} {unit.title}
            </Link>
            <span className="muted">
              {[...done.filter((what) => unit[what]).map((what) => t.did[what]), t.stateNow(choiceText(unit.stateId))].join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {facts.moreUnits > 0 && <p className="faint">{t.moreUnits(facts.moreUnits)}</p>}
    </>
  );
}

function Facts({ id, tenantId }: { id: string; tenantId: string }) {
  const { data } = useHandoverFacts(id);
  if (!data) return <Skeleton width="60%" />;
  if (data.units.length + data.maintenance.length + data.messages.length === 0) return <p className="muted">{t.noFacts}</p>;
  return (
    <div className="handover-facts">
      <Units facts={data} />
      {data.maintenance.length > 0 && (
        <>
          <h4>{t.maintenance}</h4>
          <ul>
            {data.maintenance.map((window) => (
              <li key={window.maintenanceWindowId} className="row">
                <Link className="grow ellipsis" to={`/${tenantId}/maintenance?id=${window.maintenanceWindowId}`}>
                  {window.reason}
                </Link>
                <span className="muted">{t.until(zoneTime(window.endsAt))}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {data.messages.length > 0 && (
        <>
          <h4>{t.messages}</h4>
          <ul>
            {data.messages.map((message, at) => (
              <li key={at} className="row">
                <span>{t.messageLine(message.name, message.channel, zoneTime(message.at))}</span>
                <span className="muted ellipsis">
                  #{message.publicWorkUnitId} {message.title}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function NoteForm({ handover }: { handover: Handover }) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? handover.note ?? '';
  const save = async () => {
    if (await writeNote({ ...handover, note: text })) setTyped(undefined);
  };
  return (
    <>
      <Field label={t.note}>
        {(aria) => (
          <textarea
            className="input area"
            rows={3}
            {...aria}
            maxLength={longestNote}
            placeholder={t.placeholder}
            value={text}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      <div className="row">
        <Button small look="primary" disabled={text.trim() === (handover.note ?? '')} onClick={() => void save()}>
          {t.save}
        </Button>
        {handover.completed === null && <span className="muted">{t.next(zoneTime(handover.handedAt))}</span>}
      </div>
    </>
  );
}

export function HandoverCard({ handover, title }: { handover: Handover; title: string }) {
  const { onCallHandoverId: id, tenantId, note, completed, read, mayWrite, isMine } = handover;
  const isToRead = isMine && completed !== null;
  // People who may edit schedules may write every note, but only read a completed note that is meant for them.
  const writes = mayWrite && !isToRead;
  return (
    <section className="handover" aria-label={title}>
      <div className="row">
        <h3 className="grow">{title}</h3>
        {isToRead && read === null && (
          <Button small icon="check" onClick={() => void markRead(handover)}>
            {t.read}
          </Button>
        )}
      </div>
      <p className="muted">{t.shift(zoneTime(handover.shiftFrom), zoneTime(handover.shiftTo))}</p>
      {writes ? <NoteForm handover={handover} /> : <p className="handover-note">{note ?? <span className="muted">{t.noNote}</span>}</p>}
      <details open={!writes || note === null}>
        <summary>{t.facts}</summary>
        <Facts id={id} tenantId={tenantId} />
      </details>
    </section>
  );
}
