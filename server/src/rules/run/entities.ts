/** Reads and caches the entities of rules: devices, their operations, blocks and groups of devices. */
import { blockType } from '@cloudfit/contract/enums.ts';
import { ruleValuesIn } from '@cloudfit/contract/rule-values.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { unreachable } from '../../db/errors.ts';
import type { Channel } from '../../db/notify.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { keepNewest } from '../../platform/keep-newest.ts';
import { within } from '../../platform/within.ts';
import { readGroups } from './count-groups.ts';
import type { Entity } from './entity.ts';

export interface Entities {
  /**
   * Finds entities of all tenants by id; the caller checks the tenant. With `patienceMs`, throws 503 when they have to be read and that takes
   * longer, and at once while an earlier read does.
   */
  find(ids: Iterable<string>, patienceMs?: number): Promise<ReadonlyMap<string, Entity>>;
  /** Calls back when devices, operations or blocks have changed: with ids, where a device stands for its operations too, or `all`. */
  onChange(listener: (ids: readonly string[] | 'all') => void): void;
  stop(): Promise<void>;
}

/** The milliseconds after which an unknown id is looked up again; until then its packets cost no query. */
const unknownForMs = 2_000;
/** The selections of the device `d`, each with the time since which it is in it; a change of its memberships notifies `devices`. */
const selectionsOf = `nullif(array(select m.device_selection_id || ' ' || (extract(epoch from m.since) * 1000)::int8 from selection_member m where m.device_id = d.device_id order by 1), '{}')`;

interface DeviceRow {
  device_id: string;
  tenant_id: string;
  subscription_id: string;
  name: string;
  tags: string | null;
  device_type_id: number;
  operating_system_id: number;
  location_id: string | null;
  parent_device_id: string | null;
  rule_values: string | null;
  selections: string[] | null;
  enabled: boolean;
  tenant_enabled: boolean;
  /** The id of the device's heartbeat block. */
  block_id: string | null;
  block_name: string | null;
}

interface BlockEntityRow {
  block_id: string;
  tenant_id: string;
  subscription_id: string;
  name: string;
  block_type_id: number;
  tenant_enabled: boolean;
}

interface OperationRow extends DeviceRow {
  device_operation_id: string;
  label: string;
  package_name: string;
  operation_name: string;
  operation_enabled: boolean;
}

function selectionsIn(rows: readonly string[]) {
  const pairs = rows.map((row) => row.split(' '));
  return { selections: pairs.map(([id = '']) => id), selectedSince: pairs.map(([, since]) => Number(since)) };
}

function ofDevice(row: DeviceRow): Entity {
  return {
    id: row.device_id,
    kind: 'device',
    tenantId: row.tenant_id,
    subscriptionId: row.subscription_id,
    name: row.name,
    enabled: row.enabled && row.tenant_enabled,
    ...(row.tenant_enabled ? {} : { tenantDisabled: true }),
    device: {
      id: row.device_id,
      name: row.name,
      tags: row.tags,
      deviceTypeId: row.device_type_id,
      operatingSystemId: row.operating_system_id,
      locationId: row.location_id,
      parentId: row.parent_device_id,
      ...(row.selections ? selectionsIn(row.selections) : {}),
      ...(row.rule_values ? { values: ruleValuesIn(row.rule_values) } : {}),
    },
    ...(row.block_id ? { block: { id: row.block_id, name: row.block_name, blockTypeId: blockType.deviceHeartbeat } } : {}),
  };
}

function ofBlock(row: BlockEntityRow): Entity {
  return {
    id: row.block_id,
    kind: 'block',
    tenantId: row.tenant_id,
    subscriptionId: row.subscription_id,
    name: row.name,
    enabled: row.tenant_enabled,
    ...(row.tenant_enabled ? {} : { tenantDisabled: true }),
    block: { id: row.block_id, name: row.name, blockTypeId: row.block_type_id },
  };
}

function ofOperation(row: OperationRow): Entity {
  return {
    ...ofDevice(row),
    id: row.device_operation_id,
    kind: 'operation',
    name: row.label,
    enabled: row.enabled && row.tenant_enabled && row.operation_enabled,
    operation: { name: row.operation_name, label: row.label, packageName: row.package_name },
  };
}

async function readDevices(db: Db, ids: readonly string[]): Promise<Entity[]> {
  const rows = await db.query<DeviceRow>({
    name: 'ingest-devices',
    text: `select d.device_id, d.tenant_id, d.subscription_id, d.name, tags, device_type_id, operating_system_id, location_id, d.parent_device_id, d.rule_values, ${selectionsOf} as selections, d.enabled,
  n.enabled as tenant_enabled, b.block_id, b.name as block_name
from device d join tenant n on n.tenant_id = d.tenant_id left join block b on b.device_id = d.device_id where d.device_id = any($1) and not is_deleted`,
    values: [ids],
  });
  return rows.map(ofDevice);
}

/** Reads blocks that get packets; a heartbeat block shows the packets of its device. */
async function readBlocks(db: Db, ids: readonly string[]): Promise<Entity[]> {
  const rows = await db.query<BlockEntityRow>({
    name: 'ingest-blocks',
    text: `select b.block_id, b.tenant_id, b.subscription_id, b.name, b.block_type_id, n.enabled as tenant_enabled
  from block b join tenant n on n.tenant_id = b.tenant_id where b.block_id = any($1) and b.device_id is null`,
    values: [ids],
  });
  return rows.map(ofBlock);
}

