/** Entries as an Atom feed (RFC 4287). */

export interface AtomEntry {
  /** The same as long as the entry is about the same thing. */
  uuid: string;
  title: string;
  updated: number;
  published: number;
  text: string;
  url?: string | undefined;
  categories?: readonly string[];
}

export interface AtomFeed {
  uuid: string;
  title: string;
  language: string;
  /** Where the feed is, and the page that it is about. */
  self: string;
  page: string;
  author: string;
  /** The time of a feed without entries. */
  updated: number;
  entries: readonly AtomEntry[];
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 has no control characters, also not as references, and no half of a character. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are the characters that XML refuses
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

const time = (at: number): string => new Date(at).toISOString();

function entryText({ uuid, title, updated, published, text, url, categories = [] }: AtomEntry): string {
  return [
    '<entry>',
    `<id>urn:uuid:${uuid}</id>`,
    `<title>${escaped(title)}</title>`,
    `<updated>${time(updated)}</updated>`,
    `<published>${time(published)}</published>`,
    ...(url === undefined ? [] : [`<link rel="alternate" href="${escaped(url)}"/>`]),
    ...categories.map((category) => `<category term="${escaped(category)}"/>`),
    `<content type="text">${escaped(text)}</content>`,
    '</entry>',
  ].join('\n');
}

export function atomText({ uuid, title, language, self, page, author, updated, entries }: AtomFeed): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escaped(language)}">`,
    `<id>urn:uuid:${uuid}</id>`,
    `<title>${escaped(title)}</title>`,
    `<updated>${time(entries.length === 0 ? updated : Math.max(...entries.map((entry) => entry.updated)))}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${escaped(page)}"/>`,
    `<author><name>${escaped(author)}</name></author>`,
    '<generator>CloudFit</generator>',
    ...entries.map(entryText),
    '</feed>',
    '',
  ].join('\n');
}
