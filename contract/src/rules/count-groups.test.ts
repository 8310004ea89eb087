import { describe, expect, it } from 'vitest';
import { countKeysOf, countsFor } from './count-groups.ts';
import type { RuleEntity } from './facts.ts';

const device = { id: 'd1', locationId: 'l1', tags: ' Site:B, prod,,site:b ,Site:a', deviceTypeId: 2 };
const entity: RuleEntity = { id: 'd1', kind: 'device', tenantId: 't1', subscriptionId: 's1', device };
const bare: RuleEntity = { id: 'd2', kind: 'device', tenantId: 't1', device: { id: 'd2' } };

describe('the groups in which a rule counts a device', () => {
  it('are its subscription, location, device type, or tags with a beginning, each once', () => {
    expect([countKeysOf({}, entity), countKeysOf({ countBy: 'Subscription' }, entity)]).toEqual([['s1'], ['s1']]);
    expect([countKeysOf({ countBy: 'Location' }, entity), countKeysOf({ countBy: 'DeviceType' }, entity)]).toEqual([['l1'], ['2']]);
    expect(countKeysOf({ countBy: 'Tag' }, entity)).toEqual(['site:b', 'prod', 'site:a']);
    expect(countKeysOf({ countBy: 'Tag', countTag: ' SITE: ' }, entity)).toEqual(['site:b', 'site:a']);
  });

  it('are none where it has none', () => {
    for (const countBy of ['Subscription', 'Location', 'DeviceType', 'Tag'] as const) {
      expect(countKeysOf({ countBy }, bare)).toEqual([]);
      if (countBy !== 'Subscription') expect(countKeysOf({ countBy }, { id: 's1', kind: 'subscription', tenantId: 't1' })).toEqual([]);
    }
  });
});

describe('the sums that a rule looks at', () => {
  const group = (by: 'Location' | 'Tag' | 'DeviceType', key: string, subscriptionIds?: string[]): RuleEntity => ({
    id: 'g1',
    kind: 'group',
    tenantId: 't1',
    group: { by, key, ...(subscriptionIds ? { subscriptionIds } : {}) },
  });

  it('are those of subscriptions, unless it counts for groups', () => {
    expect([countsFor({}, entity), countsFor({ countBy: 'Subscription' }, entity), countsFor({ countBy: 'Tag' }, entity)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([countsFor({}, group('Location', 'l1')), countsFor({ countBy: 'Tag' }, group('Location', 'l1'))]).toEqual([false, false]);
  });

  it('are those of groups in its subscription', () => {
    const ofOne = { countBy: 'Location', subscriptionId: 's1' } as const;
    expect(['s1', 's2'].map((id) => countsFor(ofOne, group('Location', 'l1', [id])))).toEqual([true, false]);
    expect(countsFor(ofOne, group('Location', 'l1'))).toBe(false);
    expect(countsFor({ countBy: 'Location', subscriptionId: null }, group('Location', 'l1'))).toBe(true);
  });

  it('are those of tags with its beginning', () => {
    const ofSites = { countBy: 'Tag', countTag: ' Site:' } as const;
    expect(['site:a', 'prod'].map((key) => countsFor(ofSites, group('Tag', key)))).toEqual([true, false]);
    expect(countsFor({ countBy: 'Tag' }, group('Tag', 'prod'))).toBe(true);
    // `countTag` applies only to rules that count by tag.
    expect(countsFor({ countBy: 'DeviceType', countTag: 'site:' }, group('DeviceType', '1'))).toBe(true);
  });
});
