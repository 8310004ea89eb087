/** The routes of every resource: list, one row, create, update, patch, delete. */
import { isList } from '@cloudfit/contract/action.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Verb } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../ctx.ts';
import type { Implemented } from '../resources/action.ts';
import { create } from '../resources/create.ts';
import { get, parseKey } from '../resources/get.ts';
import { list, listText, type PageText } from '../resources/list.ts';
import { editOf, mergePatch } from '../resources/patch.ts';
import { remove } from '../resources/remove.ts';
import { servedOf, type Served } from '../resources/served.ts';
import { update } from '../resources/update.ts';
import { splitKey, type ApiPath } from './path.ts';

export interface Answer {
  status: number;
  body?: unknown;
  /** A body that is JSON text already. */
  json?: string;
  headers?: Record<string, string>;
}

interface Target {
  served: Served;
  key: string | null;
}

/** The resource that a path names, or null. */
export function resourceTarget(path: ApiPath): Target | null {
  const [first = '', second, ...more] = path.segments;
  if (path.root !== 'v1' || more.length > 0) return null;
  const { name, key } = splitKey(first);
  const resource = findResource(name);
  if (!resource || (key !== null && second !== undefined)) return null;
  return { served: servedOf(resource.name), key: key ?? second ?? null };
}

const verbOf: Record<string, Verb> = { GET: 'list', HEAD: 'list', PUT: 'create', POST: 'update', PATCH: 'update', DELETE: 'delete' };

function requireVerb(served: Served, method: string, key: string | null): void {
  const verb = verbOf[method];
  const fits = verb === 'list' || (verb === 'create' ? key === null : key !== null);
  if (verb && fits && served.resource.verbs.includes(verb)) return;
  throw new ApiError('MethodNotAllowed', `${method} is not offered for ${served.resource.plural}${key === null ? '' : ' by key'}.`);
}

function pageText(page: PageText, path: ApiPath, origin: string): string {
  const count = page.count === undefined ? '' : `"@odata.count":${page.count},`;
  const next = page.nextSkip === undefined ? '' : `,"@odata.nextLink":${JSON.stringify(nextLink(path, page.nextSkip, origin))}`;
  return `{${count}"value":${page.value}${next}}`;
}

function nextLink(path: ApiPath, skip: number, origin: string): string {
  const query = path.rawQuery.split('&').filter((part) => part !== '' && !/^(\$|%24)?skip=/i.test(part));
  const segments = path.segments.map((s) => encodeURIComponent(s).replaceAll(/%(3D|2C|40|24)/g, decodeURIComponent));
  return `${origin}/${path.root}/${segments.join('/')}?${[...query, `$skip=${skip}`].join('&')}`;
}

async function one(ctx: Ctx, served: Served, key: string, path: ApiPath): Promise<unknown> {
  const { resource } = served;
  const value = parseKey(served, key);
  if (path.rawQuery === '') return get(ctx, served, value);
  const page = await list(ctx, served, `${path.rawQuery}&$filter=${resource.key} eq ${value}`);
  const row = page.value[0];
  if (!row) throw notFound(resource.label);
  return row;
}

function location(served: Served, row: Record<string, unknown>, origin: string): string {
  const { name, key } = served.resource;
  return `${origin}/v1/${name}(${String(row[key])})`;
}

/** Answers a list that has a path of its own. */
export async function answerList(ctx: Ctx, list: Implemented, input: unknown, path: ApiPath, origin: string): Promise<Answer> {
  const { action, narrow } = list;
  if (!narrow || !isList(action)) throw new Error(`${action.name} is no list.`);
  const condition = await narrow(ctx, input as never, 't');
  return { status: 200, json: pageText(await listText(ctx, servedOf(action.of), path.rawQuery, condition), path, origin) };
}

/** Answers a request on a resource. `origin` is the server's public address, for absolute links. */
export async function answerResource(
  ctx: Ctx,
  target: Target,
  method: string,
  path: ApiPath,
  body: unknown,
  origin: string,
): Promise<Answer> {
  const { served, key } = target;
  requireVerb(served, method, key);
  if (key === null) {
    if (method === 'PUT') {
      const row = await (served.make ? served.make(ctx, body) : create(ctx, served, body));
      return { status: 201, body: row, headers: { location: location(served, row, origin) } };
    }
    return { status: 200, json: pageText(await listText(ctx, served, path.rawQuery), path, origin) };
  }
  const id = method === 'GET' || method === 'HEAD' ? key : parseKey(served, key);
  if (method === 'POST') return { status: 200, body: await update(ctx, served, id, mergePatch(body)) };
  if (method === 'PATCH') return { status: 200, body: await update(ctx, served, id, editOf(served.resource, body)) };
  if (method === 'DELETE') {
    await remove(ctx, served, id);
    return { status: 204 };
  }
  return { status: 200, body: await one(ctx, served, key, path) };
}
