/**
 * Looks for what an earlier try of an action may have made, such as a ticket, before the action sends again: the answer of that try was
 * lost, or its server was killed.
 */
import { referenceIn, type ReferenceOfAnswer } from '@cloudfit/contract/action-answers.ts';
import type { Db } from '../../db/db.ts';

/** What earlier tries of an execution left: whether one began, how long ago the last one did, and whether the outcome of one is unknown. */
export interface EarlierTries {
  hasBegun: boolean;
  sinceMs: number;
  isUnknown: boolean;
}

const earlier = `select count(*) > 0 as "hasBegun", coalesce(extract(epoch from clock_timestamp() - max(t.started)) * 1000, 0)::float8 as "sinceMs",
  coalesce(bool_or(t.duration_ms is null and t.error is null), false) as "isUnknown"
from action_try t join action_history h on h.action_history_id = t.action_history_id where h.message_id = $1`;

export async function earlierTries(db: Db, messageId: string): Promise<EarlierTries> {
  const [row] = await db.query<EarlierTries>({ name: 'earlier-tries', text: earlier, values: [messageId] });
  return row ?? { hasBegun: false, sinceMs: 0, isUnknown: false };
}

/** The first list in a JSON answer, which may be the answer itself; undefined if there is none. */
function listIn(content: string): unknown[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (Array.isArray(json)) return json;
  return typeof json === 'object' && json !== null ? Object.values(json).find((value) => Array.isArray(value)) : undefined;
}

/** What was made, in the form of the answer to its creation; without it the number of items. 'unreadable': there is no list. */
export function madeEarlier(
  content: string,
  messageId: string,
  reference: ReferenceOfAnswer,
): { reference: ReturnType<typeof referenceIn> } | { items: number } | 'unreadable' {
  const items = listIn(content);
  if (!items) return 'unreadable';
  const item = items.find((each) => JSON.stringify(each).includes(messageId));
  if (item === undefined) return { items: items.length };
  // An item of a list stands where the answer to its creation has it, such as in `result`.
  const above = (reference.referenceField ?? '').split('.').slice(0, -1);
  const answer = above.reduceRight<unknown>((value, name) => ({ [name]: value }), item);
  return { reference: referenceIn(JSON.stringify(answer), reference) };
}

/** How long a service may need until a search of it has what was made. */
export const settleMs = 30_000;

const maxPages = 10;

/**
 * The address of the next page of a list that is as long as its address asks for; undefined at the last page, and for lists without pages. 'more': there
 * are more pages than are read.
 */
export function nextPage(address: string, items: number): string | 'more' | undefined {
  const url = new URL(address);
  const size = Number(url.searchParams.get('per_page') ?? 0);
  if (!(size > 0) || items < size) return undefined;
  const page = Number(url.searchParams.get('page') ?? 1) + 1;
  if (page > maxPages) return 'more';
  url.searchParams.set('page', String(page));
  return url.href;
}
