/** What the text of a note contains besides words: addresses, references to work units, and mentions of people. Pure. */

export type NotePart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  /** `#1504`: the number of a work unit. */
  | { kind: 'unit'; text: string; number: number }
  /** `@` and a sign-in name. */
  | { kind: 'mention'; text: string; userName: string };

/** Address, number or mention, at the beginning or behind a character that is no part of a word. */
const special =
  /(?<![\p{L}\p{N}_@#/&.-])(?:(https?:\/\/[^\s<>"]+)|#(\d{1,9})(?![\p{L}\p{N}_-])|@([^\s@<>,;:()"]+(?:@[\p{L}\p{N}.-]+)?))/giu;
/** What ends a sentence, and does not belong to an address or a name before it. */
const ending = /[.,;:!?'"»”’]+$/u;

const times = (text: string, character: string): number => text.split(character).length - 1;

/** Returns an address without the punctuation behind it; it keeps brackets that it opens itself. */
function addressOf(text: string): string {
  const bare = text.replace(ending, '');
  return bare.endsWith(')') && times(bare, ')') > times(bare, '(') ? addressOf(bare.slice(0, -1)) : bare;
}

/** Returns the parts of a text in their order; joined, their texts are the text. */
export function partsOfNote(text: string): NotePart[] {
  const parts: NotePart[] = [];
  let at = 0;
  const add = (part: NotePart, from: number) => {
    if (from > at) parts.push({ kind: 'text', text: text.slice(at, from) });
    parts.push(part);
    at = from + part.text.length;
  };
  for (const match of text.matchAll(special)) {
    const [, address, number, name] = match;
    if (address !== undefined) {
      const href = addressOf(address);
      if (URL.canParse(href)) add({ kind: 'link', text: href, href }, match.index);
    } else if (number !== undefined) add({ kind: 'unit', text: `#${number}`, number: Number(number) }, match.index);
    else if (name !== undefined) {
      const userName = name.replace(ending, '');
      if (userName !== '') add({ kind: 'mention', text: `@${userName}`, userName }, match.index);
    }
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

/** Quoted lines, code between lines of three marks, and code within a line. */
const notSaid = /^[ \t]*(`{3}|~{3})[^]*?(?:^[ \t]*\1|$(?![^]))|^[ \t]*>.*$|`[^`\n]+`/gm;

/** Returns the sign-in names that a text mentions, in lower case, each once; not those in a quote, whom it was told before, or in code. */
export function mentionsIn(text: string): string[] {
  return [
    ...new Set(
      partsOfNote(text.replaceAll(notSaid, ' ')).flatMap((part) => (part.kind === 'mention' ? [part.userName.toLowerCase()] : [])),
    ),
  ];
}

/** Returns the beginning of a mention that ends at the caret: where its `@` is, and what follows it; undefined if there is none. */
export function mentionAt(text: string, caret: number): { from: number; typed: string } | undefined {
  const match = /(?<![\p{L}\p{N}_@.-])@([^\s@<>,;:()"]{0,60}(?: [^\s@<>,;:()"]{1,60})?)$/u.exec(text.slice(0, caret));
  return match ? { from: match.index, typed: match[1] ?? '' } : undefined;
}

/** How a note refers to a file of its unit: `![shot.png](file:<id>)` for an image, without `!` for others. */
export function noteOfFile(file: { id: string; name: string; isImage: boolean }): string {
  return `${file.isImage ? '!' : ''}[${file.name.replace(/[[\]\\`*_~]/g, ' ')}](file:${file.id})`;
}

/** The text of a note with the names of its files alone: their addresses mean something on pages of CloudFit only. */
export const withoutFiles = (text: string): string => text.replaceAll(/!?\[([^\]\n]*)\]\(file:[0-9a-f-]{36}\)/gi, '[$1]');

/** What a note says in one line of a list: its words, without the signs that format them. */
export const plainNote = (text: string): string =>
  withoutFiles(text)
    .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|(?:>[ \t]?)+|(?:`{3}|~{3}).*$)/gm, '')
    .replaceAll(/^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm, '· ')
    .replaceAll(/!?\[([^\]\n]+)\]\([^)\s]+\)/g, '$1')
    .replaceAll(/(\*\*|~~|`)(?=\S)([^\n]*?\S)\1/g, '$2');

/** Returns the id of the file that the address of a link in a note refers to; undefined for other addresses. */
export function fileInNote(href: string): string | undefined {
  return /^file:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(href)?.[1];
}

/** Returns the actions of a note that are not done: its lines `- [ ] ...`. */
export function openActionsIn(text: string): string[] {
  return [...text.matchAll(/^[ \t]*[-*+][ \t]+\[ \][ \t]+(\S.*)$/gm)].map(([, action = '']) => action.trim());
}

/** The begin of the event that a decision about a change leaves in its history: the server writes it, the portal finds its time by it. */
export const decisionEvent = (isApproval: boolean, slot: 1 | 2): string =>
  `Change Request ${isApproval ? 'approved' : 'declined'} by approver ${slot}, `;
