/** Ends matches of silence when their entity reports again, unless recovery conditions say when they end. */
import type { CompiledCondition, CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { matchKey, type OpenMatch } from './decide-matches.ts';
import type { Entities } from './entities.ts';
import type { Entity } from './entity.ts';
import type { EvaluationNote, RuleHit } from './evaluate-entity.ts';
import { storeHits } from './evaluate-subjects.ts';
import type { IngestRule } from './ingest-rule.ts';
import { readLatest } from './latest.ts';
import { silentSince } from './order/packet-times.ts';
import { inForce } from './rollout.ts';

const atOnce = 500;

/** An open match of a rule that silence can match. */
interface OpenSilence {
  ruleId: string;
  lastMatch: number;
  /** Whether silence opened it, instead of a packet. */
  isBySilence: boolean;
  /** Whether the entity's latest packet was a hit of the rule. */
  isHolding: boolean;
}

const needsSilence = ({ gapMs, operand, window, silenceMs = 0 }: CompiledCondition): boolean =>
  !operand.reading && (gapMs > 0 || (!window && silenceMs > 0));

/** Whether the rule holds only after silence, so that even a packet that is a hit ends the silence. */
const isOfSilence = ({ groups }: CompiledRule<IngestRule>): boolean =>
  groups.every(({ withMemory, plain }) => withMemory.some(needsSilence) || plain.some(needsSilence));

/**
 * Returns recoveries for the matches whose silence is over: the entity has reported at `at`, after their last hit, and silence is no
 * hit of their rule now. `silentRuleIds`: the rules of which it is.
 */
export function silenceRecoveries(
  rules: RuleIndex<IngestRule>,
  entity: Entity,
  at: number,
  open: readonly OpenSilence[],
  silentRuleIds: ReadonlySet<string>,
): RuleHit[] {
  return open.flatMap(({ ruleId, lastMatch, isBySilence, isHolding }): RuleHit[] => {
    const indexed = rules.get(ruleId, entity.tenantId);
    const rule = indexed && inForce(indexed, entity);
    if (!rule || rule.rule.recoveryConditions?.length || at < lastMatch || silentRuleIds.has(ruleId)) return [];
    if (!isOfSilence(rule) && (!isBySilence || isHolding)) return [];
    const packet = { packetId: uuidV7(at), timestamp: at, message: {} };
    const recovery = { ...rule, rule: { ...rule.rule, recovers: ruleId } };
    return [{ rule: recovery, entity, packet, event: { entity, packet }, before: undefined }];
  });
}

interface ReportedRow extends OpenSilence {
  entityId: string;
  packetId: string;
  at: number;
}

// A match that silence opened has a packet without a message.
const reported = `select m.rule_id as "ruleId", m.subject_id as "entityId", l.packet_id as "packetId", (extract(epoch from ${silentSince('l')}) * 1000)::float8 as at,
  (extract(epoch from m.last_match) * 1000)::float8 as "lastMatch", m.rule_packet - 'EntityId' - 'Timestamp' = '{}' as "isBySilence",
  coalesce(l.rule_state -> 'holding' ? m.rule_id::text, false) as "isHolding"
from rule_match m join latest_packet l on l.entity_id = m.subject_id
where m.closed is null and m.subject_id = any($2::uuid[]) and m.rule_id = any($1::uuid[]) and m.recovered is null and m.expires > now()`;

/** A hit or recovery, and the latest packet of its entity from which it follows; null if the entity never reported. */
export interface SilenceHit {
  hit: RuleHit;
  packetId: string | null;
}

/**
 * Stores hits and recoveries in portions, under a lock of the latest packets. What sent another packet since it was read is left to
 * the next sweep. Returns the matches of the others that are open afterwards.
 */
export async function storeStill(
  db: Db,
  rules: CompiledRules,
  silenceHits: readonly SilenceHit[],
  notes: readonly EvaluationNote[],
  run: { quietMs?: (rule: IngestRule) => number },
): Promise<Map<string, OpenMatch>> {
  // The order in which batches of packets lock.
  const due = silenceHits.toSorted((a, b) => (a.hit.entity.id < b.hit.entity.id ? -1 : 1));
  const open = new Map<string, OpenMatch>();
  for (let i = 0; i < due.length || (i === 0 && notes.length > 0); i += atOnce) {
    const some = due.slice(i, i + atOnce);
    await db.transaction(async (tx) => {
      const latest = await readLatest(tx, [...new Set(some.map(({ hit }) => hit.entity.id))], true);
      const still = some.filter(({ hit, packetId }) => (latest.get(hit.entity.id)?.packetId ?? null) === packetId);
      const stored = await storeHits(tx, rules, { hits: still.map(({ hit }) => hit), notes: i === 0 ? [...notes] : [] }, run);
      for (const [key, match] of stored) open.set(key, match);
    });
  }
  return open;
}

/**
 * Ends the open matches of these rules and entities whose silence is over. `silent`: the keys of the matches whose rules silence satisfies
 * now; `owns`: whether a tenant is of this sweep, because a rule of many tenants is of several. Returns the entities that have matches which a report may still end.
 */
export async function endSilence(
  db: Db,
  { rules, entities }: { rules: CompiledRules; entities: Entities },
  index: RuleIndex<IngestRule>,
  {
    ruleIds,
    ids,
    silent,
    owns,
  }: { ruleIds: readonly string[]; ids: readonly string[]; silent: ReadonlySet<string>; owns: (tenantId: string) => boolean },
): Promise<string[]> {
  if (ruleIds.length === 0 || ids.length === 0) return [];
  const rows = await db.query<ReportedRow>({ name: 'silence-reported', text: reported, values: [ruleIds, ids] });
  if (rows.length === 0) return [];
  const existing = await entities.find(rows.map(({ entityId }) => entityId));
  const endable = rows.flatMap((row) => {
    const entity = existing.get(row.entityId);
    const indexed = entity && owns(entity.tenantId) ? index.get(row.ruleId, entity.tenantId) : undefined;
    const rule = indexed && entity?.enabled ? inForce(indexed, entity) : undefined;
    if (!entity || !rule || rule.rule.recoveryConditions?.length || !(row.isBySilence || isOfSilence(rule))) return [];
    return [{ row, entity }];
  });
  const ends = endable.flatMap(({ row, entity }) => {
    const silentRuleIds = new Set(silent.has(matchKey(row.ruleId, row.entityId)) ? [row.ruleId] : []);
    return silenceRecoveries(index, entity, row.at, [row], silentRuleIds).map((hit) => ({ hit, packetId: row.packetId }));
  });
  await storeStill(db, rules, ends, [], {});
  return [...new Set(endable.map(({ row }) => row.entityId))];
}
