import { fireEvent, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { backtestTexts as t } from '@cloudfit/contract/messages/backtest.en.ts';
import { PeriodInput, usePeriod } from './period-input.tsx';

afterEach(() => void vi.useRealTimers());

it('is a length that ends now, or two times, of which it says what is wrong', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  const latest: { period?: ReturnType<typeof usePeriod> } = {};
  function Period() {
    const period = usePeriod();
    useEffect(() => {
      latest.period = period;
    });
    return <PeriodInput period={period} />;
  }
  render(<Period />);
  const state = () => ({ ...latest.period?.read(), problem: latest.period?.problem });
  const choose = (hours: string) => fireEvent.change(screen.getByLabelText(t.period), { target: { value: hours } });
  const write = (label: string, text: string) => fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
  expect(state()).toEqual({ from: '2026-11-14T10:00:00.000Z', problem: undefined });
  choose('1');
  expect(state()).toEqual({ from: '2026-11-21T09:00:00.000Z', problem: undefined });
  expect(screen.queryByLabelText(t.from)).toBeNull();
  // The two times begin as the length that was chosen before.
  choose('0');
  expect(state()).toEqual({ from: '2026-11-21T09:00:00.000Z', to: '2026-11-21T10:00:00.000Z', problem: undefined });
  write(t.to, '2026-11-20T00:00');
  expect(latest.period?.problem).toBe(t.endsFirst);
  write(t.from, '2026-11-20T00:00');
  expect(latest.period?.problem).toBe(t.endsFirst);
  write(t.to, '2026-11-20T00:01');
  expect(latest.period?.problem).toBeUndefined();
  write(t.from, '2026-05-01T00:00');
  const end = new Date(Date.parse('2026-05-01T00:00:00') + backtestLimits.days * 24 * 3_600_000);
  const local = (time: Date) => new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  write(t.to, local(end));
  expect(latest.period?.problem).toBeUndefined();
  write(t.to, local(new Date(end.getTime() + 60_000)));
  expect(latest.period?.problem).toBe(t.tooLong(backtestLimits.days));
  write(t.from, '');
  expect(latest.period?.problem).toBe(t.noTimes);
  choose('24');
  expect(state()).toEqual({ from: '2026-11-20T10:00:00.000Z', problem: undefined });
});
