/** What the matches of a group share. */
import { expect, it } from 'vitest';
import { groupKeyOf, type GroupedSubject } from './group-key.ts';

const subject: GroupedSubject = {
  ruleId: 'r',
  subjectId: 's',
  device: { id: 'd', name: 'srv-1', tags: 'db, site:Berlin ,site:Ulm' },
  parent: { id: 'p', name: 'router' },
  location: { id: 'l', name: 'Berlin' },
  subscription: { id: 'u', name: 'Default' },
};
const nothing: GroupedSubject = { ...subject, device: null, parent: null, location: null, subscription: null };

it('is the rule, the device, the location, the subscription, a tag or what the device depends on', () => {
  const keyOf = (groupBy: Parameters<typeof groupKeyOf>[0], tag: string | null = null) => groupKeyOf(groupBy, tag, subject)?.key;
  expect(keyOf('Rule')).toBe('rule:r');
  expect(keyOf('Device')).toBe('device:d');
  expect(keyOf('Location')).toBe('location:l');
  expect(keyOf('Subscription')).toBe('subscription:u');
  expect([keyOf('Tag'), keyOf('Tag', 'SITE:'), keyOf('Tag', 'site:u'), keyOf('Tag', 'no')]).toEqual([
    'tag:db',
    'tag:site:berlin',
    'tag:site:ulm',
    undefined,
  ]);
  expect(keyOf('Parent')).toBe('parent:p');
});

it('is the same for what others depend on and those that do', () => {
  const parent = groupKeyOf('Parent', null, { ...subject, device: { id: 'p', name: 'router', tags: null }, parent: null });
  expect(parent).toEqual(groupKeyOf('Parent', null, subject));
});

it('is missing when the subject has no such thing', () => {
  for (const groupBy of ['Subject', 'Device', 'Location', 'Subscription', 'Tag', 'Parent'] as const)
    expect(groupKeyOf(groupBy, null, nothing)).toBeUndefined();
});
