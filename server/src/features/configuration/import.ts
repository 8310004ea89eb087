/** Imports a configuration through the engine's create and update, in one transaction: all of it or nothing. */
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { ConfigurationDocument, ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { columnName } from '../../db/column-name.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import { openFindRow, type FindRow } from './find-row.ts';
import { afterThoseNamed, newKeys, sameValue, type Keys } from './keys.ts';
import type { ConfigurationPart } from './part.ts';
import { portableFields, portableResources, type PortableResource } from './portable.ts';

type ImportedRow = Record<string, unknown>;
type ImportChange = ImportOutcome['changes'][number];

export interface ImportOptions {
  dryRun: boolean;
  /** The only tenant of the document is imported into this tenant. */
  tenantId?: string | undefined;
  parts: readonly ConfigurationPart[];
}

interface ImportFault {
  target: string;
  message: string;
}

const maxReasons = 100;

/** Returns the row without fields that nobody may set, with its key and references changed to keys of this installation. */
function translated(resource: PortableResource, row: ImportedRow, keys: Keys): ImportedRow {
  const fields = new Map(portableFields(resource));
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (name === resource.key) return [[name, keys.translate(value)]];
      const field = fields.get(name);
      if (!field) return name in resource.fields ? [] : [[name, value]];
      return [[name, field.ref && typeof value === 'number' ? keys.numberOf(field.ref, value) : keys.translate(value)]];
    }),
  );
}

/**
 * Returns the fields whose stored value differs from the document, compared after the field has parsed the document's value.
 */
function differences(resource: PortableResource, before: ImportedRow, row: ImportedRow): ImportChange['fields'] {
  return Object.entries(row).flatMap(([field, value]) => {
    if (field === resource.key) return [];
    const parsed = resource.fields[field]?.schema().safeParse(value);
    const after = parsed?.success ? parsed.data : value;
    return sameValue(before[field], after) ? [] : [{ field, before: before[field] ?? null, after }];
  });
}

async function add(ctx: Ctx, resource: PortableResource, row: ImportedRow): Promise<ImportedRow> {
  const served = servedOf(resource);
  const { [resource.key]: key, ...body } = row;
  const field = resource.fields[resource.key];
  const keeps = field?.kind === 'guid' && field.write === 'never' && field.schema().safeParse(key).success;
  // The row keeps the key of the document if no other row has this key. A copy of a row of this installation gets a new key.
  const withSameKey = keeps
    ? await create(ctx, served, body, { columns: { [columnName(resource.key)]: key }, unlessExists: true })
    : undefined;
  return withSameKey ?? create(ctx, served, field?.write === 'never' ? body : row);
}

/** Creates or updates the row. Returns its key in this installation, and the change if anything differed. */
async function apply(
  ctx: Ctx,
  resource: PortableResource,
  row: ImportedRow,
  findRow: FindRow,
): Promise<{ key: string | number; change?: ImportChange }> {
  const before = await findRow(row);
  const name = String(row[resource.title] ?? before?.[resource.title] ?? '');
  if (!before) {
    const created = await add(ctx, resource, row);
    const fields = differences(resource, {}, row).filter(({ after }) => after !== null);
    const key = created[resource.key] as string | number;
    return { key, change: { resource: resource.name, verb: 'add', name, key, fields } };
  }
  const fields = differences(resource, before, row);
  const key = before[resource.key] as string | number;
  if (fields.length === 0) return { key };
  await update(ctx, servedOf(resource), key, () => Object.fromEntries(fields.map(({ field, after }) => [field, after])));
  return { key, change: { resource: resource.name, verb: 'change', name, key, fields } };
}

function reasons(error: unknown, at: string): ImportFault[] {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  if (error.details.length === 0) return [{ target: error.target ? `${at}.${error.target}` : at, message: `${at}: ${error.message}` }];
  return error.details.map((d) => ({ target: d.target ? `${at}.${d.target}` : at, message: `${at}: ${d.message}` }));
}

/**
 * Whether the transaction can still be used after an error. A failed statement aborts it; a row that a check refuses does not,
 * so the import continues and collects further errors.
 */
