/** The form in which the search of work units compares texts, and where a text has its terms. The SQL function `search_form` makes the same. */
import { folded } from './text.ts';

/** A part of a text, in UTF-16 units. */
export interface TextMark {
  from: number;
  to: number;
}

interface SearchForm {
  /** Words in lower case without accents, a blank around each. */
  text: string;
  /** The part of the original text that each letter stands for. */
  parts: TextMark[];
}

const inWord = /[\p{Alphabetic}\p{Nd}]/u;

function formOf(value: string): SearchForm {
  let text = ' ';
  const parts: TextMark[] = [{ from: 0, to: 0 }];
  let at = 0;
  // After an a, o or u: an e that follows makes it an umlaut.
  let takesE = false;
  for (const char of value) {
    const part = { from: at, to: (at += char.length) };
    const plain = folded(char);
    const last = parts.at(-1);
    if (plain === '' && last && !text.endsWith(' ')) last.to = part.to;
    for (const letter of plain) {
      const isBlank = !inWord.test(letter);
      const umlaut: TextMark | undefined = takesE && letter === 'e' ? parts.at(-1) : undefined;
      takesE = !umlaut && /[aou]/.test(letter);
      if (umlaut) umlaut.to = part.to;
      else if (!isBlank || !text.endsWith(' ')) {
        text += isBlank ? ' ' : letter;
        for (let n = 0; n < letter.length; n++) parts.push({ ...part });
      }
    }
  }
  return text.endsWith(' ') ? { text, parts } : { text: `${text} `, parts: [...parts, { from: at, to: at }] };
}

export const searchForm = (value: string): string => formOf(value).text.trim();

/** Where the text has one of the terms, as the server answers them: alternatives with | between them, a blank for the beginning of a word. */
export function marksIn(value: string, terms: readonly string[]): TextMark[] {
  const { text, parts } = formOf(value);
  const marks: TextMark[] = [];
  for (const alternative of terms.flatMap((term) => term.split('|'))) {
    if (alternative.trim() === '') continue;
    for (let i = text.indexOf(alternative); i >= 0; i = text.indexOf(alternative, i + 1)) {
      const [first, last] = [parts[alternative.startsWith(' ') ? i + 1 : i], parts[i + alternative.length - 1]];
      if (first && last) marks.push({ from: first.from, to: last.to });
    }
  }
  const merged: TextMark[] = [];
  for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
    const before = merged.at(-1);
    if (before && mark.from <= before.to) before.to = Math.max(before.to, mark.to);
    else merged.push(mark);
  }
  return merged;
}

const before = 30;
const longest = 140;

/** The part of a long text around its first mark, in one line. */
export function excerpt(value: string, terms: readonly string[]): string {
  const [first] = marksIn(value, terms);
  const start = Math.max(0, (first?.from ?? 0) - before);
  // Begins after a blank, if there is one before the mark.
  const blank = start === 0 ? -1 : value.slice(start, first?.from).search(/\s/);
  const from = blank < 0 ? start : start + blank + 1;
  const text = value.slice(from, from + longest).toWellFormed();
  return `${from > 0 ? '…' : ''}${text.replaceAll(/\s+/g, ' ').trim()}${from + longest < value.length ? '…' : ''}`;
}
