/**
 * Takes back changes of the configuration: a row becomes what it was after an entry of the audit, or all rows of a change set
 * become what they were before it. Each row goes through the engine with the rights of the caller, as a new audited change.
 */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { blockType } from '@cloudfit/contract/enums.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import { audit } from '@cloudfit/contract/resources/audit.ts';
import type { Resource, Row } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import { takeTurns } from '../../platform/turns.ts';
import { list } from '../../resources/list.ts';
import { remove } from '../../resources/remove.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import { attemptAll } from './attempts.ts';
import { addUnderKey } from './import-row.ts';
import { sameValue } from './keys.ts';
import { titlesOf } from './named.ts';
import type { AddedByImport, ConfigurationPart } from './part.ts';
import { isExported, portableFields, portableResources, type PortableResource } from './portable.ts';
import { rowsIn, type PortableRow } from './rows-in.ts';

type AuditEntryRow = Row<typeof audit>;
type RestoredChange = RestoreOutcome['changes'][number];

export interface RestoreRequest {
  /** The entry whose row becomes what it was after it; the deleted row, for the entry of a deletion. */
  auditId?: number | undefined;
  /** The request whose changes are taken back. */
  changeSet?: string | undefined;
  dryRun: boolean;
  note?: string | undefined;
}

/** What a row shall become. */
interface Goal {
  resource: Resource;
  key: string;
  /** Null if the row shall not exist. */
  target: PortableRow | null;
  /** For a change set, the row as the last of its changes left it: nothing that came later is taken back. */
  left?: PortableRow | null;
  /** For a row of a part that an import added. */
  takeBack?: AddedByImport['takeBack'];
}

const isPortable = (resource: Resource): resource is PortableResource => resource.portable !== undefined;

/** A row of an import may bring others, as a device brings its heartbeat block. */
const maxEntries = 3 * limits.importRows;

/** Rows that are restored in one transaction; a larger change set is restored in several, so that nobody waits for its rows. */
const rowsAtOnce = 500;

/** Entries that the caller may see, the oldest first. */
async function entriesOf(ctx: Ctx, filter: string): Promise<AuditEntryRow[]> {
  const entries: AuditEntryRow[] = [];
  for (let last = 0; ; last = entries.at(-1)?.auditId ?? 0) {
    const query = `$filter=${encodeURIComponent(`${filter} and auditId gt ${last}`)}&$orderby=auditId&$top=${limits.pageMax}`;
    const { value } = await list(ctx, servedOf(audit), query);
    entries.push(...value);
    if (entries.length > maxEntries)
      throw new ApiError('TooComplex', `This request made more than ${maxEntries} changes. Restore its rows one by one.`);
    if (value.length < limits.pageMax) return entries;
  }
}

async function goalOfEntry(ctx: Ctx, auditId: number): Promise<Goal> {
  const [entry] = await entriesOf(ctx, `auditId eq ${auditId}`);
  if (!entry) throw notFound('Audit Entry');
  const resource = portableResources().find(({ name }) => name === entry.entity);
  const target = entry.after ?? entry.before;
  if (!resource || !isExported(resource) || !target)
    throw new ApiError('ValidationFailed', 'Only rows of the configuration have versions that can be restored.', { target: 'auditId' });
  return { resource, key: entry.entityId, target };
}

const isElsewhere = 'It has moved to another tenant, or another row has its key or name. Somebody with rights there can bring it back.';

/** An entry of the tenant into which a row moved: whoever may not read the old tenant does not know what the row was. */
const isArrival = ({ verb, before }: AuditEntryRow): boolean => verb === 'move' && before === null;

/** A change of the set that is not taken back. */
function leftOf(entry: AuditEntryRow): RestoreOutcome['left'][number] {
  const { entity, entityId, after } = entry;
  if (!isArrival(entry)) return { resource: entity, name: entityId, reason: 'Only rows of the configuration can be restored.' };
  const name = String(after?.[requireResource(entity).title] ?? entityId);
  return { resource: entity, name, reason: 'It came from another tenant. Somebody with rights there can move it back.' };
}

