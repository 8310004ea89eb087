import { expect, it } from 'vitest';
import type { PublicIncident, PublicStatus } from './read-status.ts';
import { renderFeed } from './render-feed.ts';
import { publicStatusTextsIn } from './texts.ts';

it('an entry is never updated before it was published', () => {
  const started = Date.parse('2026-11-30T04:20:01.671Z');
  const incident: PublicIncident = {
    key: 'communication 1',
    title: 'Mail is down',
    status: 'Investigating',
    details: null,
    impact: null,
    components: [],
    started,
    changed: started - 4,
    ended: null,
    nextUpdate: null,
    updates: [],
  };
  const status: PublicStatus = {
    title: 'Fjord',
    description: null,
    level: 'Degraded',
    components: [],
    open: [incident],
    past: [],
    maintenance: [],
    at: started,
  };
  const feed = renderFeed(publicStatusTextsIn('en'), status, { uuid: crypto.randomUUID(), url: 'https://example.com/status/fjord' });
  expect(feed.match(/<updated>.*<\/updated>/g)).toEqual(Array<string>(2).fill('<updated>2026-11-30T04:20:01.671Z</updated>'));
});
