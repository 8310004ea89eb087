/**
 * The groups in which an Aggregation rule counts: subscriptions, or devices with the same location, tag or type. Pure
 * functions.
 */
import type { CountBy } from '../enums.ts';
import type { RuleEntity } from './facts.ts';

interface CountingRule {
  subscriptionId?: string | null | undefined;
  countBy?: CountBy | undefined;
  /** For groups by tag: the prefix of the tags that form groups. */
  countTag?: string | null | undefined;
}

/** Returns the tags of a comma-separated list that have the prefix, in lower case and without duplicates. */
export function tagsOf(tags: string | null | undefined, beginning: string): string[] {
  const start = beginning.trim().toLowerCase();
  const all = (tags ?? '').split(',').map((tag) => tag.trim().toLowerCase());
  return [...new Set(all)].filter((tag) => tag !== '' && tag.startsWith(start));
}

/** Returns the keys of the groups in which the rule counts an entity: its subscription, location, tags or device type. */
export function countKeysOf({ countBy, countTag }: CountingRule, { subscriptionId, device }: RuleEntity): string[] {
  switch (countBy) {
    case 'Location':
      return device?.locationId ? [device.locationId] : [];
    case 'DeviceType':
      return typeof device?.deviceTypeId === 'number' ? [String(device.deviceTypeId)] : [];
    case 'Tag':
      return tagsOf(device?.tags, countTag ?? '');
    default:
      return subscriptionId ? [subscriptionId] : [];
  }
}

/** Whether the rule evaluates the sums of this subscription or group. */
export function countsFor(rule: CountingRule, { group }: RuleEntity): boolean {
  const countBy = rule.countBy ?? 'Subscription';
  if (!group) return countBy === 'Subscription';
  if (group.by !== countBy) return false;
  if (rule.subscriptionId && !group.subscriptionIds?.includes(rule.subscriptionId)) return false;
  return countBy !== 'Tag' || group.key.startsWith((rule.countTag ?? '').trim().toLowerCase());
}
