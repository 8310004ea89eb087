/** Who has seen a unit, as moments of its timeline: the first time of each, and the last. */
import { visitTexts as t } from '@cloudfit/contract/messages/visits.en.ts';
import type { UnitVisit } from '@cloudfit/contract/actions/work-units/visits.ts';

export interface VisitMoment {
  key: string;
  at: string;
  who: string;
  what: string;
}

export function visitMoments(visits: readonly UnitVisit[]): readonly VisitMoment[] {
  return visits.flatMap(({ way, name, first, last }) => {
    const who = name || t.somebody;
    const words = way === 'link' ? [t.linkFirst, t.linkLast] : [t.first, t.last];
    return [first, last].flatMap((at, index) =>
      index === 1 && last === first ? [] : [{ key: `${way} ${name} ${index}`, at, who, what: words[index] ?? '' }],
    );
  });
}

export const visitText = ({ who, what }: VisitMoment): string => `${who} ${what}`;
