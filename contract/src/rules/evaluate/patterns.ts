/** Occurrence patterns: what each remembers between packets, and when each is satisfied. */
import type { Fact } from '../facts.ts';
import { fold } from '../fold.ts';
import type { OccurrencePattern } from '../schema.ts';
import type { WindowMemory } from './window.ts';

/** The memory of a condition with a window, and of its pattern. */
export interface WindowedMemory {
  window: WindowMemory;
  pattern?: PatternMemory;
}

/** The memory of a pattern; undefined when empty. */
export type PatternMemory = number | string | readonly number[] | undefined;

/** The memory of one condition, which can be stored as JSON. */
export type ConditionMemory = PatternMemory | WindowedMemory;

/** The memory of one rule for one entity: JSON by condition key; undefined when empty. */
export type RuleState = Readonly<Record<string, Exclude<ConditionMemory, undefined>>>;

/** An occurrence pattern. Each observation has the result of the operator, the value and the time. */
export interface OccurrenceMemory {
  /** The memory after the observation; the same object when nothing changed. */
  advance: (memory: PatternMemory, holds: boolean, value: Fact, at: number) => PatternMemory;
  /** Whether the condition is satisfied, given the memory before and after the observation. */
  satisfied: (before: PatternMemory, after: PatternMemory, holds: boolean, at: number) => boolean;
  /**
   * Whether, with empty memory, an observation that fails the operator leaves the memory empty and the condition unsatisfied.
   */
  restsUntilHeld: boolean;
}

/** The operator holds at N observations in a row; the condition stays satisfied while further observations hold. */
function timesInRow(times: number): OccurrenceMemory {
  return {
    advance: (memory, holds) => (holds ? Math.min((typeof memory === 'number' ? memory : 0) + 1, times) : undefined),
    satisfied: (_, after) => after === times,
    restsUntilHeld: true,
  };
}

/** The operator holds N times within `seconds`; it may fail in between. */
function timesWithin(times: number, seconds: number): OccurrenceMemory {
  const windowMs = seconds * 1_000;
  return {
    advance: (memory, holds, _, at) => {
      const hits = Array.isArray(memory) ? (memory as readonly number[]) : [];
      if (!holds) {
        const last = hits.at(-1);
        return last === undefined || last < at - windowMs ? undefined : memory;
      }
      // Events come in order: if all hits of a full memory have this same time, another hit changes nothing.
      if (hits.length === times && hits[0] === at) return memory;
      const recent = hits.filter((time) => time >= at - windowMs);
      recent.push(at);
      return recent.slice(-times);
    },
    satisfied: (_, after, holds) => holds && Array.isArray(after) && after.length >= times,
    restsUntilHeld: true,
  };
}

/** The operator holds at every observation for at least `seconds`, which takes at least two packets. */
function everyTimeDuring(seconds: number): OccurrenceMemory {
  const periodMs = seconds * 1_000;
  return {
    advance: (memory, holds, _, at) => (holds ? (typeof memory === 'number' ? memory : at) : undefined),
    satisfied: (_, after, __, at) => typeof after === 'number' && at - after >= periodMs,
    restsUntilHeld: true,
  };
}

const longestKept = 40;

/** Returns the FNV-1a hash of a text with 32 bits, followed by the length of the text. */
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

/** The value differs from the latest one and the operator holds for it. The first value is not a change. */
const changed: OccurrenceMemory = {
  advance: (_, __, value) => remembered(value),
  satisfied: (before, after, holds) => holds && before !== undefined && before !== after,
  restsUntilHeld: false,
};

/** The pattern; undefined for patterns without memory. */
export function patternOf(pattern: OccurrencePattern | null | undefined): OccurrenceMemory | undefined {
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
