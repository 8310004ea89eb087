/** Options of the query that a call does not read are refused: an answer that ignored them would look like one that heeds them. */
import { z } from 'zod';
import { isList, type Action } from '@cloudfit/contract/action.ts';
import { metadata } from '@cloudfit/contract/actions/metadata.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { isSystemOption } from '@cloudfit/contract/query/options.ts';
import { negotiateJson } from './negotiate.ts';

/** The options of lists besides those of OData. */
export const ofLists: readonly string[] = ['countUpTo'];

const isFormat = (name: string): boolean => /^\$?format$/i.test(name);
/** SAP's clients name their language and tenant to every service; one with one language, which takes tenants from the sign-in, may ignore them. */
const isOfClient = (name: string): boolean => /^sap-/i.test(name);

/** Throws 400 for the first option that `reads` denies; `declared` are the names that the message offers. */
export function requireOptions(rawQuery: string, reads: (name: string) => boolean, declared: readonly string[] = []): void {
  if (rawQuery === '') return;
  for (const name of new URLSearchParams(rawQuery).keys()) {
    if (reads(name) || isOfClient(name)) continue;
    const there = declared.length === 0 ? 'This call takes no options.' : `This call takes ${declared.join(', ')}.`;
    throw new ApiError('InvalidQueryOption', `There is no option ${name} here. ${there}`, { target: name });
  }
}

/** Whether a list takes this option; `parseOptions` refuses those of OData that it does not read. */
export const takenByLists = (name: string): boolean => isSystemOption(name) || ofLists.includes(name);

/** Whether a call without options of its own, which answers JSON, takes this one: it may be asked for JSON. */
export const takenByWrites = isFormat;

/**
 * Returns the names of the query of an action; in addresses they are read without case. A body has its properties by the same declaration, but
 * none with `$`.
 */
function namesOf({ input, path }: Action): string[] {
  return input instanceof z.ZodObject ? Object.keys(input.shape).filter((name) => !path.includes(`{${name}}`)) : [];
}

/**
 * Returns the check of the options of an action. Agents may be newer than this server, so parameters of their calls may be
 * unknown to it.
 */
export function optionsOf(action: Action): (rawQuery: string) => void {
  const { access } = action;
  const names = namesOf(action);
  const lower = new Set(names.map((name) => name.toLowerCase()));
  const isOfAgent = typeof access === 'object' && 'scope' in access && access.scope === 'agent';
  const answersJson = action.output !== undefined && !lower.has('format');
  const reads = (name: string): boolean =>
    lower.has(name.toLowerCase()) ||
    (isList(action) && takenByLists(name)) ||
    (isOfAgent && !name.startsWith('$')) ||
    ((answersJson || action.path === metadata.path) && isFormat(name));
  return (rawQuery) => {
    if (rawQuery === '') return;
    requireOptions(rawQuery, reads, action.method === 'GET' ? names : names.filter((name) => name.startsWith('$')));
    // `Accept` does not matter here: what answers JSON alone always did, whatever its callers accept.
    if (answersJson && !isList(action)) negotiateJson({}, rawQuery);
  };
}
