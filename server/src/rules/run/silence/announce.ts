/** Tells the sweeps of silence about packets that open or repeat a match of a rule on silence, because a sweep may end it. */
import type { Db } from '../../../db/db.ts';
import type { RuleHit } from '../evaluate-entity.ts';

/** Announces the entities of such hits, in the transaction of their packets. */
export async function announceSilenceHits(tx: Db, hits: readonly RuleHit[]): Promise<void> {
  const ofSilence = hits.filter(({ rule }) => rule.silenceMs !== undefined && rule.rule.recovers === undefined);
  if (ofSilence.length === 0) return;
  const tenantOf = new Map(ofSilence.map(({ entity }) => [entity.id, entity.tenantId]));
  await tx.defer({
    name: 'ingest-silence-hits',
    text: 'insert into silence_over (tenant_id, entity_id) select tenant_id, entity_id from unnest($1::uuid[], $2::uuid[]) as h (tenant_id, entity_id)',
    values: [[...tenantOf.values()], [...tenantOf.keys()]],
  });
}
