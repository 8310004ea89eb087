import { decimalText } from '../../theme/times.ts';
export type PacketValue = string | number | boolean | null;

/** A reported value as text; empty when there is none. */
export function packetValueText(value: PacketValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? decimalText(value, 3) : String(value);
}
