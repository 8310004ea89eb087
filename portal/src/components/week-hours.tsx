/** Edits hours on days of the week. */
import type { Restriction } from '@cloudfit/contract/on-call/shifts.ts';
import { onCallTexts } from '@cloudfit/contract/messages/on-call.en.ts';
import { weekDays } from '../theme/locale.ts';
import { Button, IconButton } from './button.tsx';
import './week-hours.css';
import { Checkbox } from './fields/checkbox.tsx';

const t = onCallTexts.layer;

interface WeekHoursProps {
  label: string;
  hours: readonly Restriction[];
  /** The initial values of a new line. */
  initial: Restriction;
  disabled: boolean;
  onChange: (hours: Restriction[]) => void;
}

export function WeekHours({ label, hours, initial, disabled, onChange }: WeekHoursProps) {
  const change = (at: number, replaced: Restriction | undefined) =>
    onChange(hours.flatMap((hour, index) => (index === at ? (replaced ?? []) : hour)));
  return (
    <div className="field wide" role="group" aria-label={label}>
      <span className="field-head">{label}</span>
      {hours.map((hour, at) => (
        <div key={at} className="hours-line">
          <span className="days">
            {weekDays.map((day) => (
              <Checkbox
                key={day}
                label={t.days[day] ?? ''}
                checked={hour.days.includes(day)}
                disabled={disabled}
                onChange={(checked) =>
                  change(at, {
                    ...hour,
                    days: checked ? [...hour.days, day].toSorted((a, b) => a - b) : hour.days.filter((other) => other !== day),
                  })
                }
              />
            ))}
          </span>
          {(['from', 'to'] as const).map((side) => (
            <input
              key={side}
              className="input num"
              aria-label={side === 'from' ? t.timeFrom : t.timeTo}
              value={hour[side]}
              maxLength={5}
              readOnly={disabled}
              onChange={(event) => change(at, { ...hour, [side]: event.target.value })}
            />
          ))}
          {!disabled && <IconButton small icon="trash" label={t.removeTime} onClick={() => change(at, undefined)} />}
        </div>
      ))}
      {!disabled && (
        <Button small icon="plus" onClick={() => onChange([...hours, initial])}>
          {t.addTime}
        </Button>
      )}
    </div>
  );
}