/** Reads device operations with their device, which rules select by. */
async function readOperations(db: Db, ids: readonly string[]): Promise<Entity[]> {
  const rows = await db.query<OperationRow>({
    name: 'ingest-operations',
    text: `select o.device_operation_id, o.label, o.package_name, c.name as operation_name, o.enabled as operation_enabled, d.device_id, d.tenant_id,
  d.subscription_id, d.name, d.tags, d.device_type_id, d.operating_system_id, d.location_id, d.parent_device_id, d.rule_values, ${selectionsOf} as selections, d.enabled, n.enabled as tenant_enabled, null as block_id, null as block_name
from device_operation o join device d on d.device_id = o.device_id join tenant n on n.tenant_id = d.tenant_id join operation c on c.operation_id = o.operation_id
where o.device_operation_id = any($1) and not o.is_deleted and not d.is_deleted`,
    values: [ids],
  });
  return rows.map(ofOperation);
}

/** All devices of a tenant by name; with `withOperations` also their operations. */
export async function readTenantDevices(db: Db, tenantId: string, withOperations: boolean): Promise<Entity[]> {
  const rows = await db.query<DeviceRow>({
    name: 'tenant-devices',
    text: `select d.device_id, d.tenant_id, d.subscription_id, d.name, tags, device_type_id, operating_system_id, location_id, d.parent_device_id, d.rule_values, ${selectionsOf} as selections, d.enabled,
  n.enabled as tenant_enabled, b.block_id, b.name as block_name
from device d join tenant n on n.tenant_id = d.tenant_id left join block b on b.device_id = d.device_id where d.tenant_id = $1 and not is_deleted order by d.name collate natural_order, d.device_id`,
    values: [tenantId],
  });
  const devices = rows.map(ofDevice);
  if (!withOperations) return devices;
  const operations = await db.query<{ device_operation_id: string }>({
    name: 'tenant-operations',
    text: 'select device_operation_id from device_operation where tenant_id = $1 and not is_deleted',
    values: [tenantId],
  });
  return [
    ...devices,
    ...(await readOperations(
      db,
      operations.map((row) => row.device_operation_id),
    )),
  ];
}

/** A reader for each table that holds entities. */
const readers = [readDevices, readBlocks, readOperations, readGroups];

/** Reads the entities that the caller's scope shows, without the cache. */
export async function readEntities(db: Db, ids: readonly string[]): Promise<Entity[]> {
  return (await Promise.all(readers.map((read) => read(db, ids)))).flat();
}

/** Opens the cache of at most `size` entities; it listens for changes of devices, their operations and blocks. */
export async function openEntities(database: Pick<Database, 'scoped' | 'listen'>, size: number): Promise<Entities> {
  const db = database.scoped('all');
  const cache = new BoundedMap<string, Entity>(size, (id, { kind, device }) => {
    if (kind === 'operation' && device) operationsOf.get(device.id)?.delete(id);
  });
  const unknown = new Map<string, number>();
  // A change of a device invalidates its operations too.
  const operationsOf = new Map<string, Set<string>>();

  const listeners: ((ids: readonly string[] | 'all') => void)[] = [];

  function forget(id: string): void {
    cache.delete(id);
    for (const operation of operationsOf.get(id) ?? []) cache.delete(operation);
    operationsOf.delete(id);
  }

  function keep(entity: Entity): void {
    if (!cache.set(entity.id, entity) || entity.kind !== 'operation' || !entity.device) return;
    const operationIds = operationsOf.get(entity.device.id);
    if (operationIds) operationIds.add(entity.id);
    else operationsOf.set(entity.device.id, new Set([entity.id]));
  }

  function forgetAll(): void {
    cache.clear();
    operationsOf.clear();
  }
  // Counts invalidations, so that a row that was read before an invalidation is not cached after it.
  let generation = 0;

  const unlisten = await database.listen('devices' satisfies Channel, (payload) => {
    generation += 1;
    unknown.clear();
    // An empty payload: there were too many ids for one message, or the listener missed some.
    if (payload === '') forgetAll();
    else for (const id of payload.split(',')) forget(id);
    for (const listener of listeners) listener(payload === '' ? 'all' : payload.split(','));
  });

  async function load(ids: readonly string[], entities: Map<string, Entity>): Promise<void> {
    const at = generation;
    // On one connection, in one round trip: the last one is sent with the commit.
    const rows = await db.transaction((tx) =>
      Promise.all(readers.map((read, at) => read(at < readers.length - 1 ? tx : { ...tx, query: tx.last }, ids))),
    );
    for (const entity of rows.flat()) {
      entities.set(entity.id, entity);
      if (at === generation) keep(entity);
    }
    if (at === generation) for (const id of ids) if (!entities.has(id)) keepNewest(unknown, size, id, Date.now() + unknownForMs);
  }

  /** The starts of the reads that are under way, oldest first. */
  const reading = new Set<{ since: number }>();

  async function loadWithin(ms: number, ids: readonly string[], entities: Map<string, Entity>): Promise<void> {
    const read = { since: performance.now() };
    const [oldest = read] = reading;
    if (read.since - oldest.since > ms) throw unreachable();
    reading.add(read);
    const loading = load(ids, entities).finally(() => reading.delete(read));
    const isLoaded = loading.then(() => true);
    if (!(await within(isLoaded, ms))) throw unreachable();
  }

  return {
    async find(ids, patienceMs) {
      const entities = new Map<string, Entity>();
      const missing: string[] = [];
      for (const id of ids) {
        const entity = cache.get(id);
        if (entity) entities.set(id, entity);
        else if ((unknown.get(id) ?? 0) < Date.now()) missing.push(id);
      }
      const unread = [...new Set(missing)];
      if (unread.length > 0) await (patienceMs === undefined ? load(unread, entities) : loadWithin(patienceMs, unread, entities));
      return entities;
    },
    onChange: (listener) => void listeners.push(listener),
    stop: unlisten,
  };
}
