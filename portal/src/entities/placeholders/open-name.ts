/** The placeholder that is being typed in a text. */

export interface OpenName {
  /** Where its brace is. */
  from: number;
  /** What follows the brace, up to the caret. */
  typed: string;
}

/** Undefined where the caret is in no placeholder. */
export function openNameAt(text: string, caret: number): OpenName | undefined {
  const brace = /\{([\w.:-]*)$/.exec(text.slice(0, caret));
  return brace ? { from: brace.index, typed: brace[1] ?? '' } : undefined;
}

/** The text with `inserted` in the place of the placeholder around the caret, and where the caret is then. */
export function withName(text: string, { from, typed }: OpenName, inserted: string): { text: string; caret: number } {
  const after = text.slice(from + 1 + typed.length);
  // The rest of a name that is changed from its middle.
  const rest = /^[\w.:-]*\}/.exec(after)?.[0].length ?? 0;
  return { text: text.slice(0, from) + inserted + after.slice(rest), caret: from + inserted.length };
}