async function goesOn(ctx: Ctx): Promise<boolean> {
  return ctx.db.query({ text: 'select 1' }).then(
    () => true,
    () => false,
  );
}

function chooseTenant(document: ConfigurationDocument, tenantId: string, keys: Keys): void {
  const tenants = document.rows['tenants'] ?? [];
  const tenantIds = new Set(
    [...tenants, ...Object.values(document.rows).flat()].map((row) => row['tenantId']).filter((id) => id !== null && id !== undefined),
  );
  if (tenantIds.size > 1)
    throw new ApiError('ValidationFailed', 'This configuration belongs to several tenants; it cannot be imported into one.', {
      target: 'tenantId',
    });
  for (const id of tenantIds) keys.set(id, tenantId);
}

async function importRows(ctx: Ctx, document: ConfigurationDocument, options: ImportOptions): Promise<ImportOutcome> {
  const keys = newKeys();
  const outcome: ImportOutcome = { dryRun: options.dryRun, added: 0, changed: 0, unchanged: 0, changes: [] };
  const faults: ImportFault[] = [];
  if (options.tenantId !== undefined) chooseTenant(document, options.tenantId, keys);
  const count = (change: ImportChange | undefined): void => {
    if (change) outcome.changes.push(change);
    outcome[change ? (change.verb === 'add' ? 'added' : 'changed') : 'unchanged'] += 1;
  };
  const endsAt = performance.now() + limits.importSeconds * 1_000;
  const attempt = async (at: string, work: () => Promise<void>): Promise<void> => {
    // Others wait for rows that this transaction has written, also those of a dry run.
    if (performance.now() >= endsAt)
      throw new ApiError(
        'TooComplex',
        `This import takes longer than ${limits.importSeconds} seconds. Nothing was imported; import it in parts.`,
        {
          target: at,
        },
      );
    try {
      await work();
    } catch (error) {
      faults.push(...reasons(error, at));
      if (faults.length >= maxReasons || !(await goesOn(ctx))) throw validationFailed(faults.slice(0, maxReasons));
    }
  };
  const all = portableResources();
  for (const name of Object.keys(document.rows))
    if (![...all, ...options.parts].some((r) => r.name === name))
      faults.push({ target: `rows.${name}`, message: `A configuration has no part ${name}. Remove it from the document.` });
  for (const resource of all) {
    // The tenant into which the caller imports is not changed.
    if (resource.name === 'tenants' && options.tenantId !== undefined) continue;
    const rows = afterThoseNamed(document.rows[resource.name] ?? [], resource.key);
    if (rows.length === 0) continue;
    const findRow = await openFindRow(
      ctx,
      resource,
      rows.map(([, row]) => translated(resource, row, keys)),
    );
    for (const [index, row] of rows) {
      await attempt(`${resource.name}[${index}]`, async () => {
        const { key, change } = await apply(ctx, resource, translated(resource, row, keys), findRow);
        count(change);
        if (typeof key === 'number') keys.setNumber(resource.name, Number(row[resource.key]), key);
        else keys.set(row[resource.key], key);
      });
    }
  }
  for (const part of options.parts)
    for (const [index, row] of (document.rows[part.name] ?? []).entries())
      await attempt(`${part.name}[${index}]`, async () => count(await part.import(ctx, row)));
  if (faults.length > 0) throw validationFailed(faults);
  return outcome;
}

/** Imports the document; throws a 400 with the errors, each with a path such as `rules[3].conditions` as its target. */
export async function importDocument(ctx: Ctx, document: ConfigurationDocument, options: ImportOptions): Promise<ImportOutcome> {
  let outcome: ImportOutcome | undefined;
  try {
    return await inTransaction(ctx, async (ctx) => {
      const done = await importRows(ctx, document, options);
      if (!options.dryRun) return done;
      outcome = done;
      // A dry run writes everything and then rolls back.
      throw new ApiError('Conflict', 'Tried only.');
    });
  } catch (error) {
    if (outcome) return outcome;
    throw error;
  }
}
