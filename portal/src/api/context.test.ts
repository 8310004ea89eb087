import { expect, it } from 'vitest';
import { firstTenant, subscriptionIn } from './context.ts';

it('takes the stored subscription of the tenant, otherwise the first of the tenant', () => {
  const all = [
    { subscriptionId: 's1', name: 'One', tenantId: 't1' },
    { subscriptionId: 's2', name: 'Two', tenantId: 't2' },
    { subscriptionId: 's3', name: 'Three', tenantId: 't2' },
  ];
  const idIn = (tenantId: string | null, storedId: string | null | undefined) => subscriptionIn(tenantId, storedId, all)?.subscriptionId;
  expect([idIn('t2', 's3'), idIn('t2', 's1'), idIn('t2', null), idIn('t1', 's3')]).toEqual(['s3', 's2', 's2', 's1']);
  expect([idIn('t3', 's1'), idIn(null, undefined)]).toEqual([undefined, undefined]);
});

it('knows the first tenant that somebody saw in this browser, and none when what is stored is no id', () => {
  localStorage.clear();
  expect(firstTenant.get()).toBeNull();
  firstTenant.set('t1');
  expect(firstTenant.get()).toBe('t1');
  localStorage.setItem(firstTenant.key, '{"id":"t1"}');
  expect(firstTenant.get()).toBeNull();
});
