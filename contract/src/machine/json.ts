/** Reads the JSON of other programs, of which only some fields count. */

/** Returns what stands under these keys; undefined if something on the way is missing. */
export function valueAt(json: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
    json,
  );
}

export function numberAt(json: unknown, ...keys: readonly string[]): number | undefined {
  const value = valueAt(json, ...keys);
  return typeof value === 'number' ? value : undefined;
}

export function textAt(json: unknown, ...keys: readonly string[]): string | undefined {
  const value = valueAt(json, ...keys);
  return typeof value === 'string' ? value : undefined;
}

/** Returns a list; a single value where other values would be a list, as PowerShell writes it, is a list of one. */
export function listAt(json: unknown, ...keys: readonly string[]): readonly unknown[] {
  const value = valueAt(json, ...keys);
  return Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];
}
