import '../../../../testing/browser.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { queryClient } from '../../../../api/query-client.ts';
import { valuesOf, type RuleValues } from '../rule-draft.ts';
import type { RuleEditing } from '../use-rule-editing.ts';
import { TimeLimits } from './time-limits.tsx';

/** Shows the time limits of a rule; returns how they are now. */
function show(timeConditions: RuleValues['timeConditions'], problems: Readonly<Record<string, string>> = {}) {
  globalThis.fetch = () => Promise.resolve(Response.json([{ id: 'UTC', name: 'UTC' }]));
  const first = { ...valuesOf({}), timeConditions };
  const last = { timeConditions };
  const touched: string[] = [];
  function Form() {
    const [values, setValues] = useState<RuleValues>(first);
    const editing = {
      values,
      change: (part: Partial<RuleValues>) => {
        const next = { ...values, ...part };
        last.timeConditions = next.timeConditions;
        setValues(next);
      },
      touch: (target: string) => touched.push(target),
      problemAt: (target: string) => problems[target],
      readOnly: false,
    } as unknown as RuleEditing;
    return <TimeLimits editing={editing} />;
  }
  render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  return { time: () => last.timeConditions, touched };
}
const field = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const write = (label: RegExp, value: string) => fireEvent.change(field(label), { target: { value } });

it('begin with all days, go when they are switched off, and come back as they were', () => {
  const { time } = show(null);
  expect(screen.queryByLabelText(/^Daily from/)).toBeNull();
  fireEvent.click(screen.getByRole('switch'));
  const first = { DaysOfWeek: expect.arrayContaining([0, 1, 2, 3, 4, 5, 6]), TimeZoneId: 'America/New_York' };
  expect(time()).toEqual(first);
  write(/^Daily from/, '22:00');
  fireEvent.click(screen.getByRole('switch'));
  expect(time()).toBeNull();
  fireEvent.click(screen.getByRole('switch'));
  expect(time()).toEqual({ ...first, DailyStartTime: '22:00' });
});

it('have daily times, which may end on the next day, and days of the month, of which the typed text stays', () => {
  const { time, touched } = show({ TimeZoneId: 'UTC', DailyStartTime: '08:00', DailyEndTime: '17:00' });
  expect([field(/^Daily from/).value, field(/^Daily until/).value]).toEqual(['08:00', '17:00']);
  expect(screen.queryByText('Ends on the next day.')).toBeNull();
  write(/^Daily from/, '17:00');
  expect(screen.queryByText('Ends on the next day.')).toBeNull();
  write(/^Daily from/, '17:01');
  expect(screen.getAllByText('Ends on the next day.')).toHaveLength(1);
  write(/^Daily until/, '');
  expect(time()).toMatchObject({ DailyStartTime: '17:01', DailyEndTime: null });
  expect(screen.queryByText('Ends on the next day.')).toBeNull();
  write(/^Days of month/, '1,  last');
  expect([time(), field(/^Days of month/).value]).toMatchObject([{ DaysOfMonth: [1], LastDayOfMonth: true }, '1,  last']);
  fireEvent.blur(field(/^Days of month/));
  fireEvent.blur(field(/^Daily until/));
  expect(touched).toEqual(['timeConditions.DaysOfMonth', 'timeConditions.DailyEndTime']);
});

it('show the saved days of the month, both ends of the range, and each problem at its place', () => {
  const saved = { TimeZoneId: 'UTC', DaysOfMonth: [1, 2, 3], LastDayOfMonth: true };
  show(saved, { timeConditions: 'Nothing is left.', 'timeConditions.DailyEndTime': 'No time.' });
  expect(field(/^Days of month/).value).toBe('1-3, last');
  expect([field(/^Not before/), field(/^Not after/)]).toHaveLength(2);
  expect(screen.getByRole('alert', { name: '' }).textContent).toBe('Nothing is left.');
  expect(screen.getByRole('switch').getAttribute('aria-invalid')).toBe('true');
  expect([field(/^Daily until/), field(/^Daily from/)].map((input) => input.getAttribute('aria-invalid'))).toEqual(['true', null]);
});