/** Rows to remove, each before those that it names, such as a device before the one that it depends on. */
function removals(goals: readonly Goal[]): Goal[] {
  const byKey = new Map(goals.map((goal) => [goal.key.toLowerCase(), goal]));
  const depths = new Map<Goal, number>();
  function depthOf(goal: Goal): number {
    const before = depths.get(goal);
    if (before !== undefined) return before;
    // Rows that name each other in a circle stay in their order.
    depths.set(goal, 0);
    const named = guidsIn(goal.left).flatMap((id) => byKey.get(id) ?? []);
    const depth = named.reduce((deepest, other) => (other === goal ? deepest : Math.max(deepest, depthOf(other) + 1)), 0);
    depths.set(goal, depth);
    return depth;
  }
  return goals.toSorted((a, b) => depthOf(b) - depthOf(a));
}

/** Rows that were deleted come first, so that others can refer to them; then changed ones; added ones go last, the newest first. */
function goalsOfEntries(
  entries: readonly AuditEntryRow[],
  parts: readonly ConfigurationPart[],
): { goals: Goal[]; others: readonly AuditEntryRow[] } {
  const all = portableResources();
  const isImport = entries.some(({ entity, verb }) => entity === 'configuration' && verb === 'import');
  const rowsOf = Map.groupBy(entries, ({ entity, entityId }) => `${entity} ${entityId}`);
  const goals = [...rowsOf.values()].flatMap((some): Goal[] => {
    const [first, last] = [some[0], some.at(-1)];
    const resource = all.find(({ name }) => name === first?.entity);
    if (!resource || !first || !last || (first.before === null && last.after === null) || isArrival(first)) return [];
    // Rows that only an import brings are taken back as far as it was an import that changed them.
    if (!isExported(resource) && first.before !== null && !isImport) return [];
    return [{ resource, key: first.entityId, target: first.before, left: last.after }];
  });
  const rank = ({ target, left }: Goal): number => (target === null ? 2 : left === null ? 0 : 1);
  const place = ({ resource }: Goal): number => all.findIndex(({ name }) => name === resource.name);
  const existing = goals.filter(({ target }) => target !== null).toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b));
  // The heartbeat block of a device comes and goes with it.
  const isOfDevice = ({ entity, before, after }: AuditEntryRow): boolean =>
    entity === 'blocks' && (after ?? before)?.['blockTypeId'] === blockType.deviceHeartbeat;
  const byParts = isImport ? parts.flatMap(({ added }) => added ?? []) : [];
  const added = byParts.flatMap(({ entity, takeBack }) =>
    entries.flatMap((entry): Goal[] =>
      entry.entity === entity && entry.verb === 'create' && entry.after
        ? [{ resource: requireResource(entity), key: entry.entityId, target: null, left: entry.after, takeBack }]
        : [],
    ),
  );
  const keys = new Set(added.map(({ resource, key }) => `${resource.name} ${key}`));
  const arrived = new Set([...rowsOf.values()].flatMap(([first]) => (first && isArrival(first) ? [first] : [])));
  const others = entries.filter(
    (entry) =>
      (entry.before ?? entry.after) !== null &&
      !keys.has(`${entry.entity} ${entry.entityId}`) &&
      !byParts.some(({ below }) => below.includes(entry.entity)) &&
      entry.entity !== 'configuration' &&
      !isOfDevice(entry) &&
      (arrived.has(entry) || !all.some(({ name }) => name === entry.entity)),
  );
  return { goals: [...added, ...existing, ...removals(goals.filter(({ target }) => target === null).toReversed())], others };
}

/** Fields that a client may change, other than those that identify a row elsewhere only. */
const changeable = (resource: PortableResource): string[] =>
  portableFields(resource).flatMap(([name, field]) => (field.write === 'always' && name !== resource.key ? [name] : []));

function requireUnchanged({ resource, left }: Pick<Goal, 'resource' | 'left'>, now: PortableRow, names: readonly string[]): void {
  if (!left) return;
  const later = names.filter((name) => !sameValue(now[name], left[name]));
  if (later.length === 0) return;
  const labels = later.map((name) => resource.fields[name]?.label ?? name).join(', ');
  throw new ApiError('Conflict', `It was changed after that: ${labels}. Restore it from its own history.`);
}

