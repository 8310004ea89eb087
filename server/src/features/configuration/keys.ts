/** Keys of a document and the keys that its rows have here. */

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export interface Keys {
  set(from: unknown, to: string | number): void;
  /** The value with every key in it, also inside of JSON and text, as it is here. */
  translate(value: unknown): unknown;
  /** Of a numeric reference, whose number means one resource only. */
  numberOf(resource: string, value: number): number;
  setNumber(resource: string, from: number, to: number): void;
}

export function newKeys(): Keys {
  const guids = new Map<string, string>();
  const numbers = new Map<string, number>();

  function translate(value: unknown): unknown {
    if (typeof value === 'string') return value.replaceAll(guid, (id) => guids.get(id.toLowerCase()) ?? id);
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, translate(part)]));
  }

  return {
    set: (from, to) => {
      if (typeof from === 'string' && typeof to === 'string' && from.toLowerCase() !== to) guids.set(from.toLowerCase(), to);
    },
    translate,
    setNumber: (resource, from, to) => void numbers.set(`${resource} ${from}`, to),
    numberOf: (resource, value) => numbers.get(`${resource} ${value}`) ?? value,
  };
}

/** Equal as JSON, whatever the order of names: the database keeps its own. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a ?? null, b ?? null)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...names].every((name) => sameValue(left[name], right[name]));
}
