/** Determines the members of a selection, and stores which devices join and leave. */
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { selectionDevicesMax, selectionMembers } from '@cloudfit/contract/resources/device-selections.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { notify } from '../../db/notify.ts';
import { sql } from '../../db/sql.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { listKeys } from '../../resources/list.ts';
import { inPlace, type TenantPlace } from '../places.ts';

export interface Selection extends TenantPlace {
  deviceSelectionId: string;
  filter: string;
}

export interface MemberChanges {
  joined: string[];
  left: string[];
}

const everything: Ctx['permissions'] = new Map([['*', new Set<string>(allPermissions)]]);

/**
 * The devices that the filter selects, whose number is exact; the keys are empty when there are more than a selection may
 * have. `among`: of these devices only.
 */
export function devicesOfFilter(ctx: Ctx, { filter, ...place }: TenantPlace & { filter: string }, among?: readonly string[]) {
  const here = inPlace(place);
  const narrow = among ? sql<boolean>`${here} and t.device_id = any(${[...among]}::uuid[])` : here;
  return listKeys(ctx, servedDevices, `$filter=${encodeURIComponent(filter)}`, { narrow, max: selectionDevicesMax });
}

// One change of each tenant stands for all devices that join or leave together. A maintenance remembers until when it held the devices that leave.
const leave = `with gone as (
  delete from selection_member m where m.device_selection_id = $1 and ($2::uuid[] is null or m.device_id = any($2::uuid[]))
    and not exists (select from device d where d.device_id = m.device_id and d.tenant_id = m.tenant_id and d.device_id = any($3::uuid[]))
  returning m.tenant_id, m.selection_member_id, m.device_id, m.since
), noted as (
  ${changed(selectionMembers, 'delete', '(select distinct on (tenant_id) * from gone) g', '$4')}
), of_maintenance as (
  insert into maintenance_window_left (tenant_id, maintenance_window_id, device_id, since, until)
  select w.tenant_id, w.maintenance_window_id, g.device_id, greatest(g.since, w.starts_at), least($5::timestamptz, w.ends_at)
  from gone g join maintenance_window w on w.device_selection_id = $1 and w.tenant_id = g.tenant_id
  where greatest(g.since, w.starts_at) < least($5::timestamptz, w.ends_at)
  returning 1
)
select device_id as id, exists (select from of_maintenance) as "isMaintained" from gone`;

const join = `with added as (
  insert into selection_member (tenant_id, device_selection_id, device_id, since)
  select d.tenant_id, $1, d.device_id, $3 from device d where d.device_id = any($2::uuid[])
  on conflict (device_selection_id, device_id) do nothing returning tenant_id, selection_member_id, device_id
), noted as (
  ${changed(selectionMembers, 'create', '(select distinct on (tenant_id) * from added) a', '$4')}
)
select device_id as id from added`;

/** Removes the members, of all or of `among`, that are not in `keep`. */
async function removeMembers({ db, correlationId, now }: Ctx, id: string, keep: readonly string[], among?: readonly string[]) {
  const left = await db.query<{ id: string; isMaintained: boolean | null }>({
    name: 'selection-leave',
    text: leave,
    values: [id, among ?? null, keep, correlationId, now().toISOString()],
  });
  if (left.some(({ isMaintained }) => isMaintained)) await notify(db, 'maintenance');
  return left;
}

/** Lets all members leave a selection that is going to be deleted. */
export async function removeAllMembers(ctx: Ctx, id: string): Promise<void> {
  await removeMembers(ctx, id, []);
}

const lock = 'select device_selection_id as id from device_selection where device_selection_id = $1 for no key update';

/**
 * Brings the members up to date, of all devices or of `among`. The selection is locked first, so that of two processes the later one
 * sees what the earlier one has stored. What the filter reads is read with every permission: the person who saved it was checked.
 */
export async function updateMembers(ctx: Ctx, selection: Selection, among?: readonly string[]): Promise<MemberChanges> {
  const id = selection.deviceSelectionId;
  const [row] = await ctx.db.query({ name: 'selection-lock', text: lock, values: [id] });
  if (!row) return { joined: [], left: [] };
  const { count, keys } = await devicesOfFilter({ ...ctx, permissions: everything }, selection, among);
  if (count > keys.length) throw new TooManyDevices(count);
  const left = await removeMembers(ctx, id, keys, among);
  const joined = await ctx.db.query<{ id: string }>({
    name: 'selection-join',
    text: join,
    values: [id, keys, ctx.now().toISOString(), ctx.correlationId],
  });
  const changes = { joined: joined.map((member) => member.id), left: left.map((member) => member.id) };
  // Rules look at the selections of devices, from their next packet on.
  if (joined.length + left.length > 0) await notify(ctx.db, 'devices', [...changes.joined, ...changes.left]);
  return changes;
}

const guid = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi;

const missingText = `select id::text as id from unnest($1::uuid[]) id where not exists (select from location where location_id = id)
  and not exists (select from tenant where tenant_id = id) and not exists (select from subscription where subscription_id = id)
  and not exists (select from device where device_id = id and not is_deleted) and not exists (select from rule where rule_id = id)
  and not exists (select from operation where operation_id = id and not is_deleted) and not exists (select from package where package_id = id)
  and not exists (select from package_version where package_version_id = id) and not exists (select from device_operation where device_operation_id = id)
  and not exists (select from device_installation where device_installation_id = id) and not exists (select from token_grant where token_grant_id = id)
limit 1`;

/** Says which row a filter names by its id that is not there, so that its devices are not missed in silence; undefined if all are. */
export async function missingRow({ db }: Ctx, filter: string): Promise<string | undefined> {
  const ids = [...new Set(filter.match(guid))];
  if (ids.length === 0) return undefined;
  const [row] = await db.query<{ id: string }>({ name: 'selection-missing-rows', text: missingText, values: [ids] });
  return row && `The filter names ${row.id}, which is not there. Take that condition out, or name another one.`;
}

/** The filter selects more devices than a selection may have. */
export class TooManyDevices extends Error {
  constructor(count: number) {
    super(
      `The filter selects ${count.toLocaleString('en')} devices; a selection has at most ${selectionDevicesMax.toLocaleString('en')}. Narrow the filter.`,
    );
    this.name = 'TooManyDevices';
  }
}
