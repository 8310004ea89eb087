/** Changes many rows in one transaction: all or none. Errors are reported for each row. */
import { ApiError, notFound, validationFailed, type ErrorDetail } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { takeTurns } from '../platform/turns.ts';
import { missingRow } from './disabled-tenants.ts';
import { inTransaction, type Ctx } from '../context/ctx.ts';
import { loadRows, parseKey } from './get.ts';
import { isObject } from './input.ts';
import { jsonPatch, mergePatch, statePatch } from './patch.ts';
import type { AnyRow, AnyServed, FieldError, RowChange } from './served.ts';
import { applyChange, prepareUpdate, type AnyEdit } from './update.ts';

type Key = string | number;

export interface RowEdit {
  key: Key;
  edit: AnyEdit;
  /** The states that the client sent; absent if it sent a patch. */
  newState?: AnyRow;
  previousState?: AnyRow;
}

/** Number of rows whose statements are sent at the same time. */
const atOnce = 50;

function invalid(message: string, target?: string): ApiError {
  return new ApiError('InvalidBody', message, { target });
}

export function isEmptied(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Replaces the empty value of a field that must not be empty by the field's initial value, if it has one. */
function withInitials({ resource }: AnyServed, next: AnyRow): AnyRow {
  return Object.fromEntries(
    Object.entries(next).map(([name, value]) => {
      const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
      return [name, field && !field.nullable && field.initial !== undefined && isEmptied(value) ? field.initial : value];
    }),
  );
}

function editFor(served: AnyServed, { patch, newState, previousState }: AnyRow): Omit<RowEdit, 'key'> {
  if (patch !== undefined) return { edit: jsonPatch(served.resource, patch) };
  if (!isObject(newState)) throw invalid('A bulk edit names newState (and previousState), or patch.');
  const next = withInitials(served, newState);
  if (previousState === undefined) return { edit: mergePatch(next), newState };
  if (!isObject(previousState)) throw invalid('previousState is the row as it was.', 'previousState');
  return { edit: statePatch(served.resource, previousState, { ...previousState, ...next }), newState, previousState };
}

function keyIn(served: AnyServed, row: unknown): Key {
  const key = isObject(row) ? (row[served.resource.key] ?? row['id']) : undefined;
  if (typeof key === 'string' || typeof key === 'number') return key;
  throw invalid(`Each row of a bulk edit names its ${served.resource.key}.`, served.resource.key);
}

/** Returns an edit for each row of a body whose `newState` and `previousState` may each be one state or a list of rows. */
function perRow(served: AnyServed, body: AnyRow): RowEdit[] {
  const { newState, previousState } = body;
  const previous = new Map((Array.isArray(previousState) ? previousState : []).map((row) => [String(keyIn(served, row)), row as unknown]));
  const previousOf = (key: Key): unknown => {
    if (!Array.isArray(previousState)) return previousState;
    if (previous.has(String(key))) return previous.get(String(key));
    throw invalid(`previousState has no row ${key}.`, 'previousState');
  };
  if (Array.isArray(newState)) {
    return newState.map((row: unknown) => {
      const key = keyIn(served, row);
      return { key, ...editFor(served, { newState: row, previousState: previousOf(key) }) };
    });
  }
  if (!Array.isArray(body['ids'])) throw invalid('A bulk edit names ids.', 'ids');
  const shared = Array.isArray(previousState) ? undefined : editFor(served, body);
  return body['ids'].map((id: unknown) => {
    if (typeof id !== 'string' && typeof id !== 'number') throw invalid('ids are keys of rows.', 'ids');
    return { key: id, ...(shared ?? editFor(served, { newState, previousState: previousOf(id) })) };
  });
}

/**
 * The edits of a body, in one of three forms: `{ids, newState, previousState?}` or `{ids, patch}` (the same change for
 * all), `{newState: [rows], previousState?}`, or a list of `{id, newState, previousState?}` and `{id, patch}`. In the first
 * two forms, `previousState` is one state or a list of rows.
 */
export function bulkEdits(served: AnyServed, body: unknown): RowEdit[] {
  if (!Array.isArray(body) && !isObject(body)) throw invalid('The body must be a JSON object or an array.');
  const rows = Array.isArray(body) ? body : [body['ids'], body['newState']].find(Array.isArray);
  if (rows && rows.length > limits.pageMax) throw invalid(`A bulk edit has at most ${limits.pageMax} rows.`);
  const edits = Array.isArray(body)
    ? body.map((item: unknown) => ({ key: keyIn(served, item), ...editFor(served, item as AnyRow) }))
    : perRow(served, body);
  if (edits.length === 0) throw invalid('A bulk edit names at least one row.');
  if (new Set(edits.map((edit) => String(edit.key).toLowerCase())).size < edits.length) throw invalid('A row is named twice.');
  return edits;
}

/**
 * Calls `work` for all rows, `atOnce` at a time, so that the statements of several rows share round trips. An error in one row
 * does not stop the work on other rows.
 */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const turn = takeTurns();
  for (let i = 0; i < items.length; i += atOnce) {
    results.push(...(await Promise.allSettled(items.slice(i, i + atOnce).map(work))));
    // Yields, so that a thousand rows do not delay other requests.
    await turn();
  }
  return results;
}

