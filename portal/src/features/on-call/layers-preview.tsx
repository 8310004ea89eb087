/** What the layers in the form come to, before they are saved: the turns of the next two weeks, and the times without anybody. */
import {
  finalShifts,
  gapsOf,
  layerShifts,
  neverOnCall,
  type Layer,
  type OnCallTimes,
  type Shift,
} from '@cloudfit/contract/on-call/shifts.ts';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import type { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { isTimeZone } from '@cloudfit/contract/rules/time-window.ts';
import { useNow } from '../../components/relative-time.tsx';
import type { FormValues } from '../../rows/row.ts';
import { Gaps, WithoutTurns } from './gaps.tsx';
import { ShiftChart } from './shift-chart.tsx';

const spanMs = 14 * 86_400_000;
const stepMs = 60_000;
const startPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

interface LayersPreviewProps {
  layers: readonly Layer[];
  values: FormValues<typeof onCallSchedules>;
  nameOf: (personId: string) => string;
}

export function LayersPreview({ layers, values, nameOf }: LayersPreviewProps) {
  const from = Math.floor(useNow() / stepMs) * stepMs;
  const to = from + spanMs;
  const { timeZone, holidays, name } = values;
  const isComplete = layers.every(({ start, every }) => startPattern.test(start) && every >= 1);
  if (layers.length === 0 || !isComplete || typeof timeZone !== 'string' || !isTimeZone(timeZone)) return null;
  const times: OnCallTimes = { timeZone, holidays: (holidays ?? []) as string[], layers };
  const shown = (shift: Shift) => ({
    from: new Date(shift.from).toISOString(),
    to: new Date(shift.to).toISOString(),
    personId: shift.personId,
    name: nameOf(shift.personId),
  });
  const final = finalShifts(times, [], from, to);
  const people = [...new Set(layers.flatMap((layer) => layer.people))];
  return (
    <section className="form-section" aria-label={t.preview}>
      <h3>{t.preview}</h3>
      <ShiftChart
        name={typeof name === 'string' ? name : ''}
        shifts={{
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          layers: layers.map((layer) => ({ name: layer.name, shifts: layerShifts(layer, times, from, to).map(shown) })),
          overrides: [],
          final: final.map(shown),
          people: people.map((personId) => ({ personId })),
        }}
      />
      <ul className="warnings" role="status">
        <WithoutTurns
          people={layers.flatMap((layer) =>
            neverOnCall(layer).map((personId) => ({ personId, name: nameOf(personId), layer: layer.name })),
          )}
        />
        <Gaps gaps={gapsOf(final, from, to)} />
      </ul>
    </section>
  );
}
