import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { daysText } from '../../theme/times.ts';

const weekMs = 7 * 86_400_000;

export const dayOf = (instant: string) => instant.slice(0, 10);
const moved = (monday: string, weeks: number) => new Date(Date.parse(monday) + weeks * weekMs).toISOString();

/** Formats a week as `Nov 16 – 22, 2026`. */
export const weekText = (monday: string) => daysText(dayOf(monday), dayOf(new Date(Date.parse(moved(monday, 1)) - 1).toISOString()));
export const weekBefore = (monday: string) => moved(monday, -1);

interface WeekPickerProps {
  monday: string;
  /** Receives a day as `YYYY-MM-DD`; empty for the current week. */
  onChange: (day: string) => void;
}

/** Chooses a week by any of its days. A week begins on Monday. Future weeks cannot be chosen. */
export function WeekPicker({ monday, onChange }: WeekPickerProps) {
  const now = mondayOf(new Date().toISOString());
  const go = (to: string) => onChange(to === now ? '' : dayOf(to));
  return (
    <div className="week-picker" role="group" aria-label={t.week}>
      <IconButton small icon="left" label={t.weekBefore} onClick={() => go(moved(monday, -1))} />
      <input
        className="input num"
        type="date"
        aria-label={t.week}
        value={dayOf(monday)}
        max={dayOf(moved(now, 1))}
        onChange={(event) => {
          // A future day selects the current week.
          if (event.target.value) go([mondayOf(event.target.value), now].toSorted()[0] ?? now);
        }}
      />
      <IconButton small icon="right" label={t.weekAfter} disabled={monday >= now} onClick={() => go(moved(monday, 1))} />
      <span className="muted week-range">{t.weekOf(weekText(monday))}</span>
      {monday !== now && (
        <Button small look="quiet" onClick={() => go(now)}>
          {t.thisWeek}
        </Button>
      )}
    </div>
  );
}
