/** The key that a match shares with the other matches of its group. Pure. */
import type { MatchGrouping } from '@cloudfit/contract/enums.ts';

/** The properties of the subject of a match by which matches are grouped; null if the subject has no such property. */
export interface GroupedSubject {
  subjectId: string;
  ruleId: string;
  device: { id: string; name: string; tags: string | null } | null;
  parent: { id: string; name: string } | null;
  location: { id: string; name: string } | null;
  subscription: { id: string; name: string } | null;
}

export interface GroupKey {
  kind: MatchGrouping | 'Storm' | 'Silence' | 'Outage';
  key: string;
  /** A text for people. */
  label: string;
}

/** Returns the first tag with this beginning, in the order in which the device lists its tags. */
function tagOf(tags: string | null, beginning: string): string | undefined {
  const start = beginning.trim().toLowerCase();
  return (tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .find((tag) => tag !== '' && tag.toLowerCase().startsWith(start));
}

/** Returns the key by which the match is grouped; undefined if its rule groups by subject or the subject lacks the property. */
export function groupKeyOf(groupBy: MatchGrouping, groupTag: string | null, subject: GroupedSubject): GroupKey | undefined {
  const { ruleId, device, parent, location, subscription } = subject;
  if (groupBy === 'Rule') return { kind: 'Rule', key: `rule:${ruleId}`, label: 'all its matches' };
  if (groupBy === 'Device' && device) return { kind: 'Device', key: `device:${device.id}`, label: device.name };
  if (groupBy === 'Location' && location) return { kind: 'Location', key: `location:${location.id}`, label: `location ${location.name}` };
  if (groupBy === 'Subscription' && subscription)
    return { kind: 'Subscription', key: `subscription:${subscription.id}`, label: `subscription ${subscription.name}` };
  if (groupBy === 'Tag') {
    const tag = tagOf(device?.tags ?? null, groupTag ?? '');
    return tag === undefined ? undefined : { kind: 'Tag', key: `tag:${tag.toLowerCase()}`, label: `tag ${tag}` };
  }
  // A device on which other devices depend belongs to the same group as those devices.
  const root = groupBy === 'Parent' ? (parent ?? device) : null;
  return root ? { kind: 'Parent', key: `parent:${root.id}`, label: `${root.name} and what depends on it` } : undefined;
}
