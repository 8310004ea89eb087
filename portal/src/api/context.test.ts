import { expect, it } from 'vitest';
import { subscriptionIn } from './context.ts';

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
