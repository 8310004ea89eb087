/** Writes durations for people; how numbers are written is the reader's choice. */

const spans: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `300 d`, `2 d 4 h`, `12 min`: a duration in at most two units, in one unit from 10 of the larger unit on. */
export function spanText(seconds: number, number: (value: number) => string): string {
  const size = Math.abs(seconds);
  const at = spans.findIndex(([length]) => size >= length);
  const [length, name] = spans[at] ?? [1, 's'];
  if (at === -1) return `${number(seconds)} s`;
  const whole = size / length < 10 ? Math.floor(size / length) : Math.round(size / length);
  const [smaller, smallerName] = spans[at + 1] ?? [1, 's'];
  const rest = whole < 10 ? Math.floor((size - whole * length) / smaller) : 0;
  return `${seconds < 0 ? '-' : ''}${number(whole)} ${name}${rest > 0 ? ` ${rest} ${smallerName}` : ''}`;
}
