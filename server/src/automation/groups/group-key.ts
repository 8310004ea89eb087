/** What a match shares with others of its group. Pure. */
import type { MatchGrouping } from '@cloudfit/contract/enums.ts';

/** What is known about the subject of a match. Null: the subject has no such property. */
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

/** The first tag with this beginning, in the order in which the device lists them. */
function tagOf(tags: string | null, beginning: string): string | undefined {
  const start = beginning.trim().toLowerCase();
  return (tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .find((tag) => tag !== '' && tag.toLowerCase().startsWith(start));
}

/** The key by which the match is grouped; undefined when the subject has no such property: the match belongs to no group then. */
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
  // A device that others depend on belongs to the same group as the devices that depend on it.
  const root = groupBy === 'Parent' ? (parent ?? device) : null;
  return root ? { kind: 'Parent', key: `parent:${root.id}`, label: `${root.name} and what depends on it` } : undefined;
}
