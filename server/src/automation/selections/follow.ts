/**
 * Lets the members of selections follow the facts. Each second it reads which rows have changed since it last looked, and looks at
 * these devices only; at all devices where a filter depends on something else, and every few seconds where it depends on time,
 * packets or matches. Every change leads to a comparison with the policies, so that what somebody changed on a device is set again.
 */
import type { Logger } from 'pino';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { requestAllChecks, requestChecks, requestGroupChecks, requestPackageChecks } from '../policies/checks.ts';
import { filterFacts, followedEntities } from './filter-facts.ts';
import { missingRow, TooManyDevices, updateMembers, type Selection } from './members.ts';

/** How often the filters that depend on time, packets or matches are looked at. */
const liveMs = 4_000;
/** Of more changed devices than this, all are looked at. */
const changedMax = 20_000;

interface StoredSelection extends Selection {
  isStale: boolean;
  problem: string | null;
}

const selectionsText = `select device_selection_id as "deviceSelectionId", tenant_id as "tenantId", tenant_group_id as "tenantGroupId", filter, is_stale as "isStale", problem
from device_selection order by device_selection_id`;

const watchText = `select seen::text as snapshot, pg_current_snapshot()::text as now, pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot()) or seen_at < now() - interval '30 minutes' as "isOld",
  seen_at < now() - interval '1 minute' as "isDue"
from selection_watch`;

interface Watch {
  snapshot: string;
  now: string;
  isOld: boolean;
  isDue: boolean;
}

/** What has changed: the rows of each entity. */
type Changes = ReadonlyMap<string, readonly string[]>;

async function changesSince(db: Db, snapshot: string): Promise<Changes> {
  const rows = await db.query<{ entity: string | null; id: string | null }>({
    name: 'selection-changes',
    text: 'select entity, entity_id as id from changes_since($1::text[], $2::text::pg_snapshot)',
    values: [followedEntities, snapshot],
  });
  const grouped = Map.groupBy(rows, (row) => row.entity ?? '');
  return new Map([...grouped].map(([entity, list]) => [entity, list.flatMap((row) => row.id ?? [])]));
}

const ownersText = `select device_id as id from device_operation where device_operation_id = any($1::uuid[])
union select device_id from device_installation where device_installation_id = any($2::uuid[])`;

/** The devices that have changed, or of which an operation or an installation has. */
async function changedDevices(db: Db, changes: Changes): Promise<string[]> {
  const [operations, installations] = [changes.get('deviceOperations') ?? [], changes.get('deviceInstallations') ?? []];
  const owners =
    operations.length + installations.length === 0
      ? []
      : await db.query<{ id: string }>({ name: 'selection-owners', text: ownersText, values: [operations, installations] });
  return [...new Set([...(changes.get('devices') ?? []), ...owners.map(({ id }) => id)])];
}

/** Entities whose changes are those of single devices. */
const ofDevices = new Set(['devices', 'deviceOperations', 'deviceInstallations']);

/** The devices to look at: undefined for none, 'all' for all. */
function scopeOf(selection: StoredSelection, changes: Changes, devices: readonly string[], isLiveTurn: boolean, isOld: boolean) {
  const { entities, isLive } = filterFacts(selection.filter);
  if (isOld || selection.isStale || (isLive && isLiveTurn) || devices.length > changedMax) return 'all';
  if (entities.some((entity) => !ofDevices.has(entity) && changes.has(entity))) return 'all';
  // A device whose parent, or an operation of that, has changed is not among the changed ones.
  if (/\bparentDevice\//.test(selection.filter) && devices.length > 0) return 'all';
  // The change of a group is one of all its tenants.
  if (selection.tenantGroupId && changes.has('tenantGroups')) return 'all';
  return devices.length === 0 ? undefined : devices;
}

const noteText = `with noted as (
  update device_selection set is_stale = $2, problem = $3 where device_selection_id = $1 and (is_stale, problem) is distinct from ($2, $3)
  returning tenant_id, device_selection_id
)
${changed(deviceSelections, 'update', 'noted', '$4')}`;

async function note({ db, correlationId }: Ctx, id: string, isStale: boolean, problem: string | null): Promise<void> {
  await db.query({ name: 'selection-problem', text: noteText, values: [id, isStale, problem, correlationId] });
}

/** Brings one selection up to date; what goes wrong there is stored with it, and does not concern the others. */
async function follow(ctx: Ctx, selection: StoredSelection, among: readonly string[] | undefined, log: Logger): Promise<void> {
  const { deviceSelectionId: id, isStale } = selection;
  try {
    await inTransaction(ctx, async (ctx) => {
      const { joined, left } = await updateMembers(ctx, selection, among);
      await requestChecks(ctx, [...joined, ...left]);
      if (among && !isStale) return;
      const problem = (await missingRow(ctx, selection.filter)) ?? null;
      if (isStale || selection.problem !== problem) await note(ctx, id, false, problem);
    });
  } catch (error) {
    const isRefused = error instanceof TooManyDevices || (error instanceof ApiError && error.status < 500);
    const problem = messageOf(error).slice(0, 1_000);
    if (selection.problem !== problem) log.warn({ deviceSelectionId: id, problem }, 'The members of a selection cannot be determined.');
    // Another try with the same filter is refused again until something changes; any other error passes.
    await note(ctx, id, !isRefused, isRefused ? problem : selection.problem);
  }
}

/** Follows everything that has changed since the last time. */
export async function followSelections(database: Database, log: Logger, isLiveTurn: boolean): Promise<void> {
  const db = database.scoped('all');
  const [watch] = await db.query<Watch>({ name: 'selection-watch', text: watchText });
  if (!watch) throw new Error('The row of what has been followed is missing.');
  const changes: Changes = watch.isOld ? new Map() : await changesSince(db, watch.snapshot);
  const devices = await changedDevices(db, changes);
  const selections = await db.query<StoredSelection>({ name: 'selections-followed', text: selectionsText });
  for (const selection of selections) {
    const scope = scopeOf(selection, changes, devices, isLiveTurn, watch.isOld);
    if (scope === undefined) continue;
    const ctx = systemCtx({ database, log, name: 'Selections', tenants: selection.tenantId ? [selection.tenantId] : 'all' });
    await follow(ctx, selection, scope === 'all' ? undefined : scope, log);
  }
  if (watch.isOld) await requestAllChecks(db);
  else await requestChecks({ db }, devices);
  const groups = changes.get('tenantGroups');
  if (groups) await requestGroupChecks(db, groups);
  if (changes.has('packageVersions')) await requestPackageChecks(db);
  // Where nothing has changed there is nothing to remember, but for the changes of others that have become many.
  if (changes.size === 0 && !watch.isOld && !watch.isDue) return;
  await db.query({
    name: 'selection-watched',
    text: 'update selection_watch set seen = $2::text::pg_snapshot, seen_at = now() where seen::text = $1',
    values: [watch.snapshot, watch.now],
  });
}

export function followSelectionsWork(database: Database, log: Logger): Periodic {
  let liveAt = 0;
  return {
    name: 'device-selections',
    everyMs: 1_000,
    run: async () => {
      const now = Date.now();
      const isLiveTurn = now - liveAt >= liveMs;
      if (isLiveTurn) liveAt = now;
      await followSelections(database, log, isLiveTurn);
    },
  };
}
