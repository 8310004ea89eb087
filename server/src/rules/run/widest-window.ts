/** Returns the longest time that conditions of some rules look back, at least the default window. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { defaultWindowSeconds, windowSecondsOf } from '@cloudfit/contract/rules/schema.ts';

export function widestWindowMs(rules: { all: () => Iterable<CompiledRule> }): number {
  let seconds = defaultWindowSeconds;
  for (const rule of rules.all())
    for (const { source, operand } of rule.conditions) seconds = Math.max(seconds, windowSecondsOf(operand.measure, source));
  return seconds * 1_000;
}
