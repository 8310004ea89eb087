/** Who has seen a unit, as moments of its timeline: the first time of each, and the last. */
import { seenTexts as t } from '@cloudfit/contract/messages/seen.en.ts';
import type { SeenBy } from '@cloudfit/contract/actions/work-units/seen.ts';

export interface Sight {
  key: string;
  at: string;
  who: string;
  what: string;
}

export function sightsOf(seen: readonly SeenBy[]): readonly Sight[] {
  return seen.flatMap(({ way, name, first, last }) => {
    const who = name || t.somebody;
    const words = way === 'link' ? [t.linkFirst, t.linkLast] : [t.first, t.last];
    return [first, last].flatMap((at, index) =>
      index === 1 && last === first ? [] : [{ key: `${way} ${name} ${index}`, at, who, what: words[index] ?? '' }],
    );
  });
}

export const wordsOfSight = ({ who, what }: Sight): string => `${who} ${what}`;
