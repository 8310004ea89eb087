/** The longest time that conditions of some rules look back. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { defaultWindowSeconds } from '@cloudfit/contract/rules/window.ts';

export function widestWindowMs(rules: { all: () => Iterable<CompiledRule> }): number {
  let seconds = defaultWindowSeconds;
  for (const rule of rules.all()) for (const { source } of rule.conditions) seconds = Math.max(seconds, source.WindowSeconds ?? 0);
  return seconds * 1_000;
}
