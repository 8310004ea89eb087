/** The text of a mail for people: HTML as text, and an answer without what it quotes, where that is certain. */
import { convert, type FormatCallback } from 'html-to-text';
import { oneLine } from '@cloudfit/contract/one-line.ts';

const htmlBytes = 1_000_000;

/** A cell is a word apart, so that `Host` and `web-1` of an alarm do not become one. */
const cell: FormatCallback = ({ children }, walk, builder) => {
  walk(children, builder);
  builder.addInline(' ');
};

/** Returns the text of HTML: no markup is kept, and nothing in it is loaded or run. */
export function textOfHtml(html: string): string {
  if (html.trim() === '') return '';
  return convert(html.slice(0, htmlBytes), {
    wordwrap: false,
    formatters: { cell },
    limits: { maxInputLength: htmlBytes, maxDepth: 200, maxBaseElements: 100, maxChildNodes: 20_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'style', format: 'skip' },
      { selector: 'script', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['<', '>'], noAnchorUrl: true } },
      { selector: 'h1', options: { uppercase: false } },
      { selector: 'h2', options: { uppercase: false } },
      { selector: 'h3', options: { uppercase: false } },
      { selector: 'h4', options: { uppercase: false } },
      { selector: 'h5', options: { uppercase: false } },
      { selector: 'h6', options: { uppercase: false } },
      { selector: 'table', options: { uppercaseHeaderCells: false } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      // The head of an answer in Outlook is one element, whose rule stands above it.
      { selector: 'hr', options: { length: 32 } },
    ],
  });
}

// What no text of several lines may hold (`contract/src/one-line.ts`).
const unseen = new RegExp(String.raw`[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202d\u202e\u200b\ufeff\p{Cs}]`, 'gu');

/** Returns the text with line feeds alone, without blanks at the ends of lines and without more than one empty line in a row. */
export const tidyText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replaceAll(unseen, '')
    // Of a signature the delimiter ends in a blank, which says what it is. A run of blanks is looked at once, from its first.
    .replaceAll(/[ \t]+$/gm, (blanks, at: number, whole: string) =>
      /(?:^|\n)--$/.test(whole.slice(Math.max(0, at - 3), at)) ? ' ' : blanks && '',
    )
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

const isQuote = (line: string): boolean => /^\s*>/.test(line);

/** What programs write above a quotation, in one line or two. */
const attribution =
  /^(?:On\b.{5,200}\bwrote|Am\b.{5,200}\bschrieb\b.{0,200}|Le\b.{5,200}\ba écrit|El\b.{5,200}\bescribió|Il\b.{5,200}\bha scritto|Op\b.{5,200}\bschreef\b.{0,200})\s*:$/s;

/** What Outlook and others write above a quoted mail. */
const original =
  /^-{2,}\s*(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Ursprüngliche Mail|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht)\s*-{2,}$/i;

const heads: readonly RegExp[] = [
  /^\*?(?:From|Von|De|Da|Van)\s?:\*?\s/i,
  /^\*?(?:Sent|Gesendet|Date|Datum|Envoyé|Enviado|Inviato|Verzonden)\s?:\*?\s/i,
];
const furtherHead = /^\*?(?:To|An|Cc|Subject|Betreff|À|Para|Asunto|A|Oggetto|Aan|Onderwerp|Objet|Priority|Priorität)\s?:\*?\s/i;

/** Whether the head of a quoted mail begins at the line: its author, its time, and its recipient or subject. */
function isHead(lines: readonly string[], at: number): boolean {
  const block: string[] = [];
  for (const line of lines.slice(at, at + 12)) {
    if (line.trim() === '') break;
    block.push(line.trim());
  }
  return (
    heads[0]?.test(block[0] ?? '') === true && block.some((line) => heads[1]?.test(line)) && block.some((line) => furtherHead.test(line))
  );
}

/** The line at which the quoted history begins that ends the text; the number of lines if none does. */
function quoteStart(lines: readonly string[]): number {
  for (let at = 0; at < lines.length; at += 1) {
    if (original.test((lines[at] ?? '').trim()) || isHead(lines, at)) {
      // The rule above the head belongs to it.
      let from = at;
      while (from > 0 && /^[\s_-]*$/.test(lines[from - 1] ?? '')) from -= 1;
      return from;
    }
  }
  // A quotation at the end; one with an answer below or between its lines stays whole.
  let from = lines.length;
  while (from > 0 && (isQuote(lines[from - 1] ?? '') || (lines[from - 1] ?? '').trim() === '')) from -= 1;
  if (from === lines.length || !lines.slice(from).some(isQuote)) return lines.length;
  for (const count of [1, 2, 3]) {
    if (from < count) break;
    const above = lines
      .slice(from - count, from)
      .map((line) => line.trim())
      .join(' ');
    if (attribution.test(above)) return lines.slice(0, from - count).some(isQuote) ? lines.length : from - count;
  }
  return lines.length;
}

/** Returns the text up to its signature, which `-- ` alone in a line begins (RFC 3676). */
export function withoutSignature(text: string): string {
  const lines = text.split('\n');
  const at = lines.lastIndexOf('-- ');
  // A long one is no signature but text.
  if (at < 1 || lines.length - at > 15) return text;
  const rest = lines.slice(0, at).join('\n').trim();
  return rest === '' ? text : rest;
}

/** Returns what was written, without the quoted history that follows it; the whole text when nothing would be left. */
export function withoutQuote(text: string): string {
  const lines = text.split('\n');
  const rest = lines.slice(0, quoteStart(lines)).join('\n').trim();
  return rest === '' ? text : rest;
}

const prefix = /^\s*(?:(?:re|aw|fwd?|wg|antw|antwort|sv|vs|tr|rif|r|odp|doorst)\s*(?:\[\d+\]|\(\d+\))?\s*:\s*)+/i;
const tag = /\[#(\d{1,15})\]/;

/** Returns the subject without `Re:` and its like, and without the number of a unit. */
export const titleOfSubject = (subject: string): string => oneLine(subject.replace(tag, ' ').replace(prefix, '').replaceAll(/\s+/g, ' '));

/** The public number of the unit that a subject names, as `[#1504]`. */
export function numberInSubject(subject: string): number | undefined {
  const [, number] = tag.exec(subject) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Returns the first characters of a text, and says so when it is cut. */
export function shortened(text: string, length: number, note: string): string {
  if (text.length <= length) return text;
  const room = length - note.length - 3;
  return `${text
    .slice(0, room)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}\n\n${note}`;
}
