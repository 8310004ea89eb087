/**
 * Finds the devices and blocks that a source names. Those that it has made are found by what it made them for, others by their names in
 * its subscription. Unknown ones are refused, wait or are made, as the source says, up to its cap.
 */
import { randomUUID } from 'node:crypto';
import { blockType } from '@cloudfit/contract/enums.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { inTransaction, type Ctx } from '../context/ctx.ts';
import { changed } from '../db/changed.ts';
import { keepNew } from '../features/devices/agent/known-machine.ts';
import { servedBlocks } from '../features/blocks/blocks.served.ts';
import { servedDevices } from '../features/devices/devices.served.ts';
import { keepNewest } from '../platform/keep-newest.ts';
import { create } from '../resources/create.ts';
import type { EntityName } from './map.ts';
import type { OpenSource } from './open-sources.ts';
import type { ItemRefusal } from './readings.ts';

export type EntityMatch = { entityId: string } | { refusal: ItemRefusal; is: 'pending' | 'unknown' | 'new' };

const freshMs = 5_000;
const cachedNames = 50_000;

export const nameKey = ({ kind, name }: EntityName): string => `${kind} ${name}`;

/** The names of sources with what they are, for a few seconds. Only what was found is remembered. */
export type EntityCache = Map<string, { entityId: string; at: number }>;

interface FoundRow {
  kind: EntityName['kind'];
  name: string;
  entity_id: string | null;
  is_waiting: boolean;
  is_twice: boolean;
}

// A device or block that the source has made comes before one that only has the name. Sources share devices, but a block that another source
// has made is that source's: two may have an alert of one name.
const find = `with wanted as (select unnest($3::text[]) as kind, unnest($4::text[]) as name),
linked as (
  select l.kind, l.name, coalesce(d.device_id, b.block_id) as entity_id, l.pending_device_id is not null and p.device_id is null as is_waiting
  from wanted w join source_entity l on l.source_id = $1 and l.kind = w.kind and l.name = w.name
  left join pending_device p on p.pending_device_id = l.pending_device_id
  left join device d on d.device_id = coalesce(l.device_id, p.device_id) and not d.is_deleted
  left join block b on b.block_id = l.block_id
), named as (
  select w.kind, w.name, n.ids from wanted w, lateral (select array_agg(id) as ids from (
    select d.device_id as id from device d where w.kind = 'device' and d.tenant_id = $2 and d.subscription_id = $5 and d.name = w.name and not d.is_deleted
    union all
    select b.block_id from block b where w.kind = 'block' and b.tenant_id = $2 and b.subscription_id = $5 and b.name = w.name and b.device_id is null
      and not exists (select from source_entity o where o.block_id = b.block_id and o.source_id <> $1)
    limit 2) one) n
)
select n.kind, n.name, coalesce(l.entity_id, n.ids[1]) as entity_id, coalesce(l.is_waiting, false) as is_waiting,
  l.entity_id is null and coalesce(cardinality(n.ids), 0) > 1 as is_twice
from named n left join linked l using (kind, name)`;

function foundOf({ kind, name, entity_id: entityId, is_waiting: isWaiting, is_twice: isTwice }: FoundRow): EntityMatch {
  if (isTwice)
    return {
      is: 'unknown',
      refusal: { code: 'NameTwice', message: `Several ${kind}s of the subscription are named ${name}. Give them names of their own.` },
    };
  if (entityId !== null) return { entityId };
  return isWaiting
    ? { is: 'pending', refusal: { code: 'Pending', message: `${name} waits under Pending Devices. Promote it there.` } }
    : { is: 'unknown', refusal: { code: 'UnknownName', message: `No ${kind} of the subscription is named ${name}.` } };
}

/** Looks the names up; changes nothing. */
export async function findEntities(ctx: Ctx, source: OpenSource, names: readonly EntityName[]): Promise<Map<string, EntityMatch>> {
  if (names.length === 0) return new Map();
  const rows = await ctx.db.query<FoundRow>({
    name: 'source-entities',
    text: find,
    values: [source.id, source.tenantId, names.map(({ kind }) => kind), names.map(({ name }) => name), source.subscriptionId],
  });
  return new Map(rows.map((row) => [nameKey(row), foundOf(row)]));
}

/** The entities of a payload by `nameKey`, after the policy of the source for those that are unknown. */
export async function resolveEntities(
  ctx: Ctx,
  source: OpenSource,
  names: readonly EntityName[],
  cache: EntityCache,
): Promise<Map<string, EntityMatch>> {
  const matches = new Map<string, EntityMatch>();
  const missing = new Map<string, EntityName>();
  const now = Date.now();
  for (const name of names) {
    const key = nameKey(name);
    const cached = cache.get(`${source.id} ${key}`);
    if (cached && now - cached.at < freshMs) matches.set(key, { entityId: cached.entityId });
    else missing.set(key, name);
  }
  if (missing.size === 0) return matches;
  for (const [key, entity] of await findEntities(ctx, source, [...missing.values()])) matches.set(key, entity);
  const unknown = [...missing].filter(([key]) => isUnknown(matches.get(key))).map(([, name]) => name);
  if (unknown.length > 0 && source.unknownEntities !== 'Refuse')
    for (const [key, entity] of await addEntities(ctx, source, unknown)) matches.set(key, entity);
  for (const key of missing.keys()) {
    const entity = matches.get(key);
    if (entity && 'entityId' in entity) keepNewest(cache, cachedNames, `${source.id} ${key}`, { entityId: entity.entityId, at: now });
  }
  return matches;
}

