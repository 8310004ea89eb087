/** The text of a message of a ticket. */
import { convert } from 'html-to-text';

const maxHtml = 1_000_000;

/** HTML as text: links with their addresses, without pictures, which are attachments. */
export function plainText(body: string, isHtml: boolean): string {
  if (!isHtml) return body.trim();
  return convert(body.slice(0, maxHtml), {
    wordwrap: false,
    limits: { maxInputLength: maxHtml, maxDepth: 200, maxBaseElements: 100, maxChildNodes: 20_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, noAnchorUrl: true } },
      { selector: 'h1', options: { uppercase: false } },
      { selector: 'h2', options: { uppercase: false } },
      { selector: 'h3', options: { uppercase: false } },
    ],
  }).trim();
}
