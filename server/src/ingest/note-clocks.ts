/** Shows on devices that the clock of their sender differs from the server's, as the packets of the device say. */
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import type { AcceptedPacket, BatchEvaluation, LatestOf } from './batch.ts';

/** By how many seconds the clock of a device is ahead; negative if behind, null for one that is right. */
export interface NotedClock {
  device_id: string;
  ahead: number | null;
}

/** Returns the devices whose steady offset this batch has changed. */
export function changedClocks(
  groups: ReadonlyMap<string, readonly AcceptedPacket[]>,
  { results }: Pick<BatchEvaluation, 'results'>,
  latestOf: LatestOf,
): NotedClock[] {
  const changed: NotedClock[] = [];
  for (const [id, { state }] of results) {
    if (!state || groups.get(id)?.[0]?.entity.kind !== 'device') continue;
    const offset = state.clock?.offset;
    if (offset !== latestOf(id)?.state.clock?.offset)
      changed.push({ device_id: id, ahead: offset === undefined ? null : -Math.round(offset / 1_000) });
  }
  return changed;
}

/** Stores what the packets of a batch say of clocks. */
export async function noteClocks(tx: Db, clocks: readonly NotedClock[]): Promise<void> {
  if (clocks.length === 0) return;
  await tx.defer({
    name: 'ingest-clocks',
    text: `with noted as (
  update device d set clock_skew_seconds = c.ahead from jsonb_to_recordset($1::jsonb) as c (device_id uuid, ahead int)
  where d.device_id = c.device_id and d.clock_skew_seconds is distinct from c.ahead returning d.tenant_id, d.device_id
)
${changed(devices, 'update', 'noted', '$2')}`,
    values: [JSON.stringify(clocks.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))), uuidV7()],
  });
}
