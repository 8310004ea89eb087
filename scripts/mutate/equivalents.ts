/** Mutants that no test can distinguish from the original, each with the reason; they are counted separately. */

export interface Equivalent {
  file: string;
  /** The line of the source without its indentation. */
  line: string;
  /** The mutant's replacement, as the list of survivors prints it. */
  change: string;
  reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'contract/src/rules/evaluate.ts',
    line: 'if (condition.window) ({ after, satisfied } = observe(condition, event, before, since));',
    change: 'condition.window → true',
    reason: '`observe` evaluates a pattern too; the branch after it only saves an object.',
  },
  {
    file: 'contract/src/rules/evaluate.ts',
    line: 'else if (condition.pattern) {',
    change: 'condition.pattern → true',
    reason: 'A condition with memory that has no window has a pattern.',
  },
  {
    file: 'contract/src/rules/evaluate.ts',
    line: 'if (next === undefined && state === undefined) return hit ? restingHit : restingMiss;',
    change: 'next === undefined && state === undefined → false',
    reason: 'The line after it makes an equal result, as a new object.',
  },
  {
    file: 'contract/src/rules/evaluate.ts',
    line: "if (!inScope(rule, event)) return state ? { outcome: 'miss', state, changed: false } : restingMiss;",
    change: 'state → true',
    reason: 'Without a state both are the same result.',
  },
  {
    file: 'contract/src/rules/facts.ts',
    line: 'if (gap.until <= from || gap.from >= packet.timestamp) continue;',
    change: 'gap.until <= from → gap.until < from',
    reason: 'An outage that ends where the silence begins does not shorten it.',
  },
  {
    file: 'contract/src/rules/facts.ts',
    line: 'if (gap.until <= from || gap.from >= packet.timestamp) continue;',
    change: 'gap.from >= packet.timestamp → gap.from > packet.timestamp',
    reason: 'An outage that begins at the event leaves the whole silence before it.',
  },
  {
    file: 'contract/src/rules/fold.ts',
    line: 'if (text === folded) return true;',
    change: 'text === folded → false',
    reason: 'A short way to what the rest finds out.',
  },
  {
    file: 'contract/src/rules/fold.ts',
    line: 'if (code > 127) return fold(text) === folded;',
    change: 'code > 127 → true',
    reason: 'Folding is right for each text; the loop only saves it for ASCII, and these two characters have no case.',
  },
  {
    file: 'contract/src/rules/fold.ts',
    line: 'if (code > 127) return fold(text) === folded;',
    change: 'code > 127 → code >= 127',
    reason: 'Folding is right for each text; the loop only saves it for ASCII, and these two characters have no case.',
  },
  {
    file: 'contract/src/rules/fold.ts',
    line: 'if (code > 127) return fold(text) === folded;',
    change: '127 → 128',
    reason: 'Folding is right for each text; the loop only saves it for ASCII, and these two characters have no case.',
  },
  {
    file: 'contract/src/rules/fold.ts',
    line: 'return text.length === folded.length || (text.length > length && fold(text) === folded);',
    change: 'text.length > length → text.length >= length',
    reason: 'A folded text that is longer than one of ASCII is another one.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'if (!fields) byField.set(read, (fields = new Map()));',
    change: '!fields → true',
    reason: 'Each condition then reads by itself, which only costs time.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'const reading = shared ? sharedReading(readings, parts) : { read, field, turn: 0, value: undefined };',
    change: 'shared → true',
    reason: 'Sharing saves reads; a reader of one condition has a key of its own.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'const reading = shared ? sharedReading(readings, parts) : { read, field, turn: 0, value: undefined };',
    change: 'shared → false',
    reason: 'Sharing saves reads; a reader of one condition has a key of its own.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'return reading.turn === turn ? reading.value : readNow(reading, event, turn);',
    change: 'reading.turn === turn → false',
    reason: 'Reading again gives the same value.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'const value = reading.turn === turn ? reading.value : readNow(reading, event, turn);',
    change: 'reading.turn === turn → false',
    reason: 'Reading again gives the same value.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: '} else if (step.kind === kinds.equal && value === step.text) return true;',
    change: 'step.kind === kinds.equal && value === step.text → false',
    reason: 'A short way: the test of Equals answers the same.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'if (kind === kinds.greater) {',
    change: 'kind === kinds.greater → false',
    reason: 'A short way: what follows compares the same numbers.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'if (kind === kinds.less) {',
    change: 'kind === kinds.less → false',
    reason: 'A short way: what follows compares the same numbers.',
  },
  {
    file: 'contract/src/rules/predicate.ts',
    line: 'if (isLimit(kind)) {',
    change: 'isLimit(kind) → false',
    reason: 'A short way: what follows compares the same numbers.',
  },
  {
    file: 'contract/src/rules/rule-index.ts',
    line: 'if (rank >= 0 && (!best || rank < preference.indexOf(best.operand.id))) best = selector;',
    change: 'rank < preference.indexOf(best.operand.id) → rank <= preference.indexOf(best.operand.id)',
    reason: 'Of two conditions on one operand either finds the rule.',
  },
  {
    file: 'contract/src/rules/operators.ts',
    line: "if (typeof value === 'string') return equalsFolded(value, text);",
    change: "typeof value === 'string' → false",
    reason: 'A short way: the next line folds the text and compares it.',
  },
  {
    file: 'contract/src/rules/time-window.ts',
    line: 'if (!zone) {',
    change: '!zone → true',
    reason: 'The cache of zones only saves time.',
  },
  {
    file: 'contract/src/rules/time-window.ts',
    line: 'if (quarter === zone.lastQuarter) return zone.lastOffset;',
    change: 'quarter === zone.lastQuarter → false',
    reason: 'The offset is then found in the map, or computed again.',
  },
  {
    file: 'contract/src/rules/time-window.ts',
    line: 'if (zone.offsets.size >= quartersKept) zone.offsets.clear();',
    change: 'zone.offsets.clear(); → (removed)',
    reason: 'The map then grows; it answers the same.',
  },
  {
    file: 'contract/src/rules/time-window.ts',
    line: 'const from = conditions.StartRange ? Date.parse(conditions.StartRange) : Number.NEGATIVE_INFINITY;',
    change: 'conditions.StartRange → true',
    reason: 'Nothing parses to NaN, which no time is before or after.',
  },
  {
    file: 'contract/src/rules/time-window.ts',
    line: 'const to = conditions.EndRange ? Date.parse(conditions.EndRange) : Number.POSITIVE_INFINITY;',
    change: 'conditions.EndRange → true',
    reason: 'Nothing parses to NaN, which no time is before or after.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: "return beyondAscii.test(text) ? Array.from(text, lowerOne).join('') : text.toLowerCase();",
    change: 'beyondAscii.test(text) → true',
    reason: 'The way for all of Unicode is right for ASCII too, only slower.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: "return beyondAscii.test(text) ? Array.from(text, upperOne).join('') : text.toUpperCase();",
    change: 'beyondAscii.test(text) → true',
    reason: 'The way for all of Unicode is right for ASCII too, only slower.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: 'return beyondAscii.test(text) ? Array.from(text).length : text.length;',
    change: 'beyondAscii.test(text) → true',
    reason: 'The way for all of Unicode is right for ASCII too, only slower.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: "return beyondAscii.test(text) ? Array.from(text).slice(from, to).join('') : text.slice(from, to);",
    change: 'beyondAscii.test(text) → true',
    reason: 'The way for all of Unicode is right for ASCII too, only slower.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: 'while (from < to && blanks.includes(text.charAt(from))) from++;',
    change: 'from < to → from <= to',
    reason: 'One step too far in a text of blanks, of which nothing is left either way.',
  },
  {
    file: 'contract/src/query/text.ts',
    line: 'while (to > from && blanks.includes(text.charAt(to - 1))) to--;',
    change: 'to > from → to >= from',
    reason: 'One step too far in a text of blanks, of which nothing is left either way.',
  },
  {
    file: 'server/src/resources/bulk.ts',
    line: "one.status === 'rejected' ? [{ key: edits[i]?.key ?? '', error: one.reason as unknown }] : [],",
    change: "edits[i]?.key ?? '' → edits[i]?.key",
    reason: 'There is one result for each edit.',
  },
  {
    file: 'server/src/resources/list.ts',
    line: "if (!row) throw new Error('A count has one row.');",
    change: "throw new Error('A count has one row.'); → (removed)",
    reason: 'A count always has a row.',
  },
  {
    file: 'server/src/jobs/lane.ts',
    line: 'started.delete(done);',
    change: 'started.delete(done); → (removed)',
    reason: 'The set then keeps promises that are settled; it waits for the same ones.',
  },
  {
    file: 'server/src/jobs/leased-jobs.ts',
    line: 'if (runningOf.get(tenant) === 0) runningOf.delete(tenant);',
    change: 'runningOf.delete(tenant); → (removed)',
    reason: 'A tenant without a number counts as 0 too.',
  },
  {
    file: 'server/src/jobs/retention.ts',
    line: 'const batchSize = 5_000;',
    change: '5_000 → 5001',
    reason: 'Rows are deleted in portions until none is left, whatever their size.',
  },
  {
    file: 'server/src/rules/backtest/run-on-counts.ts',
    line: 'if ((evaluated += subjects.length) % 2_000 < subjects.length) await breathe();',
    change: '(evaluated += subjects.length) % 2_000 < subjects.length → true',
    reason: 'The pause lets other work run; it changes no result.',
  },
  {
    file: 'server/src/rules/backtest/run-on-packets.ts',
    line: 'await breathe();',
    change: 'await breathe(); → (removed)',
    reason: 'The pause lets other work run; it changes no result.',
  },
];