/** Switches off what is never deleted, such as a person; undefined when it is off already. */
async function disable(
  ctx: Ctx,
  resource: PortableResource,
  key: string,
  now: PortableRow,
  about: Pick<RestoredChange, 'resource' | 'key' | 'name'>,
): Promise<RestoredChange | undefined> {
  const field = ['enabled', 'isEnabled'].find((name) => name in resource.fields);
  if (field === undefined) throw new ApiError('Conflict', `A row of ${resource.plural} is never deleted, so it stays.`);
  if (now[field] === false) return undefined;
  await update(ctx, servedOf(resource), key, { [field]: false });
  return { ...about, verb: 'change', fields: [{ field, before: true, after: false }] };
}

/** Makes the row what it shall become; undefined when it is so already. */
async function restoreRow(ctx: Ctx, goal: Goal, now: PortableRow | undefined): Promise<RestoredChange | undefined> {
  const { resource, key, target, left, takeBack } = goal;
  if (takeBack) return takeBack(ctx, key, left ?? {});
  if (!isPortable(resource)) return undefined;
  const name = String((target ?? now ?? {})[resource.title] ?? '');
  const about = { resource: resource.name, key, name };
  const all = changeable(resource);
  if (target === null) {
    if (!now) return undefined;
    requireUnchanged(goal, now, all);
    if (resource.verbs.includes('delete')) {
      await remove(ctx, servedOf(resource), key);
      return { ...about, verb: 'remove', fields: [] };
    }
    return disable(ctx, resource, key, now, about);
  }
  if (!now) {
    const writable = portableFields(resource).flatMap(([field]) => (target[field] === undefined ? [] : [[field, target[field]] as const]));
    const created = await addUnderKey(ctx, resource, { ...Object.fromEntries(writable), [resource.key]: target[resource.key] });
    if (!created) throw new ApiError('Conflict', isElsewhere);
    const fields = writable.map(([field, after]) => ({ field, before: null, after }));
    return { ...about, key: created[resource.key] as string | number, verb: 'add', fields };
  }
  const names = left ? all.filter((field) => !sameValue(left[field], target[field])) : all;
  const differing = names.filter((field) => !sameValue(now[field], target[field]));
  if (differing.length === 0) return undefined;
  requireUnchanged(goal, now, differing);
  await update(ctx, servedOf(resource), key, () => Object.fromEntries(differing.map((field) => [field, target[field] ?? null])));
  return {
    ...about,
    verb: 'change',
    fields: differing.map((field) => ({ field, before: now[field] ?? null, after: target[field] ?? null })),
  };
}

/** The rows that `value` names and that are missing, by their last names in the audit. */
async function goneIn(ctx: Ctx, value: unknown): Promise<string[]> {
  const titles = await titlesOf(ctx, value, new Map(), portableResources());
  const missing = guidsIn(value).filter((id) => titles[id] === undefined);
  if (missing.length === 0) return [];
  const deleted = await entriesOf(
    ctx,
    `verb eq 'delete' and entityId in (${missing
      .slice(0, 50)
      .map((id) => `'${id}'`)
      .join(',')})`,
  );
  return deleted.flatMap(({ entity, before }) => {
    const resource = portableResources().find(({ name }) => name === entity);
    return resource && before ? [`${resource.label} ${String(before[resource.title] ?? '')}`] : [];
  });
}

async function currentRows(ctx: Ctx, goals: readonly Goal[]): Promise<Map<string, PortableRow>> {
  const rows = new Map<string, PortableRow>();
  const read = goals.filter(({ takeBack }) => !takeBack);
  for (const [resource, some] of Map.groupBy(read, (goal) => goal.resource))
    for (const row of await rowsIn(
      ctx,
      resource,
      resource.key,
      some.map(({ key }) => key),
      { all: true },
    ))
      rows.set(`${resource.name} ${String(row[resource.key])}`, row);
  return rows;
}

/** Rows that are restored beside each other, so that they share round trips. */
const besideEachOther = 50;

/** The goals in their order, in groups of rows of one kind that become alike and do not name each other. */
function groupsOf(goals: readonly Goal[]): Goal[][] {
  const groups: Goal[][] = [];
  let keys = new Set<string>();
  let like = '';
  for (const goal of goals) {
    const { resource, target, left } = goal;
    const kind = `${resource.name} ${target === null} ${left === null}`;
    const last = groups.at(-1);
    const isBeside = last && kind === like && last.length < besideEachOther && !guidsIn(target ?? left).some((id) => keys.has(id));
    if (isBeside) last.push(goal);
    else {
      groups.push([goal]);
      keys = new Set();
      like = kind;
    }
    keys.add(goal.key.toLowerCase());
  }
  return groups;
}

