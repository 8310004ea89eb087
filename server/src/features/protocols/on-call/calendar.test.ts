import { expect, it } from 'vitest';
import { calendarText } from './calendar.ts';

it('keeps every text on its line, whatever breaks a line for a client', () => {
  const name = 'N\rBEGIN:VEVENT\rSUMMARY:evil\nx\r\ny;z';
  const text = calendarText({ onCallScheduleId: 'a', name, shifts: [{ from: 0, to: 1_000, name: 'Ada' } as never], now: 0 });
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(text.replaceAll('\r\n ', '')).toContain(String.raw`SUMMARY:Ada on call: N\nBEGIN:VEVENT\nSUMMARY:evil\nx\ny\;z`);
  expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(1);
});
