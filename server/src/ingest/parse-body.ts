/** Splits a request body into items: one packet, an array of packets, or one packet per line. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { takeTurns } from '../platform/turns.ts';
import { exactProblem, writtenItems, writtenValue, type WrittenValue } from './exact-json.ts';
import { refusals, type PacketRefusal } from './refusals.ts';
import { parseSafely, PoisonedJson } from './safe-json.ts';

/** One item as it was sent. An item that is not JSON is refused under its own index; the others are not affected. */
export type RawItem = { json: unknown } | { invalid: PacketRefusal };

function batchTooLarge(): ApiError {
  return new ApiError('PayloadTooLarge', `A batch holds at most ${limits.packetsPerBatch} packets.`);
}

const openBracket = 91;

/**
 * The number of keys of a packet outside its Properties, Metrics, States and Diagnostics: `entityId`, `message`, `Metrics` and
 * so on.
 */
const envelopeKeys = 9;
const envelopeBytes = 1_024;

/** Parses an item; refuses an item that is too large without parsing it. */
function parseItem(written: WrittenValue): RawItem {
  if (written.bytes.length > limits.packetBytes + envelopeBytes) return { invalid: refusals.tooLarge };
  if (written.properties > limits.packetKeys + envelopeKeys) return { invalid: refusals.tooManyKeys };
  if (written.commas > limits.packetValues + envelopeKeys) return { invalid: refusals.tooManyValues };
  if (written.depth > limits.jsonDepth) return { invalid: refusals.tooDeep };
  try {
    const json = parseSafely(written.bytes.toString());
    const problem = exactProblem(written, json);
    return problem === undefined ? { json } : { invalid: problem };
  } catch (error) {
    return { invalid: error instanceof PoisonedJson ? refusals.poisoned : refusals.notJson };
  }
}

/** Parses one item after another; between items, other requests are served. */
async function parseItems(items: Iterable<WrittenValue>): Promise<RawItem[]> {
  const turn = takeTurns();
  const parsed: RawItem[] = [];
  for (const item of items) {
    if (parsed.length === limits.packetsPerBatch) throw batchTooLarge();
    parsed.push(parseItem(item));
    await turn();
  }
  return parsed;
}

async function parseBytes(bytes: Buffer): Promise<RawItem[]> {
  const parsed = await parseItems(writtenItems(bytes));
  const [only] = parsed;
  // A single packet that is not JSON has no index to be refused under.
  const isArray = bytes[bytes.findIndex((byte) => byte > 32)] === openBracket;
  if (!isArray && only && 'invalid' in only && only.invalid === refusals.notJson)
    throw new ApiError('InvalidBody', 'The body is not valid JSON.');
  return parsed;
}

function* linesOf(text: Buffer): Generator<WrittenValue> {
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = text.subarray(start, end);
    // Text after the value makes the line invalid, so it belongs to the item.
    if (line.some((byte) => byte > 32)) yield { ...writtenValue(line), bytes: line };
    start = end + 1;
  }
}

const lineTypes = /ndjson|jsonl|json-seq|json-lines/i;

/**
 * Splits a request body into items. `body` is the received bytes, or the value parsed from the bytes when parsing changed
 * nothing.
 */
export async function parseBody(body: unknown, contentType: string): Promise<RawItem[]> {
  if (Buffer.isBuffer(body)) return lineTypes.test(contentType) ? parseItems(linesOf(body)) : parseBytes(body);
  if (typeof body !== 'object' || body === null)
    throw new ApiError('InvalidBody', 'Send one packet, an array of packets, or a packet per line.');
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length > limits.packetsPerBatch) throw batchTooLarge();
  return items.map((json) => ({ json }));
}
