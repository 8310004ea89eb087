/** Maps keys of a document to the keys of the same rows in this installation; sorts and compares rows. */

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Returns the rows with their positions in the list, sorted so that each row follows the rows of the list whose keys it
 * contains.
 */
export function afterThoseNamed(rows: readonly Record<string, unknown>[], key: string): [number, Record<string, unknown>][] {
  const places = new Map(rows.map((row, place) => [String(row[key]).toLowerCase(), place]));
  const ordered = new Set<number>();
  const visited = new Set<number>();
  function take(place: number): void {
    if (visited.has(place)) return;
    visited.add(place);
    for (const [id] of JSON.stringify(rows[place]).matchAll(guid)) {
      const named = places.get(id.toLowerCase());
      if (named !== undefined) take(named);
    }
    ordered.add(place);
  }
  rows.forEach((_, place) => take(place));
  return [...ordered].map((place) => [place, rows[place] as Record<string, unknown>]);
}

export interface Keys {
  set(from: unknown, to: string | number): void;
  /** Returns the value with every known key replaced by the key of this installation, also inside JSON and text. */
  translate(value: unknown): unknown;
  /** Returns the number of this installation for a number of the document. Numbers are unique only within a `resource`. */
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

/** Whether two values are equal as JSON, ignoring the order of property names, which the database changes. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a ?? null, b ?? null)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...names].every((name) => sameValue(left[name], right[name]));
}
