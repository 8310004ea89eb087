/** Splits a request body into items: one packet, an array of packets, or one packet per line. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { exactProblem, itemBytes } from './exact-json.ts';

/** One item as it was sent. A line that is not JSON is an item too, so that it is refused at its place. */
export type RawItem = { json: unknown } | { invalid: string };

function batchTooLarge(): ApiError {
  return new ApiError('PayloadTooLarge', `A batch holds at most ${limits.packetsPerBatch} packets.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('InvalidBody', 'The body is not valid JSON.');
  }
}

/** `bytes` are one item. */
function parseItem(bytes: Buffer): RawItem {
  try {
    const json: unknown = JSON.parse(bytes.toString());
    const problem = exactProblem(bytes);
    return problem === undefined ? { json } : { invalid: problem };
  } catch {
    return { invalid: 'This line is not valid JSON.' };
  }
}

function parseLines(text: Buffer): RawItem[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.subarray(start, end < 0 ? text.length : end);
    if (line.toString('latin1').trim() !== '') lines.push(line);
    start = end < 0 ? text.length : end + 1;
  }
  if (lines.length > limits.packetsPerBatch) throw batchTooLarge();
  return lines.map(parseItem);
}

const lineTypes = /ndjson|jsonl|json-seq|json-lines/i;

/** `body` is the bytes that were sent, or the value that was parsed from them when it says the same. */
export function parseBody(body: unknown, contentType: string): RawItem[] {
  if (Buffer.isBuffer(body) && lineTypes.test(contentType)) return parseLines(body);
  const parsed = Buffer.isBuffer(body) ? parseJson(body.toString()) : body;
  if (typeof parsed !== 'object' || parsed === null)
    throw new ApiError('InvalidBody', 'Send one packet, an array of packets, or a packet per line.');
  const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (items.length > limits.packetsPerBatch) throw batchTooLarge();
  return Buffer.isBuffer(body) ? itemBytes(body).map(parseItem) : items.map((json) => ({ json }));
}
