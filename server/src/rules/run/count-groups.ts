/** The groups whose devices a rule of type Aggregation counts together: locations, tags and device types of a tenant. */
import { deviceTypes, type CountBy } from '@cloudfit/contract/enums.ts';
import { countKeysOf } from '@cloudfit/contract/rules/count-groups.ts';
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { Db } from '../../db/db.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { Entity } from './entity.ts';

type GroupBy = Exclude<CountBy, 'Subscription'>;

const ids = new Map<string, string>();
const maxIds = 50_000;

/**
 * Returns the subject id of a group's sums and matches. Several tenants may share a location, but its group belongs to one
 * tenant.
 */
export function countGroupId(tenantId: string, by: GroupBy, key: string): string {
  const name = `${tenantId} ${by} ${key}`;
  let id = ids.get(name);
  if (id === undefined) {
    if (ids.size >= maxIds) ids.clear();
    ids.set(name, (id = uuidV5(tenantId, `${by} ${key}`)));
  }
  return id;
}

/** Returns the ids of the subjects for which the rule counts an entity. */
export function countedFor(rule: Pick<IngestRule, 'countBy' | 'countTag'>, entity: RuleEntity): string[] {
  const keys = countKeysOf(rule, entity);
  const { countBy = 'Subscription' } = rule;
  return countBy === 'Subscription' ? keys : keys.map((key) => countGroupId(entity.tenantId, countBy, key));
}

/** Returns the ids of all groups that an entity belongs to. */
export function groupsOfEntity(entity: RuleEntity): string[] {
  return (['Location', 'Tag', 'DeviceType'] as const).flatMap((countBy) => countedFor({ countBy }, entity));
}

interface MemberRow {
  tenant_id: string;
  subscription_id: string;
  location_id: string | null;
  location: string | null;
  device_type_id: number;
  tags: string | null;
}

function nameOf(by: GroupBy, key: string, row: MemberRow): string {
  if (by === 'Location') return `location ${row.location ?? key}`;
  if (by === 'Tag') return `tag ${key}`;
  return `type ${deviceTypes.find(({ value }) => String(value) === key)?.label ?? key}`;
}

/** Reads all groups of devices of the kinds by which these rules count; groups without devices do not exist. */
export async function readCountGroups(db: Db, rules: Iterable<Pick<IngestRule, 'tenantId' | 'countBy'>>): Promise<Entity[]> {
  const kinds = new Map<string, Set<GroupBy>>();
  for (const { tenantId, countBy = 'Subscription' } of rules)
    if (countBy !== 'Subscription') kinds.set(tenantId, (kinds.get(tenantId) ?? new Set()).add(countBy));
  if (kinds.size === 0) return [];
  const rows = await db.query<MemberRow>({
    name: 'count-groups',
    text: `select d.tenant_id, d.subscription_id, d.location_id, l.name as location, d.device_type_id, d.tags
from (select distinct tenant_id, subscription_id, location_id, device_type_id, tags from device where tenant_id = any($1::uuid[]) and not is_deleted) d
left join location l on l.location_id = d.location_id`,
    values: [[...kinds.keys()]],
  });
  const groups = new Map<string, Entity & { group: { subscriptionIds: string[] } }>();
  for (const row of rows)
    for (const by of kinds.get(row.tenant_id) ?? []) {
      const device = {
        id: '',
        locationId: row.location_id,
        deviceTypeId: row.device_type_id,
        tags: row.tags,
      };
      for (const key of countKeysOf({ countBy: by }, { id: '', kind: 'device', tenantId: row.tenant_id, device })) {
        const id = countGroupId(row.tenant_id, by, key);
        const existing = groups.get(id);
        if (existing) existing.group.subscriptionIds.push(row.subscription_id);
        else
          groups.set(id, {
            id,
            kind: 'group',
            tenantId: row.tenant_id,
            name: nameOf(by, key, row),
            enabled: true,
            group: { by, key, subscriptionIds: [row.subscription_id] },
          });
      }
    }
  return [...groups.values()];
}

const names = new Map<string, string>();

/** Stores the names of the groups, for everything that reads the subject of a match. */
export async function keepGroups(db: Db, groups: readonly Entity[]): Promise<void> {
  const changed = groups.filter(({ id, name }) => names.get(id) !== name);
  if (changed.length === 0) return;
  await db.query({
    name: 'count-groups-keep',
    text: `insert into counted_group as g (group_id, tenant_id, kind, key, name)
select group_id, tenant_id, kind, key, name from jsonb_to_recordset($1::jsonb) as n (group_id uuid, tenant_id uuid, kind text, key text, name text) order by group_id
on conflict (group_id) do update set name = excluded.name where g.name <> excluded.name`,
    values: [
      JSON.stringify(
        changed.map(({ id, tenantId, name, group }) => ({
          group_id: id,
          tenant_id: tenantId,
          kind: group?.by,
          key: group?.key,
          name,
        })),
      ),
    ],
  });
  if (names.size + changed.length > maxIds) names.clear();
  for (const { id, name } of changed) names.set(id, name);
}

interface CountedGroupRow {
  group_id: string;
  tenant_id: string;
  kind: GroupBy;
  key: string;
  name: string;
}

/** The groups among these ids. */
export async function readGroups(db: Db, groupIds: readonly string[]): Promise<Entity[]> {
  const rows = await db.query<CountedGroupRow>({
    name: 'ingest-groups',
    text: 'select group_id, tenant_id, kind, key, name from counted_group where group_id = any($1::uuid[])',
    values: [groupIds],
  });
  return rows.map(({ group_id: id, tenant_id: tenantId, kind: by, key, name }) => ({
    id,
    kind: 'group',
    tenantId,
    name,
    enabled: true,
    group: { by, key },
  }));
}
