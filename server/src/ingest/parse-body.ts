/** Splits a request body into items: one packet, an array of packets, or one packet per line. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { takeTurns } from '../platform/turns.ts';
import { packetTooLarge, tooManyKeys } from './check-message.ts';
import { countWritten, exactProblem, itemBytes } from './exact-json.ts';

/** One item as it was sent. A line that is not JSON is an item too, so that it is refused at its place. */
export type RawItem = { json: unknown } | { invalid: string };

function batchTooLarge(): ApiError {
  return new ApiError('PayloadTooLarge', `A batch holds at most ${limits.packetsPerBatch} packets.`);
}

const invalidBody = () => new ApiError('InvalidBody', 'The body is not valid JSON.');

/** Yields items one by one, so that a large body does not block other requests. */
async function parseBytes(bytes: Buffer): Promise<RawItem[]> {
  const items = itemBytes(bytes);
  if (!items) throw invalidBody();
  const parsed = await parseItems(items);
  if (parsed.some((one) => 'invalid' in one && one.invalid === notJson)) throw invalidBody();
  return parsed;
}

/** The keys of a packet besides those of its message: `entityId`, `message`, `Metrics` and so on. */
const envelopeKeys = 9;
const envelopeBytes = 1_024;

/** `bytes` are one item. An item that is too large is refused before it is parsed. */
function parseItem(bytes: Buffer): RawItem {
  if (bytes.length > limits.packetBytes + envelopeBytes) return { invalid: packetTooLarge };
  if (countWritten(bytes) > limits.packetKeys + envelopeKeys) return { invalid: tooManyKeys };
  try {
    const json: unknown = JSON.parse(bytes.toString());
    const problem = exactProblem(bytes);
    return problem === undefined ? { json } : { invalid: problem };
  } catch {
    return { invalid: notJson };
  }
}

const notJson = 'This line is not valid JSON.';

async function parseItems(items: readonly Buffer[]): Promise<RawItem[]> {
  if (items.length > limits.packetsPerBatch) throw batchTooLarge();
  const turn = takeTurns();
  const parsed: RawItem[] = [];
  for (const item of items) {
    parsed.push(parseItem(item));
    await turn();
  }
  return parsed;
}

function parseLines(text: Buffer): Promise<RawItem[]> {
  const lines: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.subarray(start, end < 0 ? text.length : end);
    if (line.toString('latin1').trim() !== '') lines.push(line);
    start = end < 0 ? text.length : end + 1;
  }
  return parseItems(lines);
}

const lineTypes = /ndjson|jsonl|json-seq|json-lines/i;

/** `body` is the received bytes, or the value parsed from them when parsing changed nothing. */
export async function parseBody(body: unknown, contentType: string): Promise<RawItem[]> {
  if (Buffer.isBuffer(body)) return lineTypes.test(contentType) ? parseLines(body) : parseBytes(body);
  if (typeof body !== 'object' || body === null)
    throw new ApiError('InvalidBody', 'Send one packet, an array of packets, or a packet per line.');
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length > limits.packetsPerBatch) throw batchTooLarge();
  return items.map((json) => ({ json }));
}