const isUnknown = (match: EntityMatch | undefined): boolean =>
  match !== undefined && 'refusal' in match && match.refusal.code === 'UnknownName';

interface CapRow {
  entities_made: number;
  entity_cap: number;
}

const count = `with counted as (update intake_source set entities_made = entities_made + $2 where source_id = $1 returning *)
${changed(sources, 'update', 'counted', '$3')}`;

/** Makes unknown entities, or lets them wait, one request after another, so that two never make the same one or exceed the cap. */
async function addEntities(ctx: Ctx, source: OpenSource, names: readonly EntityName[]): Promise<Map<string, EntityMatch>> {
  return inTransaction(ctx, async (ctx) => {
    const [counts] = await ctx.db.query<CapRow>({
      text: 'select entities_made, entity_cap from intake_source where source_id = $1 for update',
      values: [source.id],
    });
    const matches = await findEntities(ctx, source, names);
    let left = counts ? counts.entity_cap - counts.entities_made : 0;
    let createdCount = 0;
    for (const name of names) {
      const key = nameKey(name);
      if (!isUnknown(matches.get(key))) continue;
      if (left <= 0) {
        const message = `The source has made ${counts?.entity_cap ?? 0} devices and blocks, which is its limit, so ${name.name} was not made. Raise New names at most if it should be.`;
        matches.set(key, { is: 'unknown', refusal: { code: 'CapReached', message } });
        continue;
      }
      matches.set(key, await addEntity(ctx, source, name));
      left -= 1;
      createdCount += 1;
    }
    if (createdCount > 0) await ctx.db.query({ text: count, values: [source.id, createdCount, ctx.correlationId] });
    return matches;
  });
}

const link = `insert into source_entity (source_id, tenant_id, kind, name, device_id, block_id, pending_device_id) values ($1, $2, $3, $4, $5, $6, $7)
on conflict (source_id, kind, name) do update set device_id = excluded.device_id, block_id = excluded.block_id, pending_device_id = excluded.pending_device_id`;

async function addEntity(ctx: Ctx, source: OpenSource, { kind, name }: EntityName): Promise<EntityMatch> {
  const { tenantId, subscriptionId } = source;
  const description = `Made by the source ${source.name}.`;
  const links = async (deviceId: string | null, blockId: string | null, pendingId: string | null): Promise<void> =>
    void (await ctx.db.query({ text: link, values: [source.id, tenantId, kind, name, deviceId, blockId, pendingId] }));
  if (kind === 'block') {
    const block = await create(ctx, servedBlocks, { name, description, blockTypeId: blockType.smallText, tenantId, subscriptionId });
    await links(null, block.blockId, null);
    return { entityId: block.blockId };
  }
  if (source.unknownEntities === 'Create') {
    const device = await create(ctx, servedDevices, { name, description, tenantId, subscriptionId });
    await links(device.deviceId, null, null);
    return { entityId: device.deviceId };
  }
  const machine = {
    machineKey: randomUUID(),
    machineName: name,
    operatingSystem: `Source ${source.name}`,
    architecture: '-',
    agentVersion: '',
  };
  const pending = await keepNew(ctx, tenantId, machine, undefined, { tokenGrantId: null, copiedFrom: null });
  await links(null, null, pending.pending_device_id);
  return { is: 'pending', refusal: { code: 'Pending', message: `${name} is new and waits under Pending Devices. Promote it there.` } };
}

// Of devices that share a name, none is the one that was meant.
const note = `with sent as (select unnest($3::text[]) as name, unnest($4::text[]) as about),
named as (
  select s.name, (array_agg(d.device_id))[1] as device_id from sent s
  join device d on d.tenant_id = $2 and d.subscription_id = $5 and d.name = s.about and not d.is_deleted
  group by s.name having count(*) = 1
)
update source_entity l set about_device_id = n.device_id from named n
where l.source_id = $1 and l.kind = 'block' and l.name = n.name and l.about_device_id is distinct from n.device_id`;

/** Notes which device a block of the source is about, if there is one of that name: units of the block are related to it. */
export async function noteDevices(ctx: Ctx, source: OpenSource, about: ReadonlyMap<string, string>, cache: EntityCache): Promise<void> {
  const now = Date.now();
  const keyOf = (block: string): string => `${source.id} about ${block}`;
  const due = [...about].filter(([block, device]) => {
    const cached = cache.get(keyOf(block));
    return cached?.entityId !== device || now - cached.at >= freshMs;
  });
  if (due.length === 0) return;
  await ctx.db.query({
    name: 'note-source-devices',
    text: note,
    values: [source.id, source.tenantId, due.map(([block]) => block), due.map(([, device]) => device), source.subscriptionId],
  });
  for (const [block, device] of due) keepNewest(cache, cachedNames, keyOf(block), { entityId: device, at: now });
}
