/** Backtests rules of types Ingestion and History on stored packets and on the silence between them. */
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import type { Sentence } from '@cloudfit/contract/rules/rule-words.ts';
import type { Db } from '../../db/db.ts';
import { circumstancesIn } from '../past/as-of.ts';
import { baselinesOf, maxEntities } from '../past/past-usual.ts';
import { readBeatTimes } from '../run/beats.ts';
import { reportersOf } from '../past/reporters.ts';
import { takeTurns } from '../../platform/turns.ts';
import type { Backtest, RunOn } from './backtest.ts';
import { newPacketReplay } from './replay-packets.ts';
import { triedOf, withRecoveries } from './outcomes.ts';
import { iso } from '../past/past-packets.ts';
import { readBefore, readHistory } from '../past/read-history.ts';

/** Returns the creation times of the devices, operations and blocks that had not reported before `start`, by id. */
async function silentSinceCreated(db: Db, { tenantId, entityIds }: Backtest, start: number): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; created: number }>({
    text: `select e.id, (extract(epoch from e.created) * 1000)::float8 as created from (
  select device_id as id, created from device where tenant_id = $1 and not is_deleted
  union all select device_operation_id, created from device_operation where tenant_id = $1 and not is_deleted
  union all select block_id, created from block where tenant_id = $1 and device_id is null
) e where ($2::uuid[] is null or e.id = any($2::uuid[]))
  and not exists (select from packet p where p.entity_id = e.id and p.timestamp < $3::timestamptz)
  and not exists (select from latest_packet l where l.entity_id = e.id and l.timestamp < $3::timestamptz)
order by 1 limit $4`,
    values: [tenantId, entityIds, iso(start), 10 * backtestLimits.entities],
  });
  return new Map(rows.map((row) => [row.id, row.created]));
}

/** Returns a note if some entities had too few values of past weeks for a baseline. */
function aboutBaselines(counts: { few: number; enough: number } | undefined): Sentence[] {
  if (!counts || counts.few === 0) return [];
  return [({ notes }) => notes.baselines(counts.few, counts.enough)];
}

export const runOnPackets: RunOn = async (db, backtest, outcomes, start) => {
  const { period, goOn } = backtest;
  const watchesCreated = triedOf(backtest).some((rule) => rule.silenceMs !== undefined && rule.rule.neverReported);
  const created = watchesCreated ? await silentSinceCreated(db, backtest, start) : new Map<string, number>();
  const rules = withRecoveries(triedOf(backtest));
  const baselines = baselinesOf(rules);
  const max = baselines.length > 0 ? maxEntities(baselines, { from: start, to: period.to }) : undefined;
  const { members, notes } = await reportersOf({ ...backtest, db, rules: triedOf(backtest) }, created.keys(), max);
  const byId = new Map(members.map((entity) => [entity.id, entity]));
  const ids = [...byId.keys()];
  const looksAtSilence = triedOf(backtest).some((rule) => rule.silenceMs !== undefined);
  const around = await circumstancesIn(db, rules, members, { from: start, to: period.to });
  const replay = newPacketReplay(backtest, { from: start, to: period.to }, outcomes, around);
  for (const entity of members) {
    const at = created.get(entity.id);
    if (at !== undefined) replay.watch(entity, at);
  }
  const turn = takeTurns();
  let packets = 0;
  const before = await readBefore(db, ids, start);
  const reported = around.gaps.length > 0 ? before.map(({ entityId: id, timestamp }) => ({ id, at: timestamp - 1 })) : [];
  const times = await readBeatTimes(db, reported);
  for (const packet of before) {
    const entity = byId.get(packet.entityId);
    if (!entity) continue;
    replay.remember(entity, times.get(entity.id)?.toReversed() ?? []);
    replay.take(entity, [packet]);
  }
  for await (const piece of readHistory(db, ids, { from: start, to: period.to })) {
    for (const [id, packetsOfEntity] of piece.packets) {
      const entity = byId.get(id);
      if (entity) replay.take(entity, packetsOfEntity, piece.to);
      await turn();
    }
    packets += piece.count;
    if (!(await goOn(Math.min(1, (piece.until - start) / (period.to - start)), packets))) return undefined;
  }
  if (!(await replay.finish(() => goOn(1, packets)))) return undefined;
  if (backtest.draft.rule.tellLate) notes.push((t) => t.notes.toldLate);
  if (around.matchingAt) notes.push((t) => t.notes.otherRules);
  notes.push(...aboutBaselines(around.usual?.counts()));
  return looksAtSilence ? [...notes, (t) => t.notes.silenceEveryFiveSeconds] : notes;
};