async function leave(ctx: Ctx, { resource, target, left }: Goal, error: unknown, outcome: RestoreOutcome): Promise<void> {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  const { [resource.key]: _, ...others } = target ?? {};
  const missing = await goneIn(
    ctx,
    Object.fromEntries(Object.entries(others).filter(([name]) => name in resource.fields && name !== 'ownerId')),
  );
  const name = String((target ?? left ?? {})[resource.title] ?? '');
  const reason = missing.length > 0 ? `${error.message} Gone: ${missing.join(', ')}.` : error.message;
  outcome.left.push({ resource: resource.name, name, reason });
}

async function restoreRows(ctx: Ctx, goals: readonly Goal[], outcome: RestoreOutcome): Promise<void> {
  const rows = await currentRows(ctx, goals);
  const endsAt = performance.now() + limits.importSeconds * 1_000;
  const turn = takeTurns();
  for (const group of groupsOf(goals)) {
    if (performance.now() > endsAt)
      throw new ApiError(
        'TooComplex',
        `This takes longer than ${limits.importSeconds} seconds for ${goals.length} rows. None of them was restored; restore them one by one.`,
      );
    const attempts = await attemptAll(
      ctx,
      group.map((goal) => () => restoreRow(ctx, goal, rows.get(`${goal.resource.name} ${goal.key}`))),
    );
    for (const [at, attempt] of attempts.entries()) {
      if ('error' in attempt) await leave(ctx, group[at] as Goal, attempt.error, outcome);
      else if (attempt.done) outcome.changes.push(attempt.done);
    }
    await turn();
  }
}

/** Restores one version of a row, or takes a change set back. What cannot be restored is left, with the reason. */
export async function restore(
  ctx: Ctx,
  { auditId, changeSet, dryRun, note }: RestoreRequest,
  parts: readonly ConfigurationPart[],
): Promise<RestoreOutcome> {
  if ((auditId === undefined) === (changeSet === undefined))
    throw new ApiError('ValidationFailed', 'Name an entry of the audit (auditId) or a request (changeSet).', { target: 'auditId' });
  const entries = changeSet === undefined ? [] : await entriesOf(ctx, `correlationId eq ${changeSet}`);
  if (changeSet !== undefined && entries.length === 0) throw notFound('Change set');
  const { goals, others } =
    auditId === undefined ? goalsOfEntries(entries, parts) : { goals: [await goalOfEntry(ctx, auditId)], others: [] };
  const outcome: RestoreOutcome = { dryRun, changes: [], left: [], names: {} };
  outcome.left.push(...others.slice(0, limits.reasons).map(leftOf));
  for (let at = 0; at === 0 || at < goals.length; at += rowsAtOnce) await inOneTransaction(goals.slice(at, at + rowsAtOnce));
  if (outcome.changes.length > 0 && !dryRun) outcome.changeSet = ctx.correlationId;
  return outcome;

  async function inOneTransaction(some: readonly Goal[]): Promise<void> {
    const before = outcome.changes.length;
    let isTried = false;
    try {
      await inTransaction(ctx, async (ctx) => {
        await restoreRows(ctx, some, outcome);
        const changes = outcome.changes.slice(before);
        Object.assign(
          outcome.names,
          await titlesOf(
            ctx,
            changes.map(({ fields }) => fields),
            new Map(),
            portableResources(),
          ),
        );
        isTried = dryRun;
        // Like an import, a trial writes everything and then rolls back.
        if (isTried) throw new ApiError('Conflict', 'Tried only.');
        if (changes.length === 0) return;
        const tenants = new Set(some.map(({ target, left: last }) => ((target ?? last ?? {})['tenantId'] ?? null) as string | null));
        for (const tenantId of tenants)
          await recordAudit(ctx.db, {
            actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
            tenantId,
            verb: 'restore',
            entity: 'configuration',
            entityId: tenantId ?? 'all',
            after: {
              restored: changes.length,
              left: outcome.left.length,
              of: changeSet ?? String(auditId),
              ...(note ? { note } : {}),
            },
            correlationId: ctx.correlationId,
            address: ctx.address,
          });
      });
    } catch (error) {
      if (!isTried) throw error;
    }
  }
}
