export type PacketValue = string | number | boolean | null;

/** A value that an entity reported, to read; nothing where it reported none. */
export function packetValueText(value: PacketValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 }) : String(value);
}
