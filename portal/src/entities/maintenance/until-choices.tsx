import { useId, useState } from 'react';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { instantAt } from '../../theme/times.ts';
import { Button } from '../../components/button.tsx';
import './maintenance.css';

/** The offered ends of a maintenance: durations after `from`, and 8:00 on the day after `now` if that is later than `from`. */
export function untilChoices(from: number, now = from): { label: string; until: Date }[] {
  const inMinutes = (minutes: number) => new Date(from + minutes * 60_000);
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(8, 0, 0, 0);
  return [
    { label: t.choices.quarter, until: inMinutes(15) },
    { label: t.choices.hour, until: inMinutes(60) },
    { label: t.choices.fourHours, until: inMinutes(240) },
    ...(morning.getTime() > from ? [{ label: t.choices.morning, until: morning }] : []),
  ];
}

interface UntilChoicesProps {
  /** The present end of a maintenance that is extended: the offered durations are added to this end. */
  from?: number;
  confirm: string;
  onChoose: (until: Date) => void;
}

/** Buttons for common durations, and a field for another time. */
export function UntilChoices({ from, confirm, onChoose }: UntilChoicesProps) {
  const [typed, setTyped] = useState('');
  const id = useId();
  const now = Date.now();
  return (
    <div className="until-choices">
      <div className="row" role="group" aria-label={t.until}>
        {untilChoices(from ?? now, now).map(({ label, until }, index) => (
          <Button key={label} autoFocus={index === 0} onClick={() => onChoose(until)}>
            {from === undefined || label === t.choices.morning ? label : `+ ${label}`}
          </Button>
        ))}
      </div>
      <div>
        <label className="faint" htmlFor={id}>
          {t.otherTime}
        </label>
        <span className="row">
          <input id={id} className="input num" type="datetime-local" value={typed} onChange={(event) => setTyped(event.target.value)} />
          <Button look="primary" disabled={typed === ''} onClick={() => onChoose(instantAt(typed))}>
            {confirm}
          </Button>
        </span>
      </div>
    </div>
  );
}
