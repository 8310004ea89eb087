/** Checks of texts in schemas of both kinds of zod: fields of resources, inputs of actions, messages of agents. */
import { z } from 'zod/mini';
import { invisibleIn, isInvisible, linesPattern, normalText, oneLinePattern, refusedIn } from './one-line.ts';

function checks(label: string, pattern: RegExp) {
  const error = ({ input }: { input?: unknown }): string => `${label} has ${refusedIn(String(input), pattern)}. Remove it.`;
  const unseen = ({ input }: { input?: unknown }): string => `${label} has ${invisibleIn(String(input))}.`;
  return [
    z.overwrite((text: string) => normalText(text)),
    z.regex(pattern, { error }),
    z.refine<string>((text) => !isInvisible(text), { error: unseen }),
  ] as const;
}

/** For a name or another text of one line: stores its normal form; refuses line breaks, tabs and what cannot be seen. */
export const asOneLine = (label: string) => checks(label, oneLinePattern);

/** For a text of several lines, likewise. */
export const asLines = (label: string) => checks(label, linesPattern);
