/** Maps keys of a document to the keys of the same rows in this installation; compares rows. */

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export interface Keys {
  set(from: unknown, to: string | number): void;
  /**
   * Returns the value with every known key replaced by the key of this installation, also inside JSON and text. A list loses the
   * items that are left out, or have a property that is.
   */
  translate(value: unknown): unknown;
  /** Returns the number of this installation for a number of the document. Numbers are unique only within a `resource`. */
  numberOf(resource: string, value: number): number;
  setNumber(resource: string, from: number, to: number): void;
  /** What has this key and name is left out of the rows that name it. */
  leaveOut(key: unknown, name: string): void;
  /** The name of what is left out, for a key of it. */
  leftOut(key: string): string | undefined;
}

export function newKeys(): Keys {
  const guids = new Map<string, string>();
  const numbers = new Map<string, number>();
  const left = new Map<string, string>();

  function translate(value: unknown): unknown {
    if (typeof value === 'string') return value.replaceAll(guid, (id) => guids.get(id.toLowerCase()) ?? id);
    if (Array.isArray(value)) return value.filter((item) => left.size === 0 || !isLeftOut(item)).map(translate);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, translate(part)]));
  }

  /** An id of a list, or an object that has the id as one of its values, such as a component of a status page. */
  function isLeftOut(item: unknown): boolean {
    if (typeof item === 'string') return left.has(item.toLowerCase());
    return (
      typeof item === 'object' &&
      item !== null &&
      !Array.isArray(item) &&
      Object.values(item).some((v) => typeof v === 'string' && left.has(v.toLowerCase()))
    );
  }

  return {
    set: (from, to) => {
      if (typeof from === 'string' && typeof to === 'string' && from.toLowerCase() !== to) guids.set(from.toLowerCase(), to);
    },
    translate,
    setNumber: (resource, from, to) => void numbers.set(`${resource} ${from}`, to),
    numberOf: (resource, value) => numbers.get(`${resource} ${value}`) ?? value,
    leaveOut: (key, name) => void left.set(String(key).toLowerCase(), name),
    leftOut: (key) => left.get(key.toLowerCase()),
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
