/** Evaluates the silence of one entity. The sweeps in `silence/` find out which entities are to be looked at. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { silenceMs, type RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { evaluate, silenceLeftMs } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { graceMsOf, maxGraceMs } from './beats.ts';
import { tickEvent, tickFor, type Circumstances } from './circumstances.ts';
import type { Entity } from './entity.ts';
import type { EntityState, EvaluationNote, RuleHit } from './evaluate-entity.ts';
import type { IngestRule } from './ingest-rule.ts';
import { inForce } from './rollout.ts';

/** Interval of the sweeps. */
export const silenceSweepMs = 5_000;
/** How often at most what goes on repeats its match; less than the shortest lifetime. */
export const quietMs = 60_000;

/**
 * For how long further hits of continued silence count as none: they put off the end of a match that hits extend, when half of the
 * extension is over, and change nothing else.
 */
export function quietMsOf({ sliding, lifetimeMs, clearForMs = 0 }: IngestRule): number {
  const extensionMs = Math.max(sliding ? lifetimeMs : 0, clearForMs);
  return extensionMs === 0 ? Infinity : Math.max(quietMs, extensionMs / 2);
}

export interface SilentRow {
  entity_id: string;
  /** Null for an entity that never reported, which is silent since `at`, its creation. */
  packet_id: string | null;
  at: number;
  memory: EntityState['memory'] | null;
  /** The usual time between its packets; undefined if unknown. Needed only after an outage. */
  beatMs?: number | undefined;
}

/** What the evaluation of a silent entity finds, and when it is to be looked at again if it does not report. */
export interface SilenceLook {
  hits: RuleHit[];
  /** Infinite when it depends on the matches of the hits alone. */
  due: number;
}

/** The milliseconds of silence after which its passing changes no condition of the rule any more. */
const settledMsOf = ({ conditions }: CompiledRule<IngestRule>): number =>
  Math.max(0, ...conditions.flatMap(({ silenceMs, window, gapMs }) => [silenceMs ?? 0, window?.ms ?? 0, gapMs]));

/** When a rule that silence does not satisfy now must be asked again, by the silence without more than the shortest grace. */
function dueOf(rule: CompiledRule<IngestRule>, tick: RuleEvent, now: number): number {
  const { silenceMs: limitMs = 0, inTimeWindow } = rule;
  const soonest = { ...tick, graceMs: graceMsOf(0, limitMs) };
  const left = silenceLeftMs(rule, soonest);
  if (left > 0) return now + left;
  const next = now + silenceSweepMs;
  if (rule.depends.length > 0) return next;
  const isSettled = (silenceMs({ ...tick, graceMs: maxGraceMs }) ?? 0) > settledMsOf(rule) + maxGraceMs;
  if (!isSettled && !(inTimeWindow && !inTimeWindow(now))) return next;
  for (let at = next; inTimeWindow && at < now + quietMs; at += silenceSweepMs) if (inTimeWindow(at)) return at;
  return now + quietMs;
}

/** Looks at a silent entity; `row.at` is the time of its latest packet, or of its creation. */
export function lookAtSilence(
  rules: RuleIndex<IngestRule>,
  entity: Entity,
  row: Pick<SilentRow, 'at' | 'memory' | 'beatMs'> & Partial<Pick<SilentRow, 'packet_id'>>,
  around: Circumstances,
  now: number,
  notes: EvaluationNote[],
): SilenceLook {
  const tick = tickEvent(around, entity, row.at, now);
  const cause = { packetId: uuidV7(now), ...tick.packet };
  const look: SilenceLook = { hits: [], due: Infinity };
  for (const candidate of rules.candidates(tick)) {
    const rule = inForce(candidate, entity);
    const event = rule && tickFor(rule, tick, row.beatMs);
    if (!event || (row.packet_id === null && !rule.rule.neverReported)) continue;
    const before = row.memory?.[rule.ruleId];
    try {
      if (evaluate(rule, event, before).outcome === 'hit')
        look.hits.push({ rule, entity, packet: cause, event, before, isSilence: true as const });
      else look.due = Math.min(look.due, dueOf(rule, tick, now));
    } catch (error) {
      notes.push({ outcome: 'failed', rule, entity, packet: cause, detail: { error: messageOf(error) } });
      look.due = Math.min(look.due, now + quietMs);
    }
  }
  return look;
}

/** Returns the hits of rules on a silent entity. */
export function evaluateSilence(...args: Parameters<typeof lookAtSilence>): RuleHit[] {
  return lookAtSilence(...args).hits;
}
