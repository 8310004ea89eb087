import { expect, it } from 'vitest';
import { isIncident, operationReadingOf, readingOf } from './live.ts';

const minuteMs = 60_000;
const from = Date.parse('2026-11-20T00:00:00Z');
const minutes = Array.from({ length: 24 * 60 }, (_, n) => new Date(from + n * minuteMs));
const device = (n: number) => ({ deviceId: `device ${n}`, name: `web-${n}`, last: { at: new Date(from), disk: 71.5, uptimeSeconds: 500 } });
const cpuOf = (n: number, at: Date) => (readingOf(device(n), at)['Metrics'] as { Cpu: number }).Cpu;

it('reports the same at the same time, and more by day than by night', () => {
  expect(readingOf(device(1), minutes[70]!)).toEqual(readingOf(device(1), minutes[70]!));
  const mean = (hour: number) => minutes.slice(hour * 60, hour * 60 + 60).reduce((sum, at) => sum + cpuOf(3, at), 0) / 60;
  expect(mean(14)).toBeGreaterThan(mean(2) * 1.5);
});

it('has incidents of ten minutes now and then, at which a rule about the CPU matches', () => {
  const devices = Array.from({ length: 40 }, (_, n) => n);
  const inIncident = devices.flatMap((n) => minutes.filter((at) => isIncident(device(n).deviceId, at)).map((at) => cpuOf(n, at)));
  expect(inIncident.length % 10).toBe(0);
  expect(inIncident.length / 10).toBeGreaterThan(4);
  expect(inIncident.length / 10).toBeLessThan(40);
  expect(Math.min(...inIncident)).toBeGreaterThan(90);
  expect(
    Math.max(...devices.flatMap((n) => minutes.filter((at) => !isIncident(device(n).deviceId, at)).map((at) => cpuOf(n, at)))),
  ).toBeLessThan(90);
});

it('goes on from the disk and the uptime that were reported last', () => {
  expect(readingOf(device(1), minutes[0]!)['Metrics']).toMatchObject({ Disk: 71.5, Uptime: 500 });
  const { Disk, Uptime } = readingOf(device(1), minutes.at(-1)!)['Metrics'] as { Disk: number; Uptime: number };
  expect([Uptime, Disk >= 71.5 && Disk < 72]).toEqual([500 + 1_439 * 60, true]);
});

it.each(['Backup age', 'Open files'])('has a number as the result of %s', (packageName) => {
  for (const at of minutes) expect(operationReadingOf({ deviceOperationId: 'x', packageName }, at)['Value']).toBeGreaterThanOrEqual(0);
});
