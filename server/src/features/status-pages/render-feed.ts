/** A status page as an Atom feed: its incidents with their updates, and planned maintenance. */
import { atomText, type AtomEntry } from '../../platform/feeds/atom.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { announcedMs } from './maintenance-news.rules.ts';
import type { PlannedMaintenance, PublicIncident, PublicStatus } from './read-status.ts';
import { statusText, type PublicStatusTexts } from './texts.ts';

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function ofIncident(texts: PublicStatusTexts, page: FeedPage, incident: PublicIncident): AtomEntry {
  const { key, title, status, details, impact, components, started, changed, updates } = incident;
  const done = updates.filter(({ isDone }) => isDone);
  const lines = [
    `${statusText(texts, status)}${components.length > 0 ? ` · ${components.join(', ')}` : ''}`,
    details,
    impact && `${texts.impact} ${impact}`,
    ...done.map(({ at, text }) => `${time(at)}: ${text}`),
  ];
  return {
    uuid: uuidV5(page.uuid, key),
    title: `${title} (${statusText(texts, status)})`,
    updated: Math.max(started, changed, ...done.map(({ at }) => at)),
    published: started,
    text: lines.filter(Boolean).join('\n\n'),
    url: page.url,
    categories: [status],
  };
}

function ofMaintenance(texts: PublicStatusTexts, page: FeedPage, { components, from, to }: PlannedMaintenance): AtomEntry {
  // When it is shown first: a time that moved with each reading would make it new each time.
  const at = from - announcedMs;
  return {
    uuid: uuidV5(page.uuid, `maintenance ${from} ${to} ${components.join(', ')}`),
    title: `${texts.planned}: ${components.join(', ')}`,
    updated: at,
    published: at,
    text: `${time(from)} ${texts.until} ${time(to)}`,
    url: page.url,
    categories: ['Maintenance'],
  };
}

export interface FeedPage {
  uuid: string;
  url: string;
}

export const feedName = 'feed.atom';

/** The feed in the language of the page that links to it: programs that read feeds accept none. */
export const feedNameIn = (language: string): string => (language === 'en' ? feedName : `${feedName}?language=${language}`);

export function renderFeed(texts: PublicStatusTexts, { title, open, past, maintenance }: PublicStatus, page: FeedPage): string {
  return atomText({
    uuid: page.uuid,
    title,
    language: texts.lang,
    self: `${page.url}/${feedNameIn(texts.lang)}`,
    page: page.url,
    author: title,
    // Of a page without entries: a time that stays the same until there is one.
    updated: 0,
    entries: [...open, ...past]
      .map((incident) => ofIncident(texts, page, incident))
      .concat(maintenance.map((item) => ofMaintenance(texts, page, item))),
  });
}
