/** The place of a metric in a packet's message. */
export interface MetricPlace {
  part: 'Value' | 'Metrics' | 'States' | 'Properties';
  /** Empty for `Value`. */
  key: string;
}

const prefixed = /^(Metrics|States|Properties)\.(.+)$/s;

/**
 * Returns the place of a reading by its name: `Value`, `Metrics.Cpu`, `States.Health` or `Properties.Version`. Without a prefix,
 * the reading is in `Metrics`.
 */
export function placeOf(name: string): MetricPlace {
  if (name === 'Value') return { part: 'Value', key: '' };
  const match = prefixed.exec(name);
  return match ? { part: match[1] as MetricPlace['part'], key: match[2] ?? '' } : { part: 'Metrics', key: name };
}

/** Returns the shortest name that `placeOf` maps to this place. */
export function nameOf({ part, key }: MetricPlace): string {
  if (part === 'Value') return part;
  return part === 'Metrics' && key !== 'Value' && !prefixed.test(key) ? key : `${part}.${key}`;
}
