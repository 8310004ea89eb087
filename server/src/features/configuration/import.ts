/**
 * Imports a configuration through the engine's create and update: in one transaction, all of it or nothing; or partly, in
 * transactions of a few rows, without the rows that cannot be imported. Both leave out rows of customers that are being offboarded.
 */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { ConfigurationDocument, ImportMapping, ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import { endingTenants, requireNotEnding, TenantIsEnding } from '../../context/ending-tenants.ts';
import { takeTurns } from '../../platform/turns.ts';
import { attemptAll, type RowAttempt } from './attempts.ts';
import { readStoredRows } from './find-row.ts';
import { applyRow, isTaken, requireNothingLeftOut, translated, type AppliedRow } from './import-row.ts';
import { newKeys, type Keys } from './keys.ts';
import { levelsOf, type PlacedRow } from './levels.ts';
import { canBeMade, makeNamed } from './make-named.ts';
import type { AppliedKey } from './managed.ts';
import { findNamed, tenantsNaming, titlesOf, type MissingRow } from './named.ts';
import { asOnlyImport, requireOnlyImport } from './one-import.ts';
import { inTenant, reasonsByRow, type ConfigurationPart, type ImportFault } from './part.ts';
import { portableResources, type PortableResource } from './portable.ts';
import type { PortableRow } from './rows-in.ts';
import { timeLimit, type TimeLimit } from './time-limit.ts';

export interface ImportOptions {
  dryRun: boolean;
  /** Leaves out the rows that cannot be imported, and writes in turns. */
  partly?: boolean;
  /** The only tenant of the document is imported into this tenant. */
  tenantId?: string | undefined;
  /** The only tenant of which it has rows, so that imports into others do not wait. Default: `tenantId`. */
  within?: string;
  mapping?: ImportMapping | undefined;
  /** Makes the people and devices that rows name and that are missing here. */
  make?: boolean;
  /** Places of rows that are not imported, such as `rules[3]`. */
  without?: readonly string[] | undefined;
  note?: string | undefined;
  /**
   * Whether one transaction may last longer than a minute while nobody waits for its rows. Open pages of all tenants show changes of others
   * only when it has ended, so only commands of the machine may.
   */
  isPatient?: boolean;
  /** Called for each row that was written, or was here as it is in the document, with its place there. */
  onRow?: (row: AppliedKey, at: string) => void;
  onFault?: (fault: ImportFault) => void;
  /** Whether it is a part of an import that the caller records. */
  isPart?: boolean;
  parts: readonly ConfigurationPart[];
}

/** Rows that are written beside each other, and in one transaction when the import is partly. */
const rowsAtOnce = 50;

/** An import under way. */
interface ImportRun {
  options: ImportOptions;
  keys: Keys;
  outcome: ImportOutcome;
  faults: ImportFault[];
  missing: Map<string, MissingRow & { rows: number }>;
  /** People of the document by their key there, with the number of refused rows that name them: they may lack rights here. */
  people: Map<string, MissingRow & { rows: number }>;
  /** Titles of the rows of the document, by their key here. */
  titles: Map<string, string>;
  /** The tenants whose rows have changed. */
  tenants: Set<string | null>;
  requireTime: TimeLimit;
  /** Tells, between turns, that the import goes on. */
  stay?: () => Promise<void>;
}

function chooseTenant(document: ConfigurationDocument, tenantId: string, keys: Keys): void {
  const tenants = document.rows['tenants'] ?? [];
  const tenantIds = new Set(
    [...tenants, ...Object.values(document.rows).flat(), ...Object.values(document.names ?? {}).flat()]
      .map((row) => row['tenantId'])
      .filter((id) => id !== null && id !== undefined),
  );
  if (tenantIds.size > 1)
    throw new ApiError('ValidationFailed', 'This configuration belongs to several tenants; it cannot be imported into one.', {
      target: 'tenantId',
    });
  for (const id of tenantIds) keys.set(id, tenantId);
}

/** Tells `keys` the tenants that have another key here: devices and others are sought by their names in their tenant. */
async function findTenants(ctx: Ctx, rows: readonly PortableRow[], keys: Keys): Promise<void> {
  const tenants = portableResources().find(({ name }) => name === 'tenants');
  if (!tenants || rows.length === 0) return;
  const stored = await readStoredRows(ctx, tenants, rows);
  for (const row of rows) keys.set(row[tenants.key], (stored.find(row)?.[tenants.key] ?? row[tenants.key]) as string);
}

/** Adds the reasons of a refusal; throws what is no fault of the document. */
function addFault(run: ImportRun, error: unknown, { at, resource, name }: Pick<ImportFault, 'at' | 'resource' | 'name'>): void {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  const details = error.details.length > 0 ? error.details : [{ target: error.target, message: error.message }];
  for (const { target, message } of details) {
    const isAside = error instanceof TenantIsEnding;
    const fault = { at, resource, name, target: target ? `${at}.${target}` : at, message: message ?? error.message, isAside };
    run.faults.push(fault);
    run.options.onFault?.(fault);
  }
  if (!run.options.partly && refusing(run).length >= limits.reasons) throw refusal(run);
}

/** The faults that refuse an import of everything or nothing. */
const refusing = ({ faults }: ImportRun) => faults.filter(({ isAside }) => !isAside);

function refusal(run: ImportRun): ApiError {
  return validationFailed(
    refusing(run)
      .slice(0, limits.reasons)
      .map(({ target, at, message }) => ({ target, message: `${at}: ${message}` })),
  );
}

const isInTurns = ({ dryRun, partly }: ImportOptions): boolean => !dryRun && partly === true;

function count(run: ImportRun, change: ImportOutcome['changes'][number] | undefined, at: string): void {
  const { outcome } = run;
  if (change) outcome.changes.push({ ...change, at });
  outcome[change ? (change.verb === 'add' ? 'added' : 'changed') : 'unchanged'] += 1;
}

const labelOf = ({ resource, name }: MissingRow): string => `The ${requireResource(resource).label.toLowerCase()} ${name}`;

/** Throws 400 when the row names something that this installation lacks. */
function requireNothingMissing({ missing }: ImportRun, row: PortableRow): void {
  const lacking = missing.size === 0 ? [] : guidsIn(row).flatMap((id) => missing.get(id) ?? []);
  const [first] = lacking;
  if (!first) return;
  const otherwise = first.resource === 'operations' ? 'Upload its package (the server brings what is built in when it starts), map' : 'Map';
  const make = canBeMade(first) ? 'Make it, map' : otherwise;
  throw new ApiError('ValidationFailed', `${labelOf(first)} is missing here. ${make} it to another, or leave it out.`);
}

/** Counts a refused row at what it names that is missing here, and at its people. */
function countNamed({ missing, people }: ImportRun, row: PortableRow): void {
  if (missing.size + people.size === 0) return;
  for (const id of guidsIn(row)) {
    const item = missing.get(id) ?? people.get(id);
    if (item) item.rows += 1;
  }
}

function keep(run: ImportRun, resource: PortableResource, row: PortableRow, key: string | number, title: unknown): void {
  if (typeof key === 'number') run.keys.setNumber(resource.name, Number(row[resource.key]), key);
  else {
    run.keys.set(row[resource.key], key);
    run.titles.set(key.toLowerCase(), String(title ?? ''));
  }
}

function lack(run: ImportRun, resource: PortableResource, row: PortableRow): void {
  const key = String(row[resource.key] ?? '').toLowerCase();
  const name = String(row[resource.title] ?? '');
  if (guidsIn(key).length === 1) run.missing.set(key, { resource: resource.name, key, name, rows: 0 });
}

async function importResource(ctx: Ctx, run: ImportRun, resource: PortableResource, all: readonly PortableRow[]): Promise<void> {
  const { options, keys } = run;
  const stored = await readStoredRows(
    ctx,
    resource,
    all.map((row) => translated(resource, row, keys)),
  );
  const without = new Set(options.without);
  const mapped = new Set<number>();
  all.forEach((row, place) => {
    const [key, title] = [String(row[resource.key] ?? ''), String(row[resource.title] ?? '')];
    const ofResource = options.mapping?.[resource.name];
    const to = ofResource?.[key] === undefined ? ofResource?.[title] : ofResource[key];
    if (to === undefined) return;
    mapped.add(place);
    if (to === null) keys.leaveOut(key, title);
    else keys.set(key, to);
  });
  /** Others may name a row that is not imported if it is here already. */
  const lackUnlessHere = (row: PortableRow): void => {
    const here = stored.find(translated(resource, row, keys));
    return here ? keep(run, resource, row, here[resource.key] as string | number, here[resource.title]) : lack(run, resource, row);
  };
  const placeOf = (place: number): string => `${resource.name}[${place}]`;
  all.forEach((row, place) => {
    if (!without.has(placeOf(place)) || mapped.has(place)) return;
    lackUnlessHere(row);
  });
  const turn = takeTurns();
  const write = async (ctx: Ctx, rows: readonly PlacedRow[]): Promise<void> => {
    const ending = await endingTenants(ctx);
    const applied =
      (row: PortableRow, isAgain = false) =>
      async (): Promise<AppliedRow> => {
        const here = translated(resource, row, keys);
        const before = stored.find(here);
        try {
          requireNothingMissing(run, row);
          requireNothingLeftOut(resource, here, keys);
          const { [resource.portable.unique ?? '']: _, ...others } = here;
          const result = await applyRow(ctx, resource, isAgain ? others : here, before);
          if (result.change) requireNotEnding(ending, result.row['tenantId']);
          return result;
        } catch (error) {
          // Whatever else is wrong with it, its customer is the reason that somebody can do something about.
          requireNotEnding(ending, (before ?? here)['tenantId']);
          throw error;
        }
      };
    const attempts = await attemptAll(
      ctx,
      rows.map(([, row]) => applied(row)),
    );
    for (const [i, [place, row]] of rows.entries()) {
      let attempt = attempts[i] as RowAttempt<AppliedRow>;
      const at = placeOf(place);
      if ('error' in attempt && isTaken(resource, row, attempt.error))
        [attempt] = (await attemptAll(ctx, [applied(row, true)])) as [typeof attempt];
      if ('error' in attempt) {
        countNamed(run, row);
        lackUnlessHere(row);
        addFault(run, attempt.error, { at, resource: resource.name, name: String(row[resource.title] ?? '') });
        continue;
      }
      const { key, row: now, change } = attempt.done;
      stored.remember(now);
      options.onRow?.({ resource: resource.name, key: String(key), tenantId: (now['tenantId'] ?? null) as string | null }, at);
      keep(run, resource, row, key, now[resource.title]);
      count(run, change, at);
      if (change) run.tenants.add((now['tenantId'] ?? null) as string | null);
    }
  };
  for (const level of levelsOf(resource, all)) {
    const rows = level.filter(([place]) => !without.has(placeOf(place)) && !mapped.has(place));
    for (let i = 0; i < rows.length; i += rowsAtOnce) {
      const some = rows.slice(i, i + rowsAtOnce);
      await run.requireTime(ctx.db, placeOf(some[0]?.[0] ?? 0));
      await run.stay?.();
      await (isInTurns(options) ? inTransaction(ctx, (ctx) => write(ctx, some)) : write(ctx, some));
      await turn();
    }
  }
}

async function importParts(ctx: Ctx, run: ImportRun, document: ConfigurationDocument): Promise<void> {
  for (const part of run.options.parts)
    for (const [index, row] of (document.rows[part.name] ?? []).entries()) {
      const at = `${part.name}[${index}]`;
      if (run.options.without?.includes(at)) continue;
      await run.requireTime(ctx.db, at);
      const [attempt] = await inTransaction(ctx, (ctx) => attemptAll(ctx, [() => part.import(ctx, inTenant(row, run.keys))]));
      if (attempt && 'done' in attempt) count(run, attempt.done, at);
      else addFault(run, attempt?.error, { at, resource: part.name, name: String(row['name'] ?? row['title'] ?? '') });
    }
}

/** Makes what rows name, once there are the tenants and subscriptions of the document. */
async function makeMissing(ctx: Ctx, run: ImportRun, document: ConfigurationDocument): Promise<void> {
  const { options, keys, missing } = run;
  const named = tenantsNaming(document, options.without ?? []);
  const rows = [...missing].filter(([id, row]) => canBeMade(row) && named.has(id));
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    const some = rows.slice(i, i + rowsAtOnce);
    const attempts = await inTransaction(ctx, (ctx) =>
      attemptAll(
        ctx,
        some.map(
          ([, row]) =>
            () =>
              makeNamed(ctx, row, keys, named.get(row.key.toLowerCase()) ?? []),
        ),
      ),
    );
    for (const [n, [id, row]] of some.entries()) {
      const { resource, name } = row;
      const at = `names.${resource}`;
      await run.requireTime(ctx.db, at);
      const attempt = attempts[n] as RowAttempt<string>;
      if ('error' in attempt) {
        addFault(run, attempt.error, { at: `${at} ${name}`, resource, name });
        continue;
      }
      const { done: key } = attempt;
      missing.delete(id);
      keys.set(id, key);
      run.titles.set(key.toLowerCase(), name);
      run.tenants.add((keys.translate(row.tenantId ?? null) ?? null) as string | null);
      count(run, { resource, verb: 'add', name, key, fields: [] }, at);
    }
  }
}

