/** The answers of a resource's calls: rows with their context and version. */
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { isSystemOption, parseOptions } from '@cloudfit/contract/query/options.ts';
import type { Ctx, Warning } from '../context/ctx.ts';
import { bulkEdits, updateMany } from '../resources/bulk.ts';
import { createFromBody } from '../resources/create.ts';
import { missingRow } from '../resources/disabled-tenants.ts';
import { etagOf, get, parseKey } from '../resources/get.ts';
import { fieldName, isObject } from '../resources/input.ts';
import { list } from '../resources/list.ts';
import { editOf, mergePatch } from '../resources/patch.ts';
import { remove } from '../resources/remove.ts';
import type { AnyRow, AnyServed } from '../resources/served.ts';
import { update } from '../resources/update.ts';
import { contextUrl, header, type ApiAnswer, type ApiRequest } from './answer.ts';
import { withBoundKeys } from './form/bind.ts';
import { longsAsText, textAsLongs } from './form/ieee754.ts';
import { bulkEditsOf, createsWithSecret } from './own-writes.ts';
import { unlessSame } from './pages.ts';
import { applied, preferences } from './form/prefer.ts';
import { requireOptions } from './form/query-options.ts';
import { annotated, warningsHeader, withWarnings } from './form/warnings.ts';

/** Returns the body of an answer that consists of one row. */
function singleRow({ resource }: AnyServed, request: ApiRequest, row: AnyRow, context = resource.name): AnyRow {
  return { '@odata.context': contextUrl(request, `${context}/$entity`), ...(request.form.ieee754 ? longsAsText(resource, row) : row) };
}

/** Returns a row, with its ETag, as a list of rows contains it. */
function rowOfMany({ resource }: AnyServed, request: ApiRequest, row: AnyRow): AnyRow {
  const etag = etagOf(row);
  return { ...(etag === undefined ? {} : { '@odata.etag': etag }), ...(request.form.ieee754 ? longsAsText(resource, row) : row) };
}

/** Returns the answer with a whole row and its ETag, in the body and as a header. */
function wholeRow(served: AnyServed, request: ApiRequest, row: AnyRow, answer: Omit<ApiAnswer, 'body'> = { status: 200 }): ApiAnswer {
  const etag = etagOf(row);
  const { '@odata.context': context, ...rest } = singleRow(served, request, row);
  if (etag === undefined) return { ...answer, body: { '@odata.context': context, ...rest } };
  const full = { ...answer, body: { '@odata.context': context, '@odata.etag': etag, ...rest } };
  return answer.status === 200 && (request.method === 'GET' || request.method === 'HEAD')
    ? unlessSame(request, etag, full)
    : { ...full, headers: { ...answer.headers, etag } };
}

