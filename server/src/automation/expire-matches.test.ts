import { expect, it } from 'vitest';
import { maxHops } from '../executions/executions.ts';
import { suppressedBecause } from './expire-matches.ts';

it('names the first of the reasons why expiration actions do not run', () => {
  let match = { hops: maxHops, rule_gone: true, waits: true, grouped: true, in_maintenance: true };
  // Each step takes away the reason that was named before; all later ones remain.
  for (const [reason, without] of [
    ['loop', {}],
    ['ruleDeleted', { hops: maxHops - 1 }],
    ['endedInMaintenance', { rule_gone: false }],
    ['grouped', { waits: false }],
    ['maintenance', { grouped: false }],
    [undefined, { in_maintenance: false }],
  ] as const) {
    match = { ...match, ...without };
    expect([match, suppressedBecause(match)]).toEqual([match, reason]);
  }
});