async function importRows(ctx: Ctx, run: ImportRun, document: ConfigurationDocument): Promise<void> {
  const { options, keys, faults } = run;
  if (options.tenantId !== undefined) chooseTenant(document, options.tenantId, keys);
  else await findTenants(ctx, document.rows['tenants'] ?? [], keys);
  for (const row of await findNamed(ctx, document, options.mapping ?? {}, keys))
    run.missing.set(row.key.toLowerCase(), { ...row, rows: 0 });
  const all = portableResources();
  for (const name of Object.keys(document.rows))
    if (![...all, ...options.parts].some((r) => r.name === name)) {
      const target = `rows.${name}`;
      faults.push({
        at: target,
        resource: name,
        name,
        target,
        message: `A configuration has no part ${name}. Remove it from the document.`,
      });
    }
  const lastOfTenants = all.findLastIndex(({ name }) => name === 'tenants' || name === 'subscriptions');
  for (const [place, resource] of all.entries()) {
    const rows = document.rows[resource.name] ?? [];
    // The tenant into which the caller imports is not changed.
    if (rows.length > 0 && !(resource.name === 'tenants' && options.tenantId !== undefined)) await importResource(ctx, run, resource, rows);
    if (options.make && place === lastOfTenants) await makeMissing(ctx, run, document);
  }
  await importParts(ctx, run, document);
  if (!options.partly && refusing(run).length > 0) throw refusal(run);
}