export async function answerRow(ctx: Ctx, served: AnyServed, request: ApiRequest, key: string): Promise<ApiAnswer> {
  const { resource } = served;
  const value = parseKey(served, key);
  if (request.rawQuery === '') return wholeRow(served, request, await get(ctx, served, value));
  requireOptions(request.rawQuery, isSystemOption);
  const options = parseOptions(request.rawQuery);
  const ofSets = (['apply', 'filter', 'search', 'orderby', 'top', 'skip', 'skiptoken', 'count'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (ofSets)
    throw new ApiError('InvalidQueryOption', `$${ofSets} applies to a list, and this address is one row. Leave it out.`, {
      target: `$${ofSets}`,
    });
  const page = await list(ctx, served, `${request.rawQuery}&$filter=${resource.key} eq ${value}`, { wire: true });
  const [first] = page.value;
  if (!first) throw await missingRow(ctx, served, value);
  const answer = { status: 200, body: singleRow(served, request, first, page.context) };
  const etag = first['@odata.etag'];
  if (typeof etag !== 'string') return answer;
  // One ETag in header and body, that of the row: clients compare it with the ETag of a list, and send it in If-Match. It says
  // nothing of related rows, so an answer with them is sent again although its ETag is the same.
  const isOfRow = options.expand === undefined && options.compute === undefined;
  return isOfRow ? unlessSame(request, etag, answer) : { ...answer, headers: { etag } };
}

/** Returns the answer with the row after a write, or only its address for a client that prefers that. */
function answerWrite(served: AnyServed, row: AnyRow, request: ApiRequest, status: 200 | 201, warnings: readonly Warning[] = []): ApiAnswer {
  const { name, key } = served.resource;
  const address = `${request.origin}/v1/${name}(${String(row[key])})`;
  const prefer = preferences(header(request, 'prefer')).return;
  const headers = {
    ...applied(prefer && `return=${prefer}`),
    ...(status === 201 ? { location: address } : {}),
    ...warningsHeader(warnings),
    'odata-entityid': address,
  };
  const { body, ...answer } = wholeRow(served, request, row, { status, headers });
  return prefer === 'minimal' ? { ...answer, status: 204 } : { ...answer, body: { ...(body as object), ...annotated(warnings, row[key]) } };
}

/**
 * Returns the body, with keys in the place of addresses, and 64-bit numbers parsed from text when the client's content
 * type says so.
 */
function bodyOf({ resource }: AnyServed, request: ApiRequest): unknown {
  const longsInText = /ieee754compatible=true/i.test(header(request, 'content-type') ?? '');
  return withBoundKeys(resource, longsInText ? textAsLongs(resource, request.body) : request.body);
}

/** The value that the address of a related list gives to a field of its new rows. */
interface RowLink {
  field: string;
  value: unknown;
}

/** Returns the body with the link of the address; throws 400 for one that names another row. */
function linked({ resource }: AnyServed, body: unknown, { field, value }: RowLink): unknown {
  if (!isObject(body)) return body;
  const sent = Object.keys(body).find((name) => fieldName(resource, name) === field);
  const to = sent === undefined ? undefined : body[sent];
  // Keys are numbers or GUIDs, which may be written in capitals.
  if (to !== undefined && to !== null && String(to).toLowerCase() !== String(value).toLowerCase())
    throw validationFailed([{ target: field, message: `${field} is ${String(value)} by the address. Leave it out, or send this value.` }]);
  return { ...(sent === undefined ? body : Object.fromEntries(Object.entries(body).filter(([name]) => name !== sent))), [field]: value };
}

/** Answers a create; `link` is given where the address is that of a related list. */
export async function answerCreate(ctx: Ctx, served: AnyServed, request: ApiRequest, link?: RowLink): Promise<ApiAnswer> {
  if (header(request, 'if-match') !== undefined)
    throw new ApiError('PreconditionFailed', 'A new row has no version yet.', { target: 'If-Match' });
  const body = link ? linked(served, bodyOf(served, request), link) : bodyOf(served, request);
  const createWithSecret = createsWithSecret[served.resource.name];
  const warned = withWarnings(ctx);
  if (!createWithSecret) return answerWrite(served, await createFromBody(warned, served, body), request, 201, warned.warnings);
  // The secret is shown only once, even if the client prefers no body, and no cache may store it.
  const { prefer: _prefer, ...headers } = request.headers;
  const answer = answerWrite(served, await createWithSecret(ctx, body), { ...request, headers }, 201);
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
}

export async function answerUpdate(ctx: Ctx, served: AnyServed, request: ApiRequest, key: string): Promise<ApiAnswer> {
  const body = bodyOf(served, request);
  const id = parseKey(served, key);
  if (/^application\/json-patch\+json/i.test(header(request, 'content-type') ?? '') && !Array.isArray(body))
    throw new ApiError('InvalidBody', 'A JSON Patch is an array of operations.');
  if (header(request, 'if-none-match') === '*') {
    await get(ctx, served, id);
    throw new ApiError(
      'PreconditionFailed',
      'The row exists already, and If-None-Match allows only a new row. Leave the header out to edit the row.',
      { target: 'If-None-Match' },
    );
  }
  const edit = request.method === 'PATCH' ? editOf(served.resource, body) : mergePatch(body);
  const warned = withWarnings(ctx);
  return answerWrite(served, await update(warned, served, id, edit, header(request, 'if-match')), request, 200, warned.warnings);
}

export async function answerBulkUpdate(ctx: Ctx, served: AnyServed, request: ApiRequest): Promise<ApiAnswer> {
  if (header(request, 'if-match') !== undefined)
    throw new ApiError('NotImplemented', 'If-Match applies to one row. In a bulk edit, send previousState instead.', {
      target: 'If-Match',
    });
  const body = bodyOf(served, request);
  const warned = withWarnings(ctx);
  const rows = (await bulkEditsOf[served.resource.name]?.(warned, body)) ?? (await updateMany(warned, served, bulkEdits(served, body)));
  const prefer = preferences(header(request, 'prefer')).return;
  const headers = { ...applied(prefer && `return=${prefer}`), ...warningsHeader(warned.warnings) };
  if (prefer === 'minimal') return { status: 204, headers };
  const context = contextUrl(request, served.resource.name);
  const annotatedRow = (row: AnyRow) => ({
    ...rowOfMany(served, request, row),
    ...annotated(warned.warnings, row[served.resource.key]),
  });
  return { status: 200, body: { '@odata.context': context, value: rows.map(annotatedRow) }, headers };
}

export async function answerRemove(ctx: Ctx, served: AnyServed, request: ApiRequest, key: string): Promise<ApiAnswer> {
  await remove(ctx, served, parseKey(served, key), header(request, 'if-match'));
  return { status: 204 };
}
