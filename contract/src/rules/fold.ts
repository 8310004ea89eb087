/** Compares texts without case, and reads numbers in texts. */

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/;

/** Whether the text has only ASCII characters and no upper case, as an id has, so that it is its own form without case. */
function isFolded(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 127 || (code >= 65 && code <= 90)) return false;
  }
  return true;
}

/**
 * Returns the same text for all spellings that differ only in case: `fold(a) === fold(b)` is equality without case. Non-ASCII
 * text is first converted to upper case, so that `straße` equals `STRASSE` and both Greek sigmas are equal.
 */
export function fold(text: string): string {
  if (isFolded(text)) return text;
  const lower = text.toLowerCase();
  return beyondAscii.test(lower) ? lower.toUpperCase().toLowerCase().replaceAll('ς', 'σ') : lower;
}

/** Returns `fold(text) === folded`, without creating a string for ASCII text. */
export function equalsFolded(text: string, folded: string): boolean {
  if (text === folded) return true;
  const length = Math.min(text.length, folded.length);
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 127) return fold(text) === folded;
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== folded.charCodeAt(i)) return false;
  }
  return text.length === folded.length || (text.length > length && fold(text) === folded);
}

const numeric = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Returns the number that a text represents in decimal notation; undefined when the text is no number. */
export function numberIn(text: string): number | undefined {
  if (!numeric.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
