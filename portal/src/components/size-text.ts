import { decimalText } from '../theme/times.ts';

const units = ['B', 'kB', 'MB', 'GB'];

/** A number of bytes as readable text. */
export function sizeText(bytes: number): string {
  const step = Math.min(units.length - 1, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  const value = bytes / 1_000 ** step;
  return `${value >= 10 || step === 0 ? Math.round(value) : decimalText(value, 1)} ${units[step]}`;
}
