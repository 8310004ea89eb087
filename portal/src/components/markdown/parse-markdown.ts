/** Parses the Markdown of people's texts. HTML is no part of it: tags stay text, and nothing that somebody wrote disappears. */
import { partsOfNote } from '@cloudfit/contract/notes.ts';
import { Marked, type MarkedToken, type Tokens } from 'marked';

const none = () => undefined;

/**
 * GitHub's Markdown without HTML, link definitions, underlined headings and bare addresses: texts that were written before people had
 * Markdown keep their words, and a line break stays one.
 */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    html: none,
    tag: none,
    def: none,
    lheading: none,
    url: (source) => {
      const [address] = /^https?:\/\/[^\s<>"]+/i.exec(source) ?? [];
      const [part] = address === undefined ? [] : partsOfNote(address);
      // Plain words: who shows them finds the address in them, as in a text without Markdown.
      return part?.kind === 'link' ? ({ type: 'text', raw: part.text, text: part.text } as unknown as Tokens.Link) : undefined;
    },
    // One tilde means "about": ~5 to ~10.
    del: (source) => (source.startsWith('~~') ? false : undefined),
  },
});

/** The parser needs the third power of these, and one frame of the stack for each level. */
const maxMarks = 600;
const tooDeep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){16}/m;

/** Returns the tokens of a text; undefined for one that nobody types, which would hold up the page of all readers. */
export function parseMarkdown(text: string): MarkedToken[] | undefined {
  if (tooDeep.test(text) || (text.match(/[*_~`[]/g)?.length ?? 0) > maxMarks) return undefined;
  return markdown.lexer(text) as MarkedToken[];
}

/** Returns an address that a link may have; undefined for every other scheme, and for an address within the portal. */
export function linkTarget(href: string): string | undefined {
  const url = URL.parse(href);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}