/** Records the import as one entry for each tenant that it changed, under the id by which the audit has its changes. */
async function recordImport(ctx: Ctx, { outcome, options, tenants, faults }: ImportRun): Promise<void> {
  const { added, changed } = outcome;
  if (added + changed === 0 || options.isPart) return;
  outcome.changeSet = ctx.correlationId;
  for (const tenantId of tenants.size > 0 ? tenants : [options.tenantId ?? null])
    await recordAudit(ctx.db, {
      actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
      tenantId,
      verb: 'import',
      entity: 'configuration',
      entityId: tenantId ?? 'all',
      after: { added, changed, left: reasonsByRow(faults).length, ...(options.note ? { note: options.note } : {}) },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
}

/** Completes the outcome: what was left out, what is missing, and the names of the ids. */
async function finish(ctx: Ctx, run: ImportRun): Promise<void> {
  const { outcome, missing, people, faults, titles } = run;
  outcome.left = reasonsByRow(faults);
  outcome.missing = [...missing.values(), ...people.values()].flatMap(({ resource, name, key, rows }) =>
    rows > 0 ? [{ resource, name, key, rows }] : [],
  );
  outcome.names = await titlesOf(
    ctx,
    outcome.changes.map(({ fields }) => fields),
    titles,
    portableResources(),
  );
}

/** Imports the document; throws a 400 with the errors, each with a path such as `rules[3].conditions` as its target. */
export async function importDocument(ctx: Ctx, document: ConfigurationDocument, options: ImportOptions): Promise<ImportOutcome> {
  const run: ImportRun = {
    options,
    keys: newKeys(),
    outcome: { dryRun: options.dryRun, added: 0, changed: 0, unchanged: 0, changes: [], left: [], missing: [], names: {} },
    faults: [],
    missing: new Map(),
    people: new Map((document.names?.['people'] ?? []).map((row) => [row.key.toLowerCase(), { ...row, resource: 'people', rows: 0 }])),
    titles: new Map(),
    tenants: new Set(),
    requireTime: timeLimit(isInTurns(options), options.isPatient),
  };
  if (isInTurns(options)) {
    await asOnlyImport(ctx, options.within ?? options.tenantId, async (stay) => {
      run.stay = stay;
      try {
        await importRows(ctx, run, document);
      } finally {
        // What was written before an error stays, so the audit has the import in any case.
        await recordImport(ctx, run);
      }
    });
    await finish(ctx, run);
    return run.outcome;
  }
  let isTried = false;
  try {
    await inTransaction(ctx, async (ctx) => {
      if (!options.dryRun) await requireOnlyImport(ctx.db, options.within ?? options.tenantId);
      await importRows(ctx, run, document);
      await finish(ctx, run);
      // A dry run writes everything and then rolls back.
      isTried = options.dryRun;
      if (isTried) throw new ApiError('Conflict', 'Tried only.');
      await recordImport(ctx, run);
    });
  } catch (error) {
    if (!isTried) throw error;
  }
  return run.outcome;
}
