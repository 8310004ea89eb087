/** Readers for conditions about matches of other rules. */
import type { Fact, MatchFact, RuleEvent } from './facts.ts';

/** Which matches one condition counts: of which rules, of which entities, and how far back. */
export interface CountedMatches {
  /** The rule of the condition, whose matches do not count. */
  ruleId: string;
  /** Rules that the condition's group names by `Active Match of Rule`; empty: any rule. */
  named: ReadonlySet<string>;
  /** The right side of this condition. */
  right: string;
  windowMs: number;
  /** Whether the conditions of the group select the match's entity. */
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

/**
 * Reads the id of the rule that the condition names, while this rule has an open match; empty otherwise. A condition that names
 * no rule accepts any other rule.
 */
export const activeMatch: ReadMatches = (counted) => (event) => {
  const ruleId = counted.right.toLowerCase();
  for (const match of event.matches ?? []) {
    if (!match.open || match.ruleId === counted.ruleId || !counted.isAbout(match, event.packet.timestamp)) continue;
    if (ruleId === '' || match.ruleId === ruleId) return match.ruleId;
  }
  return '';
};

/** Counts the matches that are open or had a hit within the window. */
export const matchCount: ReadMatches = (counted) => (event) => {
  let count = 0;
  for (const match of event.matches ?? []) if (counts(match, counted, event.packet.timestamp)) count += 1;
  return count;
};

/** The number of entities of the matches that `matchCount` counts. */
export const distinctEntities: ReadMatches = (counted) => (event) => {
  const entityIds = new Set<string>();
  for (const match of event.matches ?? []) if (counts(match, counted, event.packet.timestamp)) entityIds.add(match.entity.id);
  return entityIds.size;
};
