import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../../../components/button.tsx';
import { weekDays } from '../../../../theme/locale.ts';

const t = ruleEditorTexts.time;
export const allDays = [0, 1, 2, 3, 4, 5, 6];
const weekdays = [1, 2, 3, 4, 5];

interface DaysOfWeekProps {
  value: readonly number[];
  disabled: boolean;
  error: string | undefined;
  onChange: (days: number[]) => void;
}

/** Seven toggles, and shortcuts for usual choices. */
export function DaysOfWeek({ value, disabled, error, onChange }: DaysOfWeekProps) {
  const toggle = (day: number) => onChange(allDays.filter((item) => (item === day ? !value.includes(day) : value.includes(item))));
  return (
    <div className="field wide">
      <div className="field-head" aria-hidden>
        {t.days}
      </div>
      <div className="week" role="group" aria-label={t.days}>
        {weekDays.map((day) => (
          <Button
            key={day}
            aria-pressed={value.includes(day)}
            title={t.week[day]}
            disabled={disabled}
            {...(error ? { 'aria-invalid': true } : {})}
            onClick={() => toggle(day)}
          >
            {en.time.weekdays[day]}
          </Button>
        ))}
        {!disabled && (
          <>
            <Button small look="quiet" onClick={() => onChange(allDays)}>
              {t.everyDay}
            </Button>
            <Button small look="quiet" onClick={() => onChange(weekdays)}>
              {t.weekdays}
            </Button>
          </>
        )}
      </div>
      {error && (
        <div className="error" role="alert">
          {error}
        </div>
      )}
    </div>
  );
}
