/** Splits a request body into items: one packet, an array of packets, or one packet per line. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';

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

function parseLine(line: string): RawItem {
  try {
    return { json: JSON.parse(line) };
  } catch {
    return { invalid: 'This line is not valid JSON.' };
  }
}

function parseLines(text: string): RawItem[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > limits.packetsPerBatch) throw batchTooLarge();
  return lines.map(parseLine);
}

const lineTypes = /ndjson|jsonl|json-seq|json-lines/i;

/** `body` is text, or the value that `http` has parsed. */
export function parseBody(body: unknown, contentType: string): RawItem[] {
  if (typeof body === 'string' && lineTypes.test(contentType)) return parseLines(body);
  const parsed = typeof body === 'string' ? parseJson(body) : body;
  if (typeof parsed !== 'object' || parsed === null)
    throw new ApiError('InvalidBody', 'Send one packet, an array of packets, or a packet per line.');
  const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (items.length > limits.packetsPerBatch) throw batchTooLarge();
  return items.map((json) => ({ json }));
}
