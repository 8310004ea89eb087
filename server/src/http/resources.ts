/** The routes of every resource: list, one row, create, update, patch, delete. */
import { createHash } from 'node:crypto';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Verb } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../context/ctx.ts';
import { countRows, list } from '../resources/list.ts';
import { bulkEdits, updateMany } from '../resources/bulk.ts';
import { createFromBody } from '../resources/create.ts';
import { get, parseKey, etagOf } from '../resources/get.ts';
import { type AnyRow, servedNamed, type AnyServed } from '../resources/served.ts';
import { editOf, mergePatch } from '../resources/patch.ts';
import { remove } from '../resources/remove.ts';
import { update } from '../resources/update.ts';
import { contextUrl, header, type Answer, type Asked } from './answer.ts';
import { longsAsText, textAsLongs } from './ieee754.ts';
import { answerPage, unlessSame } from './pages.ts';
import { splitKey, type ApiPath } from './path.ts';
import { applied, preferences } from './prefer.ts';

interface Target {
  served: AnyServed;
  key: string | null;
}

/** The resource that a path names, or null. */
export function resourceTarget(path: ApiPath): Target | null {
  const [first = '', second, ...more] = path.segments;
  if (path.root !== 'v1' || more.length > 0) return null;
  const { name, key } = splitKey(first);
  const resource = findResource(name);
  if (!resource || (key !== null && second !== undefined)) return null;
  return { served: servedNamed(resource.name), key: key ?? second ?? null };
}

const verbOf: Record<string, Verb> = { GET: 'list', HEAD: 'list', PUT: 'create', POST: 'update', PATCH: 'update', DELETE: 'delete' };

function requireVerb(served: AnyServed, method: string, key: string | null): void {
  // POST on the set is how clients of the standard create.
  const verb = method === 'POST' && key === null ? 'create' : verbOf[method];
  const fits = verb === 'list' || (verb === 'create' ? key === null : key !== null || method === 'PATCH');
  if (verb && fits && served.resource.verbs.includes(verb)) return;
  throw new ApiError('MethodNotAllowed', `${method} is not offered for ${served.resource.plural}${key === null ? '' : ' by key'}.`);
}

async function one(ctx: Ctx, served: AnyServed, key: string, asked: Asked): Promise<Answer> {
  const { resource } = served;
  const value = parseKey(served, key);
  if (asked.path.rawQuery === '') return whole(served, asked, await get(ctx, served, value));
  if (parseOptions(asked.path.rawQuery).apply !== undefined)
    throw new ApiError('InvalidQueryOption', '$apply needs a set of rows, not one.', { target: '$apply' });
  const page = await list(ctx, served, `${asked.path.rawQuery}&$filter=${resource.key} eq ${value}`, { wire: true });
  const [found] = page.value;
  if (!found) throw notFound(resource.label);
  const row = entity(served, asked, found, page.context);
  const own = typeof row['@odata.etag'] === 'string' ? row['@odata.etag'].slice(3, -1) : 'x';
  // A part of the row, or rows beside it: the ETag begins with the row's own, which If-Match asks for.
  return unlessSame(asked, `W/"${own}-${createHash('sha1').update(JSON.stringify(row)).digest('base64url')}"`, { status: 200, body: row });
}

/** A row as the one thing that an answer holds. */
function entity({ resource }: AnyServed, asked: Asked, row: AnyRow, context = resource.name): AnyRow {
  return { '@odata.context': contextUrl(asked, `${context}/$entity`), ...(asked.form.ieee754 ? longsAsText(resource, row) : row) };
}

/** A whole row with its ETag, in the body and as a header. */
function whole(served: AnyServed, asked: Asked, row: AnyRow, answer: Omit<Answer, 'body'> = { status: 200 }): Answer {
  const etag = etagOf(row);
  const { '@odata.context': context, ...rest } = entity(served, asked, row);
  if (etag === undefined) return { ...answer, body: { '@odata.context': context, ...rest } };
  const full = { ...answer, body: { '@odata.context': context, '@odata.etag': etag, ...rest } };
  return answer.status === 200 && (asked.method === 'GET' || asked.method === 'HEAD')
    ? unlessSame(asked, etag, full)
    : { ...full, headers: { ...answer.headers, etag } };
}

