/** Occurrence patterns: what each remembers between packets and when it is satisfied. */
import type { Fact } from './facts.ts';
import { fold } from './fold.ts';
import type { OccurrencePattern } from './schema.ts';
import type { WindowMemory } from './window.ts';

/** What a condition over a window remembers, and what its pattern does. */
export interface WindowedMemory {
  window: WindowMemory;
  pattern?: PatternMemory;
}

/** What a pattern remembers; undefined when at rest. */
export type PatternMemory = number | string | readonly number[] | undefined;

/** JSON-able memory of one condition. */
export type ConditionMemory = PatternMemory | WindowedMemory;

/** One observation: whether the operator held, the value it saw, and when. */
export interface Pattern {
  /** What to remember after the observation; the same memory when nothing changed. */
  advance: (memory: PatternMemory, holds: boolean, value: Fact, at: number) => PatternMemory;
  /** Whether the condition counts, given the memory before and after. */
  satisfied: (before: PatternMemory, after: PatternMemory, holds: boolean, at: number) => boolean;
  /** At rest, an observation for which the operator fails leaves nothing to remember and does not satisfy it. */
  restsUntilHeld: boolean;
}

/** The operator held at N observations in succession; it goes on counting while they go on holding. */
function timesInRow(times: number): Pattern {
  return {
    advance: (memory, holds) => (holds ? Math.min((typeof memory === 'number' ? memory : 0) + 1, times) : undefined),
    satisfied: (_, after) => after === times,
    restsUntilHeld: true,
  };
}

/** The operator held N times, the first at most `seconds` before this one; between them it may fail. */
function timesWithin(times: number, seconds: number): Pattern {
  const windowMs = seconds * 1_000;
  return {
    advance: (memory, holds, _, at) => {
      const hits = Array.isArray(memory) ? (memory as readonly number[]) : [];
      if (!holds) {
        const last = hits.at(-1);
        return last === undefined || last < at - windowMs ? undefined : memory;
      }
      // Events come in order: when all hits of a full memory are of this very moment, one more changes nothing.
      if (hits.length === times && hits[0] === at) return memory;
      const recent = hits.filter((time) => time >= at - windowMs);
      recent.push(at);
      return recent.length > times ? recent.slice(-times) : recent;
    },
    satisfied: (_, after, holds) => holds && Array.isArray(after) && after.length >= times,
    restsUntilHeld: true,
  };
}

/** The operator held at every observation since one that is at least `seconds` old; needs two packets. */
function everyTimeDuring(seconds: number): Pattern {
  const periodMs = seconds * 1_000;
  return {
    advance: (memory, holds, _, at) => (holds ? (typeof memory === 'number' ? memory : at) : undefined),
    satisfied: (_, after, holds, at) => holds && typeof after === 'number' && at - after >= periodMs,
    restsUntilHeld: true,
  };
}

const longestKept = 40;

/** FNV-1a over 32 bits with the length: enough to tell one long text from the next. */
export function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${(hash >>> 0).toString(36)}.${text.length.toString(36)}`;
}

function remembered(value: Fact): string {
  if (typeof value !== 'string') return value === undefined || value === null ? '' : String(value);
  const text = fold(value);
  return text.length <= longestKept ? text : `#${digest(text)}`;
}

/** The value differs from the last one seen and the operator holds for it; the first sight is no change. */
const changed: Pattern = {
  advance: (_, __, value) => remembered(value),
  satisfied: (before, after, holds) => holds && before !== undefined && before !== after,
  restsUntilHeld: false,
};

/** The pattern's memory and rule; undefined for patterns that remember nothing. */
export function patternOf(pattern: OccurrencePattern | null | undefined): Pattern | undefined {
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return timesInRow(pattern.Times);
    case 'TimesWithin':
      return timesWithin(pattern.Times, pattern.Seconds);
    case 'EveryTimeDuring':
      return everyTimeDuring(pattern.Seconds);
    case 'Changed':
      return changed;
    default:
      return undefined;
  }
}
