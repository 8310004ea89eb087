/** Reads the body of a posted HTML form. */
import type { IncomingMessage } from 'node:http';

const maxBytes = 16 * 1024;

/** Returns the fields of the form; undefined when the body is no form or too long. */
export async function formBody(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** Parses a field that a script filled with a JSON object; undefined when it is none. The caller validates the content. */
export function jsonObject<T extends object>(text: string | null | undefined): T | undefined {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
