/** What the formats of sources have in common: a payload is read as readings, and answered in the form that its sender understands. */
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { TemplateValues } from '@cloudfit/contract/sources/template.ts';
import { largestObject, writtenInTurns } from '../ingest/exact-json.ts';
import { parseSafely, PoisonedJson } from '../ingest/safe-json.ts';
import type { GiveTurn } from '../platform/turns.ts';

/** A request to the address of a source. */
export interface Payload {
  method: string;
  /** What follows the address of the source, such as `/v2/enqueue`. */
  path: string;
  query: URLSearchParams;
  contentType: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  /** The name of the device whose agent has heard the items; undefined for what somebody has sent to the address of the source. */
  gateway?: string;
}

/** One thing that a payload says. Templates name its entity; `message` has what the format itself knows a place for. */
export interface SourceReading extends TemplateValues {
  /** In milliseconds. */
  time?: number;
  /** When an agent has heard it, in milliseconds, for a source that takes the time of the receipt. */
  received?: number;
  /** By which a repetition is known. */
  id?: string;
  message: PacketMessage;
  /** How many of the sender's values it has; 1 unless it says so. */
  weight?: number;
}

/** Why an item is not stored, with a code that stays the same. */
export interface ItemRefusal {
  code: string;
  message: string;
}

/** An item that cannot be read. Its neighbours are read all the same. */
export interface RefusedReading {
  refusal: ItemRefusal;
  /** What was sent. */
  sent: unknown;
  weight?: number;
}

/** What became of a payload, counted in what its sender counts: alerts, items, or single values. */
export interface IntakeOutcome {
  total: number;
  stored: number;
  duplicate: number;
  /** How many items were refused, and the reasons of the first ones. */
  refused: number;
  reasons: readonly ItemRefusal[];
}

export type PayloadReadings = (SourceReading | RefusedReading)[];

export interface FormatAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The usual answer: 200 when at least one item is stored, now or before, or when there was none. */
export function usualAnswer({ total, stored, duplicate, refused, reasons }: IntakeOutcome): FormatAnswer {
  const details = reasons.map(({ code, message }) => ({ code, message }));
  if (total > 0 && refused === total) {
    const [first] = reasons;
    const message = total === 1 ? (first?.message ?? '') : `None of the ${total} items was stored. The first: ${first?.message ?? ''}`;
    return { status: 400, body: { error: { code: 'ValidationFailed', message, details } } };
  }
  return { status: 200, body: { stored, duplicate, refused, ...(refused > 0 ? { reasons: details } : {}) } };
}

/** The maximum number of items of one payload. */
export const maxReadings = 10_000;

/** Reads one item of a list after the other, and lets others have a turn between them. */
export async function readEach<T>(
  items: readonly T[],
  read: (item: T, index: number) => SourceReading | RefusedReading | Promise<SourceReading | RefusedReading>,
  turn: GiveTurn,
): Promise<PayloadReadings> {
  if (items.length > maxReadings) throw new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} items. Send it in parts.`);
  const readings: PayloadReadings = [];
  for (const [index, item] of items.entries()) {
    readings.push(await read(item, index));
    await turn();
  }
  return readings;
}

export const isRefused = (reading: SourceReading | RefusedReading): reading is RefusedReading => 'refusal' in reading;

export function refusedReading(code: string, message: string, sent: unknown): RefusedReading {
  return { refusal: { code, message }, sent };
}

/** Parses a JSON text, which cannot be divided. */
function parsedJson(text: string): unknown {
  try {
    return parseSafely(text);
  } catch (error) {
    if (error instanceof PoisonedJson)
      throw new ApiError('InvalidBody', 'A property of the body must not be named __proto__ or constructor.');
    throw new ApiError('InvalidBody', `The body is not valid JSON: ${messageOf(error)}`);
  }
}

/**
 * Parses the JSON of a payload within the limits of all bodies, which are counted before anything is built. Others have turns
 * meanwhile, because reading eight megabytes takes a tenth of a second.
 */
export async function jsonOf({ bytes }: Pick<Payload, 'bytes'>, turn: GiveTurn): Promise<unknown> {
  const { depth, commas, properties } = await writtenInTurns(bytes, turn);
  if (depth > limits.jsonDepth) throw new ApiError('InvalidBody', `The body nests deeper than ${limits.jsonDepth} levels.`);
  if (commas > limits.bodyValues)
    throw new ApiError('InvalidBody', `The body has more than ${limits.bodyValues} values. Send it in parts.`);
  if (properties > limits.objectProperties && largestObject(bytes) > limits.objectProperties)
    throw new ApiError('InvalidBody', `An object of the body has more than ${limits.objectProperties} properties.`);
  const text = bytes.toString();
  if (text.trim() === '') throw new ApiError('InvalidBody', 'The body is empty.');
  await turn();
  const value = parsedJson(text);
  await turn();
  return value;
}

/** The lines of a body that are not blank. They are counted first, because a body may be millions of line ends. */
export function linesIn({ bytes }: Pick<Payload, 'bytes'>): string[] {
  const tooMany = () => new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} lines. Send it in parts.`);
  let ends = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (++ends > 2 * maxReadings) throw tooMany();
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length > maxReadings) throw tooMany();
  return lines;
}

/** The value without the properties that are null, which many senders write for what they do not have. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, part]) => (part === null ? [] : [[name, withoutNulls(part)]])));
}
