/** Evaluates rules that depend on the matches of other rules, after these other rules and with their new matches. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../db/db.ts';
import type { UsualAt } from '../rules/run/baselines/usual-values.ts';
import type { CompiledRules } from '../rules/run/compiled-rules.ts';
import type { IngestRule } from '../rules/run/ingest-rule.ts';
import { evaluateEntity } from '../rules/run/evaluate-packets.ts';
import { timed } from '../rules/run/order/packet-times.ts';
import { dependenciesOf, levelsOf, readStates } from '../rules/run/rule-states.ts';
import type { AcceptedPacket, BatchEvaluation, LatestOf } from './batch.ts';

/** Returns the rules that packets of a batch concern, these packets by entity, and the earliest time of all packets. */
function concernedOf(index: RuleIndex<IngestRule>, groups: ReadonlyMap<string, readonly AcceptedPacket[]>, latestOf: LatestOf) {
  const rules = new Set<CompiledRule<IngestRule>>();
  const batches: (readonly AcceptedPacket[])[] = [];
  let from = Infinity;
  for (const [id, group] of groups) {
    const before = rules.size;
    const entity = group[0]?.entity;
    let any = false;
    const { packets } = timed(
      latestOf(id) ?? undefined,
      group.map(({ packet }) => packet),
    );
    for (const { packet } of packets) {
      const candidates = entity ? index.candidates({ entity, packet }) : [];
      any ||= candidates.length > 0;
      for (const rule of candidates) rules.add(rule);
      from = Math.min(from, packet.timestamp);
    }
    if (any || rules.size > before) batches.push(group);
  }
  return { rules, batches, from };
}

/**
 * Adds the results of dependent rules to `evaluation`, which already has the results of the rules that depend on no other rule.
 */
export async function evaluateDependents(
  db: Db,
  { ingestion, dependent, usual, gaps }: Pick<CompiledRules, 'ingestion' | 'dependent' | 'usual' | 'gaps'>,
  groups: ReadonlyMap<string, readonly AcceptedPacket[]>,
  latestOf: LatestOf,
  evaluation: BatchEvaluation,
  now: number,
): Promise<void> {
  const [others, index] = [ingestion(), dependent()];
  const keepMemoryOf = { get: (ruleId: string, tenantId?: string) => others.get(ruleId, tenantId) ?? index.get(ruleId, tenantId) };
  for (const level of levelsOf(index)) {
    const { rules, batches, from } = concernedOf(level, groups, latestOf);
    if (batches.length === 0) continue;
    const entities = batches.flatMap(([first]) => (first ? [first.entity] : []));
    const matchingAt = await readStates(db, dependenciesOf(rules), entities, from, { hits: evaluation.hits, now });
    const evaluateBy = (usualAt: UsualAt | undefined) =>
      batches.flatMap((group) => {
        const [first] = group;
        const before = first && evaluation.results.get(first.entity.id);
        if (!before) return [];
        const latest = latestOf(first.entity.id) ?? undefined;
        const packets = group.map(({ packet }) => packet);
        const state = before.state ?? latest?.state;
        const options = { state, keepMemoryOf, matchingAt, usualAt, gaps: gaps() };
        return [{ before, result: evaluateEntity(level, first.entity, latest, packets, options) }];
      });
    for (const { before, result } of await usual.evaluate(db, level, evaluateBy)) {
      if (result.state) before.state = result.state;
      evaluation.hits.push(...result.hits);
      evaluation.notes.push(...result.notes);
    }
  }
}
