/** Mutants of the rules code that no test can distinguish from the original, see `equivalents.ts`. */
import type { Equivalent } from './equivalents.ts';

const of = (file: string, line: string, reason: string, ...changes: string[]): Equivalent[] =>
  changes.map((change) => ({ file: `server/src/rules/${file}`, line, change, reason }));

export const equivalentsOfRules: readonly Equivalent[] = [
  ...of('history/past-counts.ts', 'let moved = 0;', 'No packet is from the first seconds of 1970.', '0 → 1'),
  ...of(
    'history/past-counts.ts',
    'for (const due of look - moved > waiting.size ? [...waiting.keys()].filter((one) => one <= look) : range(moved, look)) {',
    'Either list leads to the same parts; one is shorter.',
    'look - moved > waiting.size → true',
    'look - moved > waiting.size → look - moved >= waiting.size',
    'look - moved → look + moved',
  ),
  ...of(
    'history/past-counts.ts',
    'moved = look + 1;',
    'Counted parts are deleted, so that checks which were passed only cost time.',
    'moved = look + 1; → (removed)',
    'look + 1 → look - 1',
  ),
  ...of(
    'history/past-units.ts',
    'const opened = createdIds.length > 0 ? await openedByRulesOnUnits(db, createdIds) : new Set<number>();',
    'Without ids the statement finds nothing.',
    'createdIds.length > 0 → true',
    'createdIds.length > 0 → createdIds.length >= 0',
  ),
  ...of(
    'storm-brake.ts',
    'if (this.#counts.size >= maxKeys) this.#prune(slot);',
    'What is forgotten is over a minute old and counts for nothing.',
    'this.#counts.size >= maxKeys → true',
  ),
  ...of(
    'storm-brake.ts',
    'count.bySlot[slot % slots] = (count.bySlot[slot % slots] ?? 0) + 1;',
    'Each slot has a number.',
    'count.bySlot[slot % slots] ?? 0 → count.bySlot[slot % slots]',
  ),
  ...of(
    'backtest/tally.ts',
    'timeline[bucket] = (timeline[bucket] ?? 0) + 1;',
    'Only matches of the period are counted, and each of its times has a bucket.',
    'timeline[bucket] ?? 0 → timeline[bucket]',
  ),
  ...of('backtest/outcomes.ts', 'if (hits.length === 0) return;', 'Without hits nothing is decided.', 'hits.length === 0 → false'),
  ...of(
    'backtest/read-history.ts',
    'if (stale.size > 0)',
    'Filtering by none keeps all.',
    'stale.size > 0 → true',
    'stale.size > 0 → stale.size >= 0',
  ),
  ...of(
    'backtest/read-history.ts',
    'for (let start = from; start < to; start += stepMs) {',
    'A step without time reads nothing.',
    'start < to → start <= to',
  ),
  ...of(
    'backtest/read-history.ts',
    'const last = late.reduce((newest, { received }) => Math.max(newest, received), 0);',
    'No packet is from the first millisecond of 1970.',
    '0 → 1',
  ),
  ...of(
    'backtest/run-on-matches.ts',
    'await breathe();',
    'The pause lets other work run; it changes no result.',
    'await breathe(); → (removed)',
  ),
  ...of('backtest/fold.ts', 'await breathe();', 'The pause lets other work run; it changes no result.', 'await breathe(); → (removed)'),
  ...of(
    'evaluate-entity.ts',
    'const before = progress.memory === nothing ? undefined : progress.memory[rule.ruleId];',
    'A short way: nothing is remembered there.',
    'progress.memory === nothing → false',
  ),
  ...of(
    'evaluate-entity.ts',
    'return memory === nothing && holding.size === 0 ? none : [...Object.keys(memory), ...holding];',
    'A short way to an empty list.',
    'memory === nothing && holding.size === 0 → false',
  ),
  ...of(
    'evaluate-entity.ts',
    'const inOrder = packets.length > 1 ? packets.toSorted((a, b) => a.timestamp - b.timestamp) : packets;',
    'One packet is in order.',
    'packets.length > 1 → true',
    'packets.length > 1 → packets.length >= 1',
  ),
  ...of(
    'evaluate-entity.ts',
    '} else if (holding.size > 0 && holding.delete(rule.ruleId)) {',
    'Nothing is deleted from an empty set.',
    'holding.size > 0 → holding.size >= 0',
  ),
  ...of('correlated.ts', 'if (rules.size === 0) return () => false;', 'Without rules there is no interest.', 'rules.size === 0 → false'),
  ...of('correlated.ts', 'if (!interest) {', 'Computing again gives the same.', '!interest → true'),
  ...of(
    'correlated.ts',
    'interests.set(rules, interest);',
    'Computing again gives the same.',
    'interests.set(rules, interest); → (removed)',
  ),
  ...of('maintenance.ts', 'if (rules.size === 0) return [];', 'Without rules there are no candidates.', 'rules.size === 0 → false'),
  ...of('entities.ts', 'let generation = 0;', 'Only whether it changed counts.', '0 → 1'),
  ...of('entities.ts', 'generation += 1;', 'Only whether it changed counts.', 'generation += 1 → generation -= 1', '1 → 2'),
  ...of(
    'entities.ts',
    'operationsOf.delete(id);',
    'A list of operations that are no longer cached costs memory only.',
    'operationsOf.delete(id); → (removed)',
  ),
  ...of(
    'entities.ts',
    'operationsOf.clear();',
    'A list of operations that are no longer cached costs memory only.',
    'operationsOf.clear(); → (removed)',
  ),
  ...of('entities.ts', 'else if ((unknown.get(id) ?? 0) < Date.now()) missing.push(id);', 'Both are long over.', '0 → 1'),
];
