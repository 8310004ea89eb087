/** Paths below a row: its related rows and its properties, as OData 4.0 addresses them (part 2, sections 4.3 to 4.7). */
import { sql, type RawBuilder } from '../../db/sql.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { columnName } from '../../db/column-name.ts';
import { toColumn } from '../../query/columns.ts';
import { get } from '../../resources/get.ts';
import { countRows, list } from '../../resources/list.ts';
import { servedNamed, type AnyRow, type AnyServed } from '../../resources/served.ts';
import { nothingHere } from '../address.ts';
import { contextUrl, type ApiAnswer, type ApiRequest } from '../answer.ts';
import { takenByWrites, requireOptions } from '../form/query-options.ts';
import { answerPage } from '../pages.ts';
import { answerRow } from '../row-answers.ts';

/**
 * Answers `set(key)/tenant`, `/notes`, `/notes/$count`, `/notes(5)`, `/title` and `/title/$value`, and longer paths of
 * these segments; 204 if the relation or property at the end has no value.
 */
export async function answerBelowRow(
  ctx: Ctx,
  served: AnyServed,
  request: ApiRequest,
  key: string,
  path: readonly string[],
): Promise<ApiAnswer> {
  const { resource } = served;
  const [name = '', ...rest] = path;
  const row: AnyRow = await get(ctx, served, key);
  if (Object.hasOwn(resource.fields, name)) return answerProperty(served, request, row, name, rest);
  const relation = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined;
  if (!relation) throw nothingHere();
  const target = servedNamed(relation.to);
  const value = row[relation.from];
  const related = relatedTo(target, relation.on, value);
  if (relation.many) return answerRelated(ctx, target, request, related, rest);
  const relatedRow = value === null ? undefined : (await list(ctx, target, '$top=1', { narrow: related })).value[0];
  if (relatedRow) return answerAt(ctx, target, request, String(relatedRow[target.resource.key]), rest);
  if (rest.length > 0) throw notFound(target.resource.label);
  return { status: 204 };
}

/** The condition that a row is related by this value. */
export function relatedTo({ resource }: AnyServed, field: string, value: unknown): RawBuilder<boolean> {
  const on = resource.fields[field];
  if (!on) throw new Error(`${resource.name} has no field ${field}.`);
  return sql<boolean>`${sql.ref(`t.${columnName(field)}`)} = ${toColumn(on, value)}`;
}

/** Throws 404 unless the row with this key is among the related rows. */
export async function requireMember(ctx: Ctx, target: AnyServed, related: RawBuilder<boolean>, key: string): Promise<void> {
  const { resource } = target;
  const member: AnyRow = await get(ctx, target, key);
  const [ofRow] = (await list(ctx, target, `$top=1&$filter=${resource.key} eq ${String(member[resource.key])}`, { narrow: related })).value;
  if (!ofRow) throw notFound(resource.label);
}

function answerAt(ctx: Ctx, served: AnyServed, request: ApiRequest, key: string, rest: readonly string[]): Promise<ApiAnswer> {
  return rest.length === 0 ? answerRow(ctx, served, request, key) : answerBelowRow(ctx, served, request, key, rest);
}

async function answerRelated(
  ctx: Ctx,
  target: AnyServed,
  request: ApiRequest,
  related: RawBuilder<boolean>,
  [key, ...rest]: readonly string[],
): Promise<ApiAnswer> {
  if (key === undefined) return answerPage(ctx, target, request, related);
  if (key.toLowerCase() === '$count' && rest.length === 0)
    return { status: 200, text: String(await countRows(ctx, target, request.rawQuery, related)) };
  // A key may be named: `notes(workUnitNoteId=5)`.
  const { resource } = target;
  const [value = '', ...further] = key === resource.key ? rest : [key, ...rest];
  await requireMember(ctx, target, related, value);
  return answerAt(ctx, target, request, value, further);
}

function answerProperty({ resource }: AnyServed, request: ApiRequest, row: AnyRow, name: string, rest: readonly string[]): ApiAnswer {
  const isRaw = rest[0]?.toLowerCase() === '$value';
  if (rest.length > (isRaw ? 1 : 0)) throw nothingHere();
  requireOptions(request.rawQuery, takenByWrites);
  const value = row[name];
  if (value === null || value === undefined) return { status: 204 };
  if (isRaw) return { status: 200, text: typeof value === 'object' ? JSON.stringify(value) : String(value) };
  return { status: 200, body: { '@odata.context': contextUrl(request, `${resource.name}(${String(row[resource.key])})/${name}`), value } };
}
