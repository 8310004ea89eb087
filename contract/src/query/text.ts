/** Text functions of the database's collation C.UTF-8: order by code points, simple case mapping. */

/** Compares by code points. Beyond U+FFFF their order differs from the order of UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates above U+E000..U+FFFF: in UTF-16 they are smaller, but they encode the highest code points. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

const beyondAscii = /[\u0080-\uffff]/;

export function lower(text: string): string {
  return beyondAscii.test(text) ? Array.from(text, lowerOne).join('') : text.toLowerCase();
}

export function upper(text: string): string {
  return beyondAscii.test(text) ? Array.from(text, upperOne).join('') : text.toUpperCase();
}

function lowerOne(char: string): string {
  return char === '\u0130' ? 'i' : char.toLowerCase();
}

/** Maps one character to one character; letters with a longer capital keep their simple mapping. */
function upperOne(char: string): string {
  const long = char.toUpperCase();
  if (long.length <= char.length) return long;
  const code = char.codePointAt(0) ?? 0;
  const capital = code >= 0x1f80 && code <= 0x1faf ? code | 8 : [0x1fb3, 0x1fc3, 0x1ff3].includes(code) ? code + 9 : code;
  return String.fromCodePoint(capital);
}

// Accents, vowel points and what nobody sees. The SQL function `folded` has the same list.
const marks =
  // oxlint-disable-next-line no-misleading-character-class -- These are the marks themselves.
  /[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u2060\u20d0-\u20ff\ufe20-\ufe2f\ufeff]/g;
const lettersOf: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
};
const letters = /[ßæœþøđðłıħŧς]/g;

/** The form in which texts are searched: one for all spellings that differ in case, accents, composition or kind of blank. */
export function folded(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replaceAll(marks, '');
  return lower(plain).replaceAll(letters, (letter) => lettersOf[letter] ?? letter);
}

/** Minimum length of a text that an index finds, in characters: nearly every row has shorter texts, and trigrams need three. */
export const shortestNeeded = 3;

/** The characters that `trim` removes: ASCII white space, no-break space, next line. */
export const blanks = ' \t\n\v\f\r\u0085\u00a0';

export function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && blanks.includes(text.charAt(from))) from++;
  while (to > from && blanks.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Counts characters, not UTF-16 units. */
export function length(text: string): number {
  return beyondAscii.test(text) ? Array.from(text).length : text.length;
}

export function indexOf(text: string, part: string): number {
  const at = text.indexOf(part);
  return at < 0 ? -1 : length(text.slice(0, at));
}

/** A negative start means the beginning; a negative length means 0. */
export function substring(text: string, start: number, count = Infinity): string {
  const from = Math.max(start, 0);
  const to = from + Math.max(count, 0);
  return beyondAscii.test(text) ? Array.from(text).slice(from, to).join('') : text.slice(from, to);
}
