/** Which exception of a rule holds for an entity. */
import { describe, expect, it } from 'vitest';
import type { RuleEntity } from '../facts.ts';
import { exceptionChooser, type RuleException } from './choose.ts';

const empty: RuleException = {
  ruleExceptionId: '',
  appliesTo: 'Tag',
  tenantId: null,
  tenantGroupId: null,
  subscriptionId: null,
  locationId: null,
  tag: null,
  entityName: null,
  deviceId: null,
  rank: 100,
  isOff: false,
  ownValues: null,
  matchLifetime: null,
  severityId: null,
};
const exception = (ruleExceptionId: string, fields: Partial<RuleException>): RuleException => ({ ...empty, ruleExceptionId, ...fields });

const device = { id: 'd1', name: 'Web-07', tags: 'prod, web', locationId: 'l1' };
const web: RuleEntity = { id: 'd1', kind: 'device', tenantId: 't1', subscriptionId: 's1', device };

/** The ids of what holds, one after another: each time without what held before. */
function order(exceptions: readonly RuleException[], entity: RuleEntity = web): string[] {
  const chosen = exceptionChooser(exceptions)(entity);
  if (!chosen) return [];
  return [
    chosen.ruleExceptionId,
    ...order(
      exceptions.filter((exception) => exception !== chosen),
      entity,
    ),
  ];
}

describe('of the exceptions that fit', () => {
  it('the kind that says most goes first', () => {
    const all = [
      exception('group', { appliesTo: 'Group', tenantGroupId: 'g1' }),
      exception('tenant', { appliesTo: 'Tenant', tenantId: 't1' }),
      exception('subscription', { appliesTo: 'Subscription', subscriptionId: 's1' }),
      exception('tag', { appliesTo: 'Tag', tag: 'web' }),
      exception('location', { appliesTo: 'Location', locationId: 'l1' }),
      exception('name', { appliesTo: 'Name', entityName: 'web-07 ' }),
      exception('device', { appliesTo: 'Device', deviceId: 'd1' }),
    ];
    const expected = ['device', 'name', 'location', 'tag', 'subscription', 'tenant', 'group'];
    expect(order(all)).toEqual(expected);
    expect(order(all.toReversed())).toEqual(expected);
  });

  it('of one kind that of a tenant goes before that of a group and of all, then the lower rank, then the older one', () => {
    const tags = [
      exception('5 of all, first rank', { tag: 'web', rank: 1 }),
      exception('4 of a group, second rank', { tag: 'prod', tenantGroupId: 'g1', rank: 3 }),
      exception('3 of a group, first rank', { tag: 'web', tenantGroupId: 'g1', rank: 2 }),
      exception('2 of the tenant, newer', { tag: 'prod', tenantId: 't1', rank: 50 }),
      exception('1 of the tenant, older', { tag: 'WEB', tenantId: 't1', rank: 50 }),
    ];
    expect(order(tags).map((id) => id[0])).toEqual(['1', '2', '3', '4', '5']);
    expect(order(tags.toReversed()).map((id) => id[0])).toEqual(['1', '2', '3', '4', '5']);
  });

  it('a name may be that of an operation, its device or a block, however it is written', () => {
    const named = ['disk check', 'WEB-07', 'wall'].map((entityName) => exception(entityName, { appliesTo: 'Name', entityName }));
    const operation = { ...web, id: 'o1', kind: 'operation' as const, operation: { label: 'Disk Check' } };
    expect(order(named, operation).toSorted()).toEqual(['WEB-07', 'disk check']);
    expect(order(named, { ...web, device: null, block: { id: 'b1', name: 'Wall' } })).toEqual(['wall']);
  });
});

it('what a device no longer has does not hold for it', () => {
  const choose = exceptionChooser([exception('web', { tag: 'web' }), exception('build', { tag: 'build' })]);
  const chosen = (tags: string | null) => choose({ ...web, device: { ...device, tags } })?.ruleExceptionId;
  expect(['prod, web', 'build', null, 'web'].map(chosen)).toEqual(['web', 'build', undefined, 'web']);
  expect(choose(web)).toBe(choose(web));
});
