/**
 * The latest packets of a tenant with their entities, as rules see them. Cached for a few seconds, because each pause in
 * writing a rule requests them again; people of one tenant share the cache, so that thousands of packets are read once, however
 * many people ask.
 */
import { latestPacketsRead } from '@cloudfit/contract/limits.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Db } from '../../db/db.ts';
import { readEntities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';

const keptMs = 5_000;
const maxTenants = 4;

export interface LatestOfTenant {
  latest: readonly { entity: Entity; at: number; message: PacketMessage }[];
  /** Whether the tenant has more latest packets than are read. */
  truncated: boolean;
}

interface LatestMessage {
  id: string;
  at: number;
  message: PacketMessage;
}

const sharedReads = new Map<string, { until: number; answer: Promise<LatestOfTenant> }>();

async function read(db: Db, tenantId: string): Promise<LatestOfTenant> {
  const rows = await db.query<LatestMessage>({
    name: 'matching-now-packets',
    text: `select entity_id as id, (extract(epoch from timestamp) * 1000)::float8 as at, message
from latest_packet where tenant_id = $1 order by entity_id limit $2`,
    values: [tenantId, latestPacketsRead + 1],
  });
  const packets = new Map(rows.slice(0, latestPacketsRead).map((row) => [row.id, row]));
  const entities = await readEntities(db, [...packets.keys()]);
  return {
    latest: entities.flatMap((entity) => {
      const packet = packets.get(entity.id);
      return packet && entity.enabled ? [{ entity, at: packet.at, message: packet.message }] : [];
    }),
    truncated: rows.length > latestPacketsRead,
  };
}

/** Returns the latest packets of a tenant, at most `keptMs` old. `db` must see the rows of the tenant. */
export function latestOfTenant(db: Db, tenantId: string): Promise<LatestOfTenant> {
  const now = performance.now();
  for (const [id, { until }] of sharedReads) if (until <= now) sharedReads.delete(id);
  const existing = sharedReads.get(tenantId);
  if (existing) return existing.answer;
  const [oldest] = sharedReads.keys();
  if (oldest !== undefined && sharedReads.size >= maxTenants) sharedReads.delete(oldest);
  const one = { until: now + keptMs, answer: read(db, tenantId) };
  sharedReads.set(tenantId, one);
  // Drops the packets from memory when they are too old to be returned.
  setTimeout(() => {
    if (sharedReads.get(tenantId) === one) sharedReads.delete(tenantId);
  }, keptMs).unref();
  one.answer.catch(() => sharedReads.delete(tenantId));
  return one.answer;
}
