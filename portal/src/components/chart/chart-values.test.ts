import { describe, expect, it } from 'vitest';
import { durationText, numberText, unitOf } from './number-text.ts';
import { bucketAt, extremesOf, lonePoints, toColumns, type ValueBucket, type ChartSeries } from './points.ts';
import { sparkPath } from './sparkline.tsx';

const bucket = (start: number, avg: number): ValueBucket => [start, avg - 1, avg, avg + 1, avg, 3];
const series = (starts: readonly number[], more: Partial<ChartSeries> = {}): ChartSeries => ({
  id: 'cpu',
  label: 'CPU',
  unit: 'percent',
  gap: 2_500,
  buckets: starts.map((start) => bucket(start, start / 1_000)),
  ...more,
});

describe('points', () => {
  it('begins a gap behind the last bucket before it, and only in its own series', () => {
    const [times, cpu, , , memory] = toColumns([series([1_000, 2_000, 9_000]), series([1_000, 2_000, 4_000, 6_000, 8_000, 9_000])]);
    expect(times).toEqual([1, 2, 2.001, 4, 6, 8, 9]);
    expect(cpu).toEqual([1, 2, null, undefined, undefined, undefined, 9]);
    expect(memory).toEqual([1, 2, undefined, 4, 6, 8, 9]);
  });

  it('has the average, the minimum and the maximum of each bucket', () => {
    const [, avg, min, max] = toColumns([series([5_000])]);
    expect([avg, min, max]).toEqual([[5], [4], [6]]);
  });

  it('has lone points, which no line would show', () => {
    const columns = toColumns([series([1_000, 2_000, 9_000]), series([4_000])]);
    expect(columns[0]).toEqual([1, 2, 2.001, 4, 9]);
    expect([columns[1], columns[4]].map((column) => lonePoints(column ?? []))).toEqual([[4], [3]]);
    expect(lonePoints([])).toEqual([]);
    expect(lonePoints([null, 1, undefined, null, 2])).toEqual([1, 4]);
  });

  it('leaves out what a logarithmic scale cannot show', () => {
    const [, , min] = toColumns([series([1_000, 2_000])], true);
    expect(min).toEqual([null, 1]);
  });

  it('reads the bucket at a time, and nothing in a gap or before the first', () => {
    const one = series([1_000, 2_000, 9_000]);
    expect([500, 1_000, 1_999, 4_400, 6_000, 9_500].map((time) => bucketAt(one, time)?.[0])).toEqual([
      undefined,
      1_000,
      1_000,
      2_000,
      undefined,
      9_000,
    ]);
    expect(bucketAt(series([]), 0)).toBeUndefined();
  });

  it('knows the range of all values, not of the averages', () => {
    expect(extremesOf(series([1_000, 9_000]))).toEqual({ min: 0, max: 10, last: 9 });
    expect(extremesOf(series([]))).toBeUndefined();
  });

  it('draws a new part after a gap, and a lone point as a short line', () => {
    expect(sparkPath(series([0, 1_000, 8_000]), 0, 10_000)).toBe('M0.0 22.5L10.0 22.3M80.0 20.8h1');
  });
});

describe('numbers', () => {
  it('says durations in days, hours and minutes', () => {
    expect([25_919_971, 187_200, 3_660, 59, 0.5, -7_200].map(durationText)).toEqual([
      '300 d',
      '2 d 4 h',
      '1 h 1 min',
      '59 s',
      '0.5 s',
      '-2 h',
    ]);
  });

  it('knows the unit of a metric by its name', () => {
    const names = ['Cpu', 'Disk /var', 'Uptime', 'UptimeSeconds', 'MemoryBytes', 'NetworkInBytesPerSecond', 'TotalMs', 'Processes'];
    expect(names.map(unitOf)).toEqual(['percent', 'percent', 'seconds', 'seconds', 'bytes', 'bytesPerSecond', 'milliseconds', 'none']);
  });

  it('has the unit of each figure of a machine', () => {
    const names = ['Metrics.CpuIowait', 'Cpu 0', 'DiskInodes /', 'DiskUtilization sda', 'PressureIoFull', 'Swap', 'DiskReadAwaitMs sda'];
    expect(names.map(unitOf)).toEqual(['percent', 'percent', 'percent', 'percent', 'percent', 'percent', 'milliseconds']);
    expect(['DiskReadOnly /', 'CpuCores', 'InterfaceUp eth0', 'DiskReadsPerSecond sda'].map(unitOf)).toEqual(Array(4).fill('none'));
  });

  it('is short and has its unit', () => {
    expect([numberText(41.26, 'percent'), numberText(64e9, 'bytes'), numberText(1_500, 'bytesPerSecond'), numberText(12_345.6)]).toEqual([
      '41.3 %',
      '64 GB',
      '1.5 kB/s',
      '12,346',
    ]);
  });
});
