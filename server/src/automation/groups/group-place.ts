/** A match that waits for its group, and the group to which it belongs. */
import type { MatchGrouping } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { RepeatReason } from '../../executions/execution-id.ts';
import { groupKeyOf, type GroupKey } from './group-key.ts';
import type { GroupCause } from './members.ts';

/** The match with its rule and its subject. */
export interface WaitingMatch {
  ruleMatchId: string;
  cause: GroupCause;
  again: RepeatReason | null;
  tenantId: string;
  ruleId: string;
  ruleName: string;
  subjectId: string;
  label: string;
  correlationId: string;
  hops: number;
  /** When the match was created, in epoch milliseconds. */
  created: number;
  isOpen: boolean;
  calls: readonly ActionCall[];
  groupBy: MatchGrouping;
  groupTag: string | null;
  windowSeconds: number;
  summarySeconds: number;
  device: { id: string; name: string; tags: string | null } | null;
  parent: { id: string; name: string } | null;
  location: { id: string; name: string } | null;
  subscription: { id: string; name: string } | null;
}

/** The group to which a match belongs: its key, scope and label, and texts about the cause. */
export interface GroupPlace extends GroupKey {
  scopeId: string;
  /** Returns the sentence about the cause for this number of matches. */
  statement?: (joined: number) => string;
  /** Why the match belongs to the group; undefined when it shares the key. */
  reason?: string | undefined;
  /** The key under which the unit of the group is stored; by default the scope and the key of the group. */
  unitOf?: { scope: string; key: string };
}

/** A match that shares its cause with no other match: its unit is that of its rule and subject. */
const alone = (match: WaitingMatch): GroupPlace => ({
  scopeId: match.ruleId,
  kind: 'Subject',
  key: `subject:${match.subjectId}`,
  label: match.label,
  unitOf: { scope: match.ruleId, key: match.subjectId },
});

function placeByKey(match: WaitingMatch): GroupPlace {
  const key = groupKeyOf(match.groupBy, match.groupTag, match);
  return key ? { ...key, scopeId: match.ruleId } : alone(match);
}

/** Returns the group of a match that is not explained by the silence of other entities. */
export function placeOf(match: WaitingMatch): GroupPlace {
  const isStorm = match.cause === 'Storm' || match.cause === 'SilenceStorm';
  if (match.groupBy !== 'Subject' || !isStorm) return placeByKey(match);
  return { scopeId: match.ruleId, kind: 'Storm', key: 'storm', label: 'many matches in a minute', reason: 'storm' };
}
