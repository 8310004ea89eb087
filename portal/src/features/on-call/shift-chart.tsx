/** The shifts of two weeks as bars: a row for each layer, one for overrides, and one for the result. */
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { zoneTime } from '../../entities/on-call/zone-time.ts';

interface Bar {
  from: string;
  to: string;
  personId: string;
  name: string;
}

/** The shifts of some time, of each layer and as a result. */
export interface ChartShifts {
  from: string;
  to: string;
  layers: readonly { name: string; shifts: readonly Bar[] }[];
  overrides: readonly Bar[];
  final: readonly Bar[];
  people: readonly { personId: string }[];
}

const dayFormat = new Intl.DateTimeFormat('en-US', { weekday: 'short', day: 'numeric' });

/** Returns the midnights between two instants, in the time zone of the browser. */
function midnights(from: number, to: number): number[] {
  const day = new Date(from);
  day.setHours(24, 0, 0, 0);
  const days: number[] = [];
  for (; day.getTime() < to; day.setDate(day.getDate() + 1)) days.push(day.getTime());
  return days;
}

export function ShiftChart({ shifts, name }: { shifts: ChartShifts; name: string }) {
  const from = Date.parse(shifts.from);
  const span = Date.parse(shifts.to) - from;
  const place = (at: number): string => `${((at - from) * 100) / span}%`;
  const order = shifts.people.map((person) => person.personId);
  const lines: { label: string; bars: readonly Bar[]; counts?: true }[] = [
    ...shifts.layers.map((layer) => ({ label: layer.name, bars: layer.shifts })),
    ...(shifts.overrides.length > 0 ? [{ label: t.overrides, bars: shifts.overrides }] : []),
    { label: t.line, bars: shifts.final, counts: true },
  ];
  const days = midnights(from, from + span);
  return (
    <div className="shift-chart" role="img" aria-label={t.chart(name)}>
      <div className="shift-days num">
        {days.map((day, at) => (
          <span key={day} style={{ left: place(day) }} className={at % 2 === 1 ? 'every-other' : ''}>
            {dayFormat.format(day)}
          </span>
        ))}
      </div>
      {lines.map(({ label, bars, counts }, at) => (
        <div key={at} className={counts ? 'shift-line counts' : 'shift-line'}>
          <span className="shift-label ellipsis" title={label}>
            {label}
          </span>
          <div className="shift-track">
            {days.map((day) => (
              <i key={day} style={{ left: place(day) }} />
            ))}
            {bars.map((bar) => {
              const begins = Math.max(from, Date.parse(bar.from));
              const ends = Math.min(from + span, Date.parse(bar.to));
              return (
                <span
                  key={`${bar.from} ${bar.personId}`}
                  className={`shift-bar person-${order.indexOf(bar.personId) % 6}`}
                  style={{ left: place(begins), width: `${((ends - begins) * 100) / span}%` }}
                  title={`${bar.name}: ${zoneTime(bar.from)} – ${zoneTime(bar.to)}`}
                >
                  <span className="ellipsis">{bar.name}</span>
                </span>
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}
