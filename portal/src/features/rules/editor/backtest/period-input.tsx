/** The period of a backtest: a length that ends now, or a start and an end. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { useState } from 'react';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { backtestTexts as t } from '@cloudfit/contract/messages/backtest.en.ts';
import { Field } from '../../../../components/field.tsx';
import { TextField } from '../../../../components/fields/text-field.tsx';
import { choicesOf, Select } from '../../../../components/fields/select.tsx';
import { inputTime, instantAt } from '../../../../theme/times.ts';

const periods = [1, 24, 168, 744] as const;
const longestMs = backtestLimits.days * 24 * hourMs;

function problemOf(from: string, to: string): string | undefined {
  const length = Date.parse(to) - Date.parse(from);
  if (Number.isNaN(length)) return t.noTimes;
  if (length <= 0) return t.endsFirst;
  return length > longestMs ? t.tooLong(backtestLimits.days) : undefined;
}

export function usePeriod() {
  /** The length of a period that ends now, in hours; 0 for a period with two chosen times. */
  const [hours, setHours] = useState<number>(168);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const choose = (next: number) => {
    if (next === 0) {
      setFrom(inputTime(new Date(Date.now() - hours * hourMs)));
      setTo(inputTime(new Date()));
    }
    setHours(next);
  };
  const read = () =>
    hours > 0
      ? { from: new Date(Date.now() - hours * hourMs).toISOString() }
      : { from: instantAt(from).toISOString(), to: instantAt(to).toISOString() };
  return { hours, choose, from, setFrom, to, setTo, problem: hours > 0 ? undefined : problemOf(from, to), read };
}

export function PeriodInput({ period }: { period: ReturnType<typeof usePeriod> }) {
  const { hours, choose, from, setFrom, to, setTo } = period;
  const time = (label: string, value: string, change: (text: string) => void) => (
    <TextField label={label} className="num" type="datetime-local" value={value} onChange={change} />
  );
  return (
    <>
      <Field label={t.period}>
        {(aria) => (
          <Select
            {...aria}
            value={hours}
            choices={[...choicesOf(periods, t.periods), { value: 0, label: t.customPeriod }]}
            onChange={choose}
          />
        )}
      </Field>
      {hours === 0 && time(t.from, from, setFrom)}
      {hours === 0 && time(t.to, to, setTo)}
    </>
  );
}
