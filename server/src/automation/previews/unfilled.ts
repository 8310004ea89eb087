/**
 * Finds placeholders without a value, with which a test fails. A run of a rule or protocol sends an empty text for them, or
 * unknown ones unchanged, and notes their names.
 */
import { isValueName } from '@cloudfit/contract/rules/placeholders.ts';
import { ActionFailure } from '../action-result.ts';
import type { QueuedExecution } from '../execution.ts';
import type { PlaceholderValues } from '../placeholders.ts';

/** Returns the unfilled placeholders in texts and parameters, except of a parameter whose value is an existing secret. */
export function unfilledOf(
  { unfilled }: Pick<QueuedExecution, 'unfilled'>,
  inTexts: Iterable<string> = [],
  secrets: PlaceholderValues = {},
): string[] {
  const inParameters = Object.entries(unfilled).flatMap(([parameter, names]) => (Object.hasOwn(secrets, parameter) ? [] : names));
  return [...new Set([...inTexts, ...inParameters])];
}

/** Returns what the record of a run notes about placeholders: the unknown ones, and the known ones that became empty. */
export function notesOf(
  { unfilled }: Pick<QueuedExecution, 'unfilled'>,
  { unknown, empty }: { unknown: Iterable<string>; empty: Iterable<string> },
): Record<string, unknown> {
  const [unknownPlaceholders, all] = [[...unknown], unfilledOf({ unfilled }, empty)];
  const emptyPlaceholders = all.filter(isValueName);
  return {
    ...(unknownPlaceholders.length > 0 ? { unknownPlaceholders } : {}),
    ...(emptyPlaceholders.length > 0 ? { emptyPlaceholders } : {}),
  };
}

/** Throws if a placeholder has no value, so that a test fails before anything is sent. */
export function requireFilled(names: readonly string[]): void {
  if (names.length === 0) return;
  const list = names.map((name) => `{${name}}`).join(', ');
  throw new ActionFailure(`Not sent: ${list} ${names.length === 1 ? 'has' : 'have'} no value.`, { unknownPlaceholders: names });
}
