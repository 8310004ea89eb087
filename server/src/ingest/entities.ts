/** Who may report packets: the one place that knows which tables hold entities, kept in memory. */
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { Database, Db } from '../db/connection.ts';
import type { Channel } from '../db/notify.ts';

/** An entity as rules see it, and what people call it. */
export interface Entity extends RuleEntity {
  name: string;
  enabled: boolean;
}

export interface Entities {
  /** Those of the ids that exist, whoever owns them: the caller checks the tenant. */
  find(ids: Iterable<string>): Promise<ReadonlyMap<string, Entity>>;
  stop(): Promise<void>;
}

/** An id that nobody has is looked up again after this; until then a stranger's packets cost no query. */
const unknownForMs = 2_000;
const kept = 200_000;
interface DeviceRow {
  device_id: string;
  tenant_id: string;
  subscription_id: string;
  name: string;
  tags: string | null;
  device_type_id: number;
  operating_system_id: number;
  location_id: string | null;
  enabled: boolean;
}

function ofDevice(row: DeviceRow): Entity {
  return {
    id: row.device_id,
    kind: 'device',
    tenantId: row.tenant_id,
    subscriptionId: row.subscription_id,
    name: row.name,
    enabled: row.enabled,
    device: {
      id: row.device_id,
      name: row.name,
      tags: row.tags,
      deviceTypeId: row.device_type_id,
      operatingSystemId: row.operating_system_id,
      locationId: row.location_id,
    },
  };
}

async function read(db: Db, ids: readonly string[]): Promise<Entity[]> {
  const rows = await db.query<DeviceRow>({
    name: 'ingest-devices',
    text: `select device_id, tenant_id, subscription_id, name, tags, device_type_id, operating_system_id, location_id, enabled
from device where device_id = any($1) and not is_deleted`,
    values: [ids],
  });
  return rows.map(ofDevice);
}

/** Opens the cache; it listens for changes of devices. */
export async function openEntities(database: Database): Promise<Entities> {
  const db = database.scoped('all');
  const cache = new Map<string, Entity>();
  const unknown = new Map<string, number>();
  // Counts invalidations, so that a row read before one is not kept after it.
  let generation = 0;

  const unlisten = await database.listen('devices' satisfies Channel, (payload) => {
    generation += 1;
    unknown.clear();
    // Nothing named: too many for one message, or the listener was away and missed them.
    if (payload === '') cache.clear();
    else for (const id of payload.split(',')) cache.delete(id);
  });

  async function load(ids: readonly string[], found: Map<string, Entity>): Promise<void> {
    const at = generation;
    const rows = await read(db, ids);
    if (cache.size + rows.length > kept) cache.clear();
    if (unknown.size > kept) unknown.clear();
    for (const entity of rows) {
      found.set(entity.id, entity);
      if (at === generation) cache.set(entity.id, entity);
    }
    if (at === generation) for (const id of ids) if (!found.has(id)) unknown.set(id, Date.now() + unknownForMs);
  }

  return {
    async find(ids) {
      const found = new Map<string, Entity>();
      const missing: string[] = [];
      for (const id of ids) {
        const entity = cache.get(id);
        if (entity) found.set(id, entity);
        else if ((unknown.get(id) ?? 0) < Date.now()) missing.push(id);
      }
      if (missing.length > 0) await load([...new Set(missing)], found);
      return found;
    },
    stop: unlisten,
  };
}