/** What a write answers: the row, or nothing but where it is for a client that prefers that. */
function written(served: AnyServed, row: AnyRow, asked: Asked, status: 200 | 201): Answer {
  const { name, key } = served.resource;
  const address = `${asked.origin}/v1/${name}(${String(row[key])})`;
  const prefer = preferences(header(asked, 'prefer')).return;
  const headers = { ...applied(prefer && `return=${prefer}`), ...(status === 201 ? { location: address } : {}), 'odata-entityid': address };
  const answer = whole(served, asked, row, { status, headers });
  if (prefer !== 'minimal') return answer;
  return { status: 204, headers: { ...answer.headers } };
}

/** How many rows a set has, `$filter` and `$apply` minded. */
export function countResource(ctx: Ctx, { served, key }: Target, path: ApiPath): Promise<number> {
  if (key !== null) throw new ApiError('NotFound', 'There is nothing at this address.');
  requireVerb(served, 'GET', null);
  return countRows(ctx, served, path.rawQuery);
}

/** A row as one of several that an answer holds. */
function tagged(served: AnyServed, asked: Asked, row: AnyRow): AnyRow {
  const etag = etagOf(row);
  return { ...(etag === undefined ? {} : { '@odata.etag': etag }), ...(asked.form.ieee754 ? longsAsText(served.resource, row) : row) };
}

/** Edits many rows at once. */
async function many(ctx: Ctx, served: AnyServed, asked: Asked, body: unknown): Promise<Answer> {
  if (header(asked, 'if-match') !== undefined)
    throw new ApiError('NotImplemented', 'If-Match names one row; a bulk edit tests by previousState.', { target: 'If-Match' });
  const rows = await updateMany(ctx, served, bulkEdits(served, body));
  const prefer = preferences(header(asked, 'prefer')).return;
  const headers = applied(prefer && `return=${prefer}`);
  if (prefer === 'minimal') return { status: 204, headers };
  return {
    status: 200,
    body: { '@odata.context': contextUrl(asked, served.resource.name), value: rows.map((row) => tagged(served, asked, row)) },
    headers,
  };
}

/** Answers a request on a resource. */
export async function answerResource(ctx: Ctx, target: Target, asked: Asked): Promise<Answer> {
  const { served, key } = target;
  const { method } = asked;
  requireVerb(served, method, key);
  const ifMatch = header(asked, 'if-match');
  const longsInText = /ieee754compatible=true/i.test(header(asked, 'content-type') ?? '');
  const body = longsInText ? textAsLongs(served.resource, asked.body) : asked.body;
  if (key === null) {
    if (method === 'PATCH') return many(ctx, served, asked, body);
    if (method !== 'PUT' && method !== 'POST') return answerPage(ctx, served, asked);
    if (ifMatch !== undefined) throw new ApiError('PreconditionFailed', 'A new row has no version yet.', { target: 'If-Match' });
    if (!served.make) return written(served, await createFromBody(ctx, served, body), asked, 201);
    // What is shown this once is shown, whatever the client prefers, and kept nowhere on its way.
    const { prefer: _prefer, ...headers } = asked.headers;
    const answer = written(served, await served.make(ctx, body), { ...asked, headers }, 201);
    return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
  }
  if (method === 'GET' || method === 'HEAD') return one(ctx, served, key, asked);
  const id = parseKey(served, key);
  if (method === 'DELETE') {
    await remove(ctx, served, id, ifMatch);
    return { status: 204 };
  }
  const edit = method === 'PATCH' ? editOf(served.resource, body) : mergePatch(body);
  return written(served, await update(ctx, served, id, edit, ifMatch), asked, 200);
}
