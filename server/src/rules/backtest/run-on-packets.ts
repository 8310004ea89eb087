/** Backtests rules of types Ingestion and History on stored packets and on the silence between them. */
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import { selects } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { Db } from '../../db/db.ts';
import { baselinesOf, maxEntities, readPastUsual } from '../past/past-usual.ts';
import type { Entity } from '../run/entity.ts';
import { readBeatTimes } from '../run/beats.ts';
import { gapsBetween } from '../run/pulse.ts';
import { breathe, type Backtest, type RunOn } from './backtest.ts';
import { newPacketReplay } from './replay-packets.ts';
import { dependenciesOf, readStates } from '../run/rule-states.ts';
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

/** The entities whose packets the backtest reads. `others`: ids of entities that may never have reported. */
export async function entitiesOf(
  db: Db,
  backtest: Backtest,
  others: Iterable<string> = [],
  max: number = backtestLimits.entities,
): Promise<{ members: Entity[]; notes: string[] }> {
  const { entityIds, tenantId, entities } = backtest;
  const reported = entityIds
    ? [...entityIds]
    : (
        await db.query<{ id: string }>({
          text: 'select entity_id as id from latest_packet where tenant_id = $1 order by 1 limit $2',
          values: [tenantId, 10 * backtestLimits.entities],
        })
      ).map((row) => row.id);
  const ids = [...new Set([...reported, ...others])];
  const concernedEntities = [...(await entities.find(ids)).values()].filter(
    (entity) => entity.tenantId === tenantId && triedOf(backtest).some((rule) => selects(rule, entity)),
  );
  const limit = Math.min(max, backtestLimits.entities);
  return {
    members: concernedEntities.slice(0, limit).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    notes: concernedEntities.length > limit ? [`Only ${limit} entities were looked at.`] : [],
  };
}

/** Returns a note if some entities had too few values of past weeks for a baseline. */
function aboutBaselines(counts: { few: number; enough: number } | undefined): string[] {
  if (!counts || counts.few === 0) return [];
  const some = counts.few === 1 ? 'One entity' : `${counts.few} entities`;
  return [
    `${some} had too few values of past weeks at some time; then the condition does not hold. ${counts.enough} had enough at some time.`,
  ];
}

export const runOnPackets: RunOn = async (db, backtest, outcomes, start) => {
  const { period, goOn } = backtest;
  const watchesCreated = triedOf(backtest).some((rule) => rule.silenceMs !== undefined && rule.rule.neverReported);
  const created = watchesCreated ? await silentSinceCreated(db, backtest, start) : new Map<string, number>();
  const rules = withRecoveries(triedOf(backtest));
  const baselines = baselinesOf(rules);
  const max = baselines.length > 0 ? maxEntities(baselines, { from: start, to: period.to }) : undefined;
  const { members, notes } = await entitiesOf(db, backtest, created.keys(), max);
  const byId = new Map(members.map((entity) => [entity.id, entity]));
  const ids = [...byId.keys()];
  const looksAtSilence = triedOf(backtest).some((rule) => rule.silenceMs !== undefined);
  const gaps = await gapsBetween(db, start, period.to);
  const depends = dependenciesOf(rules);
  const matchingAt = depends.length > 0 ? await readStates(db, depends, members, start) : undefined;
  const usual = baselines.length > 0 ? await readPastUsual(db, baselines, members, { from: start, to: period.to }) : undefined;
  const replay = newPacketReplay(backtest, { from: start, to: period.to }, outcomes, gaps, { matchingAt, usualAt: usual?.usualAt });
  for (const entity of members) {
    const at = created.get(entity.id);
    if (at !== undefined) replay.watch(entity, at);
  }
  let packets = 0;
  const before = await readBefore(db, ids, start);
  const reported = gaps.length > 0 ? before.map(({ entityId: id, timestamp }) => ({ id, at: timestamp - 1 })) : [];
  const times = await readBeatTimes(db, reported);
  for (const packet of before) {
    const entity = byId.get(packet.entityId);
    if (!entity) continue;
    replay.remember(entity, times.get(entity.id)?.toReversed() ?? []);
    replay.take(entity, [packet]);
  }
  for await (const piece of readHistory(db, ids, { from: start, to: period.to })) {
    let since = 0;
    for (const [id, packetsOfEntity] of piece.packets) {
      const entity = byId.get(id);
      if (entity) replay.take(entity, packetsOfEntity, piece.to);
      if ((since += packetsOfEntity.length) < 1_000) continue;
      since = 0;
      await breathe();
    }
    packets += piece.count;
    if (!(await goOn(Math.min(1, (piece.until - start) / (period.to - start)), packets))) return undefined;
  }
  if (!(await replay.finish(() => goOn(1, packets)))) return undefined;
  if (backtest.draft.rule.tellLate)
    notes.push('Matches that were over before their packets arrived count as told: the rule tells however late.');
  if (matchingAt) notes.push('Whether other rules matched was taken from the record of their matches.');
  notes.push(...aboutBaselines(usual?.counts()));
  return looksAtSilence
    ? [...notes, 'Silence was checked every five seconds, as in operation: a match may have opened up to five seconds earlier or later.']
    : notes;
};
