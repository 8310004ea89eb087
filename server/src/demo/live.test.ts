import { expect, it } from 'vitest';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { incidentsAt, operationReadingOf, readingOf } from './live.ts';
const from = Date.parse('2026-11-20T00:00:00Z');
const minutes = Array.from({ length: 24 * 60 }, (_, n) => new Date(from + n * minuteMs));
const device = (n: number) => ({ deviceId: `device ${n}`, name: `web-${n}`, last: { at: new Date(from), disk: 71.5, uptimeSeconds: 500 } });
const cpuOf = (n: number, at: Date) => (readingOf(device(n), at)['Metrics'] as { Cpu: number }).Cpu;

it('reports the same at the same time, and more by day than by night', () => {
  expect(readingOf(device(1), minutes[70]!)).toEqual(readingOf(device(1), minutes[70]!));
  const mean = (hour: number) => minutes.slice(hour * 60, hour * 60 + 60).reduce((sum, at) => sum + cpuOf(3, at), 0) / 60;
  expect(mean(14)).toBeGreaterThan(mean(2) * 1.5);
});

it.each([
  [40, 1],
  [1_000, 5],
  [20_000, 5],
])('has incidents of its rules from the first minute, several an hour, with an end: %i devices', (devices, max) => {
  const ids = Array.from({ length: devices }, (_, n) => `device ${n}`);
  const started = new Date(from + 123_456);
  const hour = Array.from({ length: 60 }, (_, n) => incidentsAt(ids, started, new Date(started.getTime() + n * minuteMs)));
  expect([...hour[0]!.values()][0]).toBe('Disk');
  for (const [n, { size }] of hour.entries()) expect([size > 0, size <= max]).toEqual([n % 10 < 6, true]);
  for (let n = 0; n < 60; n += 10) for (let k = 1; k < 6; k++) expect(hour[n + k]).toEqual(hour[n]);
  expect(new Set(hour.flatMap((item) => [...item.keys()])).size).toBeGreaterThan(4);
  expect(new Set(hour.flatMap((item) => [...item.values()]))).toEqual(new Set(['Disk', 'Cpu', 'Memory']));
});

it('reports more than the limit of a rule during an incident, and less otherwise', () => {
  const limits = { Cpu: 90, Memory: 95, Disk: 95 };
  for (const at of minutes.slice(0, 300))
    for (const kind of [undefined, 'Cpu', 'Memory', 'Disk'] as const) {
      const metrics = readingOf(device(2), at, kind)['Metrics'] as Record<string, number>;
      for (const [metric, limit] of Object.entries(limits)) expect(metrics[metric]! > limit, `${kind} ${metric}`).toBe(metric === kind);
    }
});

it('goes on from the disk and the uptime that were reported last', () => {
  expect(readingOf(device(1), minutes[0]!)['Metrics']).toMatchObject({ Disk: 71.5, Uptime: 500 });
  const { Disk, Uptime } = readingOf(device(1), minutes.at(-1)!)['Metrics'] as { Disk: number; Uptime: number };
  expect([Uptime, Disk >= 71.5 && Disk < 72]).toEqual([500 + 1_439 * 60, true]);
});

it.each(['Backup age', 'Open files'])('has a number as the result of %s', (packageName) => {
  for (const at of minutes) expect(operationReadingOf({ deviceOperationId: 'x', packageName }, at)['Value']).toBeGreaterThanOrEqual(0);
});
