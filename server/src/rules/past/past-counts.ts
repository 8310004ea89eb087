/** Sums over the packets of many entities at past times, as rules of type Aggregation saw them. */
import type { Totals } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { countParts, counting, countIntervalMs, type CountPart } from '../run/count-many.ts';
import type { Entity } from '../run/entity.ts';
import { withEvaluatedTime } from '../run/order/packet-times.ts';
import type { PastPacket } from './past-packets.ts';

export interface CountPast {
  /** Takes the packets of one entity, whenever they were received. */
  take(entity: Entity, packets: readonly PastPacket[]): void;
  /**
   * Moves to a check: counts the packets that were received before the check, and drops the steps that no window covers any
   * more. Call it with increasing times.
   */
  moveTo(at: number): void;
  /** Returns the totals by `ruleId key` of a condition, as in `RuleEvent`. */
  totalsOf(subjectId: string): Record<string, Totals>;
}

function add(sums: Totals, part: Totals): void {
  sums.count += part.count;
  sums.sum += part.sum;
  sums.min = Math.min(sums.min, part.min);
  sums.max = Math.max(sums.max, part.max);
}

export function newCountPast(rules: RuleIndex<IngestRule>): CountPast {
  /** The parts of sums that are not counted yet, by the check that counts them. */
  const waiting = new Map<number, CountPart[]>();
  /** The totals by subscription or group, then by condition, then by step. */
  const totalsBySubject = new Map<string, Map<string, Map<number, Totals>>>();
  let moved = 0;

  function count(part: CountPart): void {
    let conditions = totalsBySubject.get(part.subject_id);
    if (!conditions) totalsBySubject.set(part.subject_id, (conditions = new Map()));
    const name = `${part.rule_id} ${part.key}`;
    let steps = conditions.get(name);
    if (!steps) conditions.set(name, (steps = new Map()));
    const sums = steps.get(part.step);
    if (sums) add(sums, part);
    else steps.set(part.step, { count: part.count, sum: part.sum, min: part.min, max: part.max });
  }

  return {
    take(entity, packets) {
      for (const [look, packetsOfCheck] of Map.groupBy(packets, (item) =>
        Math.max(moved, Math.floor(item.received / countIntervalMs) + 1),
      )) {
        const batch = packetsOfCheck.map((packet) => ({ entity, packet: withEvaluatedTime(packet) }));
        const parts = countParts(rules, batch);
        const before = waiting.get(look);
        if (before) before.push(...parts);
        else waiting.set(look, parts);
      }
    },
    moveTo(at) {
      const look = Math.floor(at / countIntervalMs);
      // After a gap there may be more checks than waiting parts, so the shorter of the two is iterated.
      for (const due of look - moved > waiting.size ? [...waiting.keys()].filter((key) => key <= look) : range(moved, look)) {
        for (const part of waiting.get(due) ?? []) count(part);
        waiting.delete(due);
      }
      moved = look + 1;
      for (const { rule_id, key, first } of counting(rules, at))
        for (const conditions of totalsBySubject.values()) {
          const steps = conditions.get(`${rule_id} ${key}`);
          for (const step of steps?.keys() ?? []) if (step < first) steps?.delete(step);
        }
    },
    totalsOf(subjectId) {
      const totals: Record<string, Totals> = {};
      for (const [name, steps] of totalsBySubject.get(subjectId) ?? []) {
        const sums = { count: 0, sum: 0, min: Infinity, max: -Infinity };
        for (const step of steps.values()) add(sums, step);
        // Omits empty sums, because the database has no rows for these either.
        if (sums.count > 0) totals[name] = sums;
      }
      return totals;
    },
  };
}

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i <= to; i += 1) yield i;
}
