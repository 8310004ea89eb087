/** The placeholder that is being typed in a text. */

export interface OpenName {
  /** The offset of the opening brace. */
  from: number;
  /** The text between the brace and the caret. */
  typed: string;
}

/** Returns the placeholder that is being typed at the caret; undefined when there is none. */
export function openNameAt(text: string, caret: number): OpenName | undefined {
  const brace = /\{([\w.:-]*)$/.exec(text.slice(0, caret));
  return brace ? { from: brace.index, typed: brace[1] ?? '' } : undefined;
}

/** The end of the placeholder around the caret, behind its closing brace if it has one, so that it is replaced as a whole. */
export function endOfName(text: string, { from, typed }: OpenName): number {
  const end = from + 1 + typed.length;
  return end + (/^[\w.:-]*(?:\|[^{}]*)?\}/.exec(text.slice(end))?.[0].length ?? 0);
}
