/** What the sweeps of silence read, and the note that an entity is silent. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../../db/db.ts';
import type { IngestRule } from '../ingest-rule.ts';
import { silentSince } from '../order/packet-times.ts';
import type { SilentRow } from '../silence.ts';

/** The rules on silence of a tenant, and the shortest silence that concerns one of them. */
export interface SilenceRules {
  rules: readonly CompiledRule<IngestRule>[];
  ms: number;
  /** The same of the rules about entities that never reported; infinite if there are none. */
  neverMs: number;
  /** Whether a rule has a window, so that the memory of the rules is needed. */
  counts: boolean;
}

export function rulesByTenant(rules: RuleIndex<IngestRule>, owns: (tenantId: string) => boolean): Map<string, SilenceRules> {
  const tenants = new Map<string, SilenceRules>();
  for (const [tenantId, ofTenant] of Map.groupBy(rules.all(), (rule) => rule.tenantId))
    if (owns(tenantId))
      tenants.set(tenantId, {
        rules: ofTenant,
        ms: Math.min(...ofTenant.map((rule) => rule.silenceMs ?? 0)),
        neverMs: Math.min(Infinity, ...ofTenant.filter(({ rule }) => rule.neverReported).map((rule) => rule.silenceMs ?? 0)),
        counts: ofTenant.some((rule) => rule.conditions.some((condition) => condition.window)),
      });
  return tenants;
}

export interface SilenceRow extends Omit<SilentRow, 'beatMs'> {
  tenant_id: string;
  /** Whether a sweep has noted that the entity is silent since this packet, so that the next packet is announced. */
  isNoted: boolean;
}

export interface LatestPlace {
  tenantId: string;
  entityId: string;
}

const columns = `select l.entity_id, l.tenant_id, l.packet_id, (extract(epoch from ${silentSince('l')}) * 1000)::float8 as at,
  case when l.tenant_id = any($1::uuid[]) then l.rule_state -> 'memory' end as memory, l.told_packet is not null and l.told_packet = l.packet_id as "isNoted"
from latest_packet l`;

const counting = (tenants: ReadonlyMap<string, SilenceRules>): string[] => [...tenants].flatMap(([id, { counts }]) => (counts ? [id] : []));

/** Reads the latest packets of these entities. */
export function readLatestOf(db: Db, tenants: ReadonlyMap<string, SilenceRules>, ids: readonly string[]): Promise<SilenceRow[]> {
  return db.query<SilenceRow>({
    name: 'silence-due',
    text: `${columns} where l.entity_id = any($2::uuid[])`,
    values: [counting(tenants), ids],
  });
}

/** Reads the latest packets of the tenants `of` in pages, in the order of tenants and entities. */
export function readLatestPage(
  db: Db,
  tenants: ReadonlyMap<string, SilenceRules>,
  of: readonly string[],
  after: LatestPlace | undefined,
  limit: number,
): Promise<SilenceRow[]> {
  const none = '00000000-0000-0000-0000-000000000000';
  return db.query<SilenceRow>({
    name: 'silence-page',
    text: `${columns} where l.tenant_id = any($2::uuid[]) and (l.tenant_id, l.entity_id) > ($3::uuid, $4::uuid) order by l.tenant_id, l.entity_id limit $5`,
    values: [counting(tenants), of, after?.tenantId ?? none, after?.entityId ?? none, limit],
  });
}

/**
 * Reads the enabled entities that never sent a packet: those among `ids`, or all of the tenants. A heartbeat block counts as its device.
 */
export function readNeverReported(db: Db, tenants: readonly string[], ids: readonly string[] | null): Promise<SilenceRow[]> {
  return db.query<SilenceRow>({
    name: 'silence-never-reported',
    text: `select e.entity_id, e.tenant_id, null::uuid as packet_id, (extract(epoch from e.created) * 1000)::float8 as at, null::jsonb as memory, true as "isNoted"
from (
  select d.device_id as entity_id, d.tenant_id, d.created from device d where d.tenant_id = any($1::uuid[]) and d.enabled and not d.is_deleted
  union all select o.device_operation_id, o.tenant_id, o.created from device_operation o where o.tenant_id = any($1::uuid[]) and o.enabled and not o.is_deleted
  union all select b.block_id, b.tenant_id, b.created from block b where b.tenant_id = any($1::uuid[]) and b.device_id is null
) e
where ($2::uuid[] is null or e.entity_id = any($2::uuid[])) and not exists (select from latest_packet l where l.entity_id = e.entity_id)`,
    values: [tenants, ids],
  });
}

/** Notes that these entities are silent since these packets; returns those of which these are still the latest packets. */
export async function noteSilent(db: Db, rows: readonly Pick<SilentRow, 'entity_id' | 'packet_id'>[]): Promise<string[]> {
  // Locks in the order in which batches of packets do.
  const noted = await db.query<{ entity_id: string }>({
    name: 'silence-note',
    text: `with silent as materialized (
  select l.entity_id from latest_packet l join unnest($1::uuid[], $2::uuid[]) as w (entity_id, packet_id)
    on l.entity_id = w.entity_id and l.packet_id = w.packet_id order by l.entity_id for update of l
)
update latest_packet l set told_packet = l.packet_id from silent s where l.entity_id = s.entity_id returning l.entity_id`,
    values: [rows.map((row) => row.entity_id), rows.map((row) => row.packet_id)],
  });
  return noted.map((row) => row.entity_id);
}

/**
 * Takes what ingest has announced to these shares; `runner` as in `SharedRun`. A process that lost a share meanwhile gets nothing of it: its
 * successor reads everything.
 */
export function takeAnnounced(
  db: Db,
  work: string,
  shareCount: number,
  runner: string,
  shares: readonly number[],
): Promise<{ share: number; entity_id: string }[]> {
  return db.query<{ share: number; entity_id: string }>({
    name: 'silence-over',
    text: `delete from silence_over o using schedule s
where s.name = $1 || '/' || (get_byte(uuid_send(o.tenant_id), 15) % $2) and s.runner = $3 and get_byte(uuid_send(o.tenant_id), 15) % $2 = any($4::int[])
returning get_byte(uuid_send(o.tenant_id), 15) % $2 as share, o.entity_id`,
    values: [work, shareCount, runner, shares],
  });
}

/** The operations of these devices, which a change of the device concerns too. */
export async function readOperationsOf(db: Db, ids: readonly string[]): Promise<string[]> {
  const text = 'select device_operation_id as id from device_operation where device_id = any($1::uuid[])';
  return (await db.query<{ id: string }>({ name: 'silence-operations', text, values: [ids] })).map(({ id }) => id);
}

/** The share of a tenant, as `takeAnnounced` computes it. */
export const shareOf = (tenantId: string, shareCount: number): number => Number.parseInt(tenantId.slice(-2), 16) % shareCount;

/** Entities with an open match of these rules that an entity which reported since may end. */
export async function readReturned(db: Db, ruleIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ entity_id: string }>({
    name: 'silence-returned',
    text: `select distinct m.subject_id as entity_id from rule_match m join latest_packet l on l.entity_id = m.subject_id
where m.closed is null and m.rule_id = any($1::uuid[]) and (l.told_packet is distinct from l.packet_id or ${silentSince('l')} >= m.last_match)`,
    values: [ruleIds],
  });
  return rows.map((row) => row.entity_id);
}
