/** Finds what JSON parsing would silently change: bytes that are not UTF-8, and duplicate properties, of which one is kept. */
import { isUtf8 } from 'node:buffer';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { PacketRefusal } from './refusals.ts';

const [quote, backslash, colon, comma, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 58, 44, 91, 93, 123, 125];

/** One JSON value as it is written. It may still be invalid JSON. */
export interface WrittenValue {
  bytes: Buffer;
  /** Number of properties at any depth. */
  properties: number;
  /** Number of commas at any depth. Each list or object has one comma less than values. */
  commas: number;
  /** How deep brackets nest. */
  depth: number;
}

/** Index of the quote that ends the string starting at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** Reads one value from `start`, up to the comma or bracket behind it. */
export function writtenValue(bytes: Buffer, start = 0): WrittenValue {
  let properties = 0;
  let commas = 0;
  let depth = 0;
  let deepest = 0;
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === colon) properties += 1;
    else if (byte === comma) {
      if (depth === 0) break;
      commas += 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  return { bytes: bytes.subarray(start, at), properties, commas, depth: deepest };
}

/** The number of properties of the object with most of them. */
export function largestObject(bytes: Buffer): number {
  const open: number[] = [];
  let largest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === colon) open[open.length - 1] = (open.at(-1) ?? 0) + 1;
    else if (byte === openBrace) open.push(0);
    else if (byte === closeBrace) largest = Math.max(largest, open.pop() ?? 0);
  }
  return Math.max(largest, ...open);
}

/** Number of properties after parsing. */
function countParsed(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countParsed(item);
  else for (const key in value) count += 1 + countParsed((value as Record<string, unknown>)[key]);
  return count;
}

/** Whether parsing these bytes of valid JSON as `value` lost nothing. */
export function isExact({ bytes, properties }: WrittenValue, value: unknown): boolean {
  return isUtf8(bytes) && properties === countParsed(value);
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

/** What parsing these bytes as `value` changed; undefined when it changed nothing. */
export function exactProblem(written: WrittenValue, value: unknown): PacketRefusal | undefined {
  if (isExact(written, value)) return undefined;
  const name = isUtf8(written.bytes) ? repeatedName(written.bytes) : undefined;
  return name === undefined
    ? { code: 'InvalidText', message: 'The packet is not valid UTF-8.' }
    : { code: 'PropertyTwice', message: `The packet has the property ${name.slice(0, 100)} twice.` };
}

/**
 * Yields the items of an array, or the value itself when it is no array. An item may be invalid JSON. Throws when the items cannot be
 * told apart any more, because the array does not end or something follows it.
 */
export function* writtenItems(bytes: Buffer): Generator<WrittenValue, void> {
  const isSpace = (from: number, to: number): boolean => bytes.subarray(from, to).every((byte) => byte <= 32);
  const first = bytes.findIndex((byte) => byte > 32);
  // Text after the value makes it invalid, so it belongs to the item.
  if (bytes[first] !== openBracket) return yield { ...writtenValue(bytes), bytes };
  const lost = (what: string, at: number): ApiError =>
    new ApiError('InvalidBody', `The body is not valid JSON: ${what} at byte ${at}. Nothing was stored.`);
  for (let start = first + 1, index = 0; ; index += 1) {
    const item = writtenValue(bytes, start);
    const end = start + item.bytes.length;
    const isLast = bytes[end] === closeBracket;
    if (isLast && !isSpace(end + 1, bytes.length)) throw lost('something follows the array', end + 1);
    if (!isLast && bytes[end] !== comma) throw lost(`the array or its item ${index} does not end; the item begins`, start);
    if (isLast && index === 0 && isSpace(start, end)) return;
    yield item;
    if (isLast) return;
    start = end + 1;
  }
}
