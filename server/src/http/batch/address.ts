/** Where a call of a batch goes, and which of its headers go with it. */
import { plainAddress, plainPath } from '../address.ts';
import type { BatchPart } from './parts.ts';

const slash = String.raw`[/\\]|%(?:25)*(?:2f|5c)`;
/** Matches a segment `.` or `..` however often it is encoded, and characters that a parser of addresses drops or turns into a slash. */
const leavesItsPath = new RegExp(String.raw`[\x00-\x1f\\]|(?:${slash})(?:\.|%(?:25)*2e){1,2}(?=$|${slash})`, 'i');

/**
 * Returns the address of a part, which may be absolute, relative to the root of the server or of the service, or `$id`
 * for a row that part `id` created. Undefined for an address outside the service, or one that only leads into it after
 * dots are resolved.
 */
export function addressOf(part: BatchPart, origin: string, created: ReadonlyMap<string, string>): string | undefined {
  const [, id = '', rest = ''] = /^\/?\$([^/?]+)(.*)$/s.exec(part.url) ?? [];
  // `$metadata` is the address of the model, unless a call has that id.
  const isModel = id.toLowerCase() === 'metadata' && !created.has(id);
  const named = id === '' || isModel ? part.url : (created.get(id) ?? '') + rest;
  const local = named.startsWith(`${origin}/`) ? named.slice(origin.length) : named;
  const address = plainAddress(local.startsWith('/') ? local : `/v1/${local}`);
  const path = plainPath(address);
  const isInside = /^\/(?:v1|api\/generallookup)\/[^/]/i.test(path) && !leavesItsPath.test(path) && !/^[^/?]*:\/\//.test(local);
  return isInside ? address : undefined;
}

/** The headers that say something about one call. Who calls, from where and through what is known from the batch. */
const ofOneCall = new Set([
  'accept',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'odata-maxversion',
  'odata-version',
  'prefer',
  'repeatability-request-id',
]);

/** Returns the headers with which a part is called. */
export function headersOf({ headers }: BatchPart): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => ofOneCall.has(name)));
}
