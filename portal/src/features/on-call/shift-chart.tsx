/** The shifts of two weeks as bars: a row for each layer, one for overrides, and one for the result. */
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { zoneTime, instantAt, dayAt, dayOfWeek } from '../../theme/times.ts';

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

/** The next midnight in the zone of the viewer. */
const dayAfter = (at: number): number => instantAt(new Date(Date.parse(dayAt(at)) + 86_400_000).toISOString().slice(0, 10)).getTime();

/** Returns the midnights between two instants. */
function midnights(from: number, to: number): number[] {
  const days: number[] = [];
  for (let day = dayAfter(from); day < to; day = dayAfter(day)) days.push(day);
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
            {dayOfWeek(day)}
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
