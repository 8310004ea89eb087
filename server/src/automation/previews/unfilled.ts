/** The placeholders that a test would leave unfilled. In a run that a rule or protocol starts, they are sent unfilled and recorded. */
import { ActionFailure } from '../action-result.ts';
import type { QueuedExecution } from '../execution.ts';
import type { PlaceholderValues } from '../placeholders.ts';

/** The unfilled placeholders in the texts of an action and in its parameters, except in a parameter that is a secret that exists. */
export function unfilledOf(
  { unfilled }: Pick<QueuedExecution, 'unfilled'>,
  inTexts: Iterable<string> = [],
  secrets: PlaceholderValues = {},
): string[] {
  const inParameters = Object.entries(unfilled).flatMap(([parameter, names]) => (Object.hasOwn(secrets, parameter) ? [] : names));
  return [...new Set([...inTexts, ...inParameters])];
}

/** Fails the test before anything is sent. */
export function requireFilled(names: readonly string[]): void {
  if (names.length === 0) return;
  const list = names.map((name) => `{${name}}`).join(', ');
  throw new ActionFailure(`Not sent: ${list} ${names.length === 1 ? 'has' : 'have'} no value.`, { unknownPlaceholders: names });
}
