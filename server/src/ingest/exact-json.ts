/** Finds what JSON parsing would silently change: bytes that are not UTF-8, and duplicate properties, of which one is kept. */
import { isUtf8 } from 'node:buffer';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { GiveTurn } from '../platform/turns.ts';
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

/** How far a value is read, and what it had until there. */
interface WrittenPart {
  at: number;
  properties: number;
  commas: number;
  /** How deep brackets nest at `at`. */
  open: number;
  depth: number;
}

/** Reads on in `part` up to the comma or bracket behind the value, or to `until`. Returns whether the value may go on behind it. */
function readPart(bytes: Buffer, part: WrittenPart, until: number): boolean {
  let { at, properties, commas, open, depth } = part;
  let goesOn = true;
  for (; at < until; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === colon) properties += 1;
    else if (byte === comma) {
      goesOn = open > 0;
      if (!goesOn) break;
      commas += 1;
    } else if (byte === openBrace || byte === openBracket) {
      open += 1;
      if (open > depth) depth = open;
    } else if (byte === closeBrace || byte === closeBracket) {
      goesOn = open > 0;
      if (!goesOn) break;
      open -= 1;
    }
  }
  part.at = at;
  part.properties = properties;
  part.commas = commas;
  part.open = open;
  part.depth = depth;
  return goesOn && at < bytes.length;
}

/** Reads one value from `start`, up to the comma or bracket behind it. */
export function writtenValue(bytes: Buffer, start = 0): WrittenValue {
  const part: WrittenPart = { at: start, properties: 0, commas: 0, open: 0, depth: 0 };
  readPart(bytes, part, bytes.length);
  const { at, properties, commas, depth } = part;
  return { bytes: bytes.subarray(start, at), properties, commas, depth };
}

const partBytes = 1_048_576;

/** Reads the value at the start of a large body as `writtenValue` does, and lets others have a turn between its parts. */
export async function writtenInTurns(bytes: Buffer, turn: GiveTurn): Promise<WrittenValue> {
  const part: WrittenPart = { at: 0, properties: 0, commas: 0, open: 0, depth: 0 };
  while (readPart(bytes, part, Math.min(bytes.length, part.at + partBytes))) await turn();
  const { at, properties, commas, depth } = part;
  return { bytes: bytes.subarray(0, at), properties, commas, depth };
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