function isCallersFault(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

/** Throws the errors of all rows that are the caller's fault; without any, the first other error. */
export function requireAll(edits: readonly Pick<RowEdit, 'key'>[], results: readonly PromiseSettledResult<unknown>[]): void {
  const failures = results.flatMap((result, i) =>
    result.status === 'rejected' ? [{ key: edits[i]?.key ?? '', error: result.reason as unknown }] : [],
  );
  const details = failures.flatMap(({ key, error }) => (isCallersFault(error) ? reasons(key, error) : []));
  if (details.length > 0) throw refused(details);
  // Only the first one: after a failed statement, all further statements of the transaction fail too.
  if (failures[0]) throw failures[0].error;
}

/** Errors of one row, each with its row and field. */
function reasons(key: Key, error: ApiError): ErrorDetail[] {
  const target = (field: string | undefined): string => (field ? `${key}/${field}` : String(key));
  if (error.details.length > 0) return error.details.map((detail) => ({ ...detail, target: target(detail.target) }));
  return [{ code: error.code, message: error.message, target: target(error.target) }];
}

const worst = ['TestFailed', 'Conflict', 'NotFound', 'Forbidden'] as const;

function refused(details: readonly ErrorDetail[]): ApiError {
  const code = worst.find((candidate) => details.some((detail) => detail.code === candidate)) ?? 'ValidationFailed';
  const telling = details.filter((detail) => code === 'ValidationFailed' || detail.code === code);
  const message = [...new Set(telling.map((detail) => detail.message))].slice(0, 3).join(' ');
  return new ApiError(code, message, { target: telling[0]?.target, details });
}

/** Applies the edits in one transaction; throws if `checkAll` returns errors. Returns the rows in the order of the edits. */
export async function updateMany(
  ctx: Ctx,
  served: AnyServed,
  edits: readonly RowEdit[],
  checkAll?: (changes: readonly RowChange[]) => readonly FieldError[],
): Promise<AnyRow[]> {
  return inTransaction(ctx, async (ctx) => {
    const keys = edits.map(({ key }) => {
      try {
        return parseKey(served, key);
      } catch {
        return undefined;
      }
    });
    const loaded = await loadRows(
      ctx,
      served,
      keys.filter((key) => key !== undefined),
    );
    const prepared = await each([...edits.keys()], async (i) => {
      const before = loaded.get(String(keys[i]));
      const edit = edits[i]?.edit;
      const key = keys[i];
      if (!edit || key === undefined) throw notFound(served.resource.label);
      if (!before) throw await missingRow(ctx, served, key);
      return prepareUpdate(ctx, served, before, edit);
    });
    requireAll(edits, prepared);
    const changes = prepared.map((item) => (item as PromiseFulfilledResult<RowChange>).value);
    const errors = checkAll?.(changes) ?? [];
    if (errors.length > 0) throw validationFailed(errors);
    // Nested transactions, so that the statement of one row does not end the transaction of all rows.
    const written = await each(changes, (change) => inTransaction(ctx, (ctx) => applyChange(ctx, served, change)));
    requireAll(edits, written);
    return written.map((item) => (item as PromiseFulfilledResult<AnyRow>).value);
  });
}
