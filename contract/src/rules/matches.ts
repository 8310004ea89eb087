/** What conditions read of the matches of other rules. */
import type { Fact, MatchFact, RuleEvent } from './facts.ts';

/** What one condition counts: matches of which rules, of which entities, and how far back. */
export interface CountedMatches {
  /** Whose own matches are left out. */
  ruleId: string;
  /** Rules that the condition's group names by `Active Match of Rule`; empty: any rule. */
  named: ReadonlySet<string>;
  /** The right side of the condition itself. */
  right: string;
  windowMs: number;
  /** Whether the group is about the match's entity. */
  isAbout: (match: MatchFact, at: number) => boolean;
}

export type ReadMatches = (counted: CountedMatches) => (event: RuleEvent) => Fact;

function counts(match: MatchFact, { ruleId, named, windowMs, isAbout }: CountedMatches, at: number): boolean {
  return (
    match.ruleId !== ruleId &&
    (named.size === 0 || named.has(match.ruleId)) &&
    (match.open || match.lastMatch > at - windowMs) &&
    isAbout(match, at)
  );
}

/** The rule that is asked for while a match of it is open, otherwise nothing; without one, any rule that has an open match. */
export const activeMatch: ReadMatches = (counted) => (event) => {
  const ruleId = counted.right.toLowerCase();
  for (const match of event.matches ?? []) {
    if (!match.open || match.ruleId === counted.ruleId || !counted.isAbout(match, event.packet.timestamp)) continue;
    if (ruleId === '' || match.ruleId === ruleId) return match.ruleId;
  }
  return '';
};

/** Matches that are open or had a hit within the window. */
export const matchCount: ReadMatches = (counted) => (event) => {
  let count = 0;
  for (const match of event.matches ?? []) if (counts(match, counted, event.packet.timestamp)) count += 1;
  return count;
};

/** Entities of the matches that `matchCount` counts. */
export const distinctEntities: ReadMatches = (counted) => (event) => {
  const entityIds = new Set<string>();
  for (const match of event.matches ?? []) if (counts(match, counted, event.packet.timestamp)) entityIds.add(match.entity.id);
  return entityIds.size;
};
