/** Finds what JSON parsing would silently change: bytes that are not UTF-8, and duplicate properties, of which only the last is kept. */
import { isUtf8 } from 'node:buffer';

const [quote, backslash, colon, comma, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 58, 44, 91, 93, 123, 125];

/** Index of the quote that ends the string starting at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** Number of properties in the text. */
export function countWritten(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === quote) at = endOfString(bytes, at);
    else if (bytes[at] === colon) count += 1;
  }
  return count;
}

/** Number of properties after parsing. */
function countParsed(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, one) => sum + countParsed(one), 0);
  return Array.isArray(value) ? inside : inside + Object.keys(value).length;
}

/** Whether `value` has everything that these bytes of valid JSON have. */
export function isExact(bytes: Buffer, value: unknown): boolean {
  return isUtf8(bytes) && countWritten(bytes) === countParsed(value);
}

/** The first property name that an object has twice. */
function repeatedName(bytes: Buffer): string | undefined {
  const names: Set<string>[] = [];
  let last = '';
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      last = JSON.parse(bytes.toString('utf8', at, end + 1)) as string;
      at = end;
    } else if (byte === openBrace) names.push(new Set());
    else if (byte === closeBrace) names.pop();
    else if (byte === colon) {
      if (names.at(-1)?.has(last)) return last;
      names.at(-1)?.add(last);
    }
  }
  return undefined;
}

/** What parsing these bytes would change, in words; undefined when it changes nothing. */
export function exactProblem(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return 'The packet is not valid UTF-8.';
  const name = repeatedName(bytes);
  return name === undefined ? undefined : `The packet has the property ${name.slice(0, 100)} twice.`;
}

/**
 * The bytes of each item of an array, or all bytes when the JSON is no array. For invalid JSON, returns undefined or
 * items of which one is invalid.
 */
export function itemBytes(bytes: Buffer): Buffer[] | undefined {
  const first = bytes.findIndex((byte) => byte > 32);
  if (bytes[first] !== openBracket) return [bytes];
  const items: Buffer[] = [];
  let depth = 0;
  let start = first + 1;
  for (let at = first; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBrace) depth -= 1;
    else if ((byte === comma && depth === 1) || byte === closeBracket) {
      if (byte === closeBracket && --depth > 0) continue;
      items.push(bytes.subarray(start, at));
      start = at + 1;
      if (depth === 0) break;
    }
  }
  if (depth !== 0 || bytes.subarray(start).some((byte) => byte > 32)) return undefined;
  return items.length === 1 && items[0]?.toString().trim() === '' ? [] : items;
}
