import { expect, it } from 'vitest';
import { byteRangeOf } from './byte-range.ts';

it('reads one range of bytes as RFC 9110 says', () => {
  const of = (header: string | undefined) => byteRangeOf(header, 100);
  expect(of('bytes=0-')).toEqual({ start: 0, end: 99 });
  expect(of('bytes=40-')).toEqual({ start: 40, end: 99 });
  expect(of('bytes=40-49')).toEqual({ start: 40, end: 49 });
  expect(of('bytes=40-4000')).toEqual({ start: 40, end: 99 });
  expect(of('bytes=-10')).toEqual({ start: 90, end: 99 });
  expect(of('bytes=-1000')).toEqual({ start: 0, end: 99 });
  for (const whole of [undefined, '', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=a-b']) expect(of(whole)).toBeUndefined();
  for (const beyond of ['bytes=100-', 'bytes=500-600', 'bytes=-0']) expect(of(beyond)).toBe('none');
});
