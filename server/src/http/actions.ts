/** Finds the action of a request, checks who may call it and what they send, and runs it. */
import { ApiError, forbidden, validationFailed } from '@cloudfit/contract/errors.ts';
import { isList, type Access } from '@cloudfit/contract/action.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { may, requireScope, type Ctx } from '../context/ctx.ts';
import type { Implemented } from '../resources/action.ts';
import { compilePattern, type ApiPath, type PathPattern } from './path.ts';

interface Route {
  implemented: Implemented;
  pattern: PathPattern;
}

export interface ActionMatch {
  implemented: Implemented;
  parameters: Record<string, string>;
}

export type ActionFinder = (method: string, path: ApiPath) => ActionMatch | 'other-method' | null;

/** Two actions at one path and method stop the start. */
export function actionFinder(all: readonly Implemented[]): ActionFinder {
  const routes = new Map<string, Route[]>();
  const seen = new Set<string>();
  for (const implemented of all) {
    const { method, path } = implemented.action;
    const [, root = '', rest = ''] = /^\/(v1|api)\/(.*)$/.exec(path) ?? [];
    const id = `${method} ${path.toLowerCase()}`;
    if (seen.has(id)) throw new Error(`Two actions answer ${id}.`);
    seen.add(id);
    const key = `${root} ${rest === '' ? 0 : rest.split('/').length}`;
    routes.set(key, [...(routes.get(key) ?? []), { implemented, pattern: compilePattern(rest) }]);
  }
  return (method, path) => {
    let other = false;
    for (const { implemented, pattern } of routes.get(`${path.root} ${path.segments.length}`) ?? []) {
      const parameters = pattern(path.segments);
      if (!parameters) continue;
      if (implemented.action.method === method) return { implemented, parameters };
      other = true;
    }
    return other ? 'other-method' : null;
  };
}

/** 403 unless the caller may call it at all. */
export function requireAccess(ctx: Ctx, access: Access): void {
  if (access === 'anonymous' || access === 'signed-in') return;
  if ('area' in access) requireScope(ctx, access.area, access.verb);
  else if ('anyOf' in access) {
    if (!access.anyOf.some((wanted) => may(ctx, wanted))) throw forbidden(`You do not have the permission ${access.anyOf.join(' or ')}.`);
  } else if (ctx.actor.kind !== 'token' || !ctx.actor.scopes.includes(access.scope))
    throw forbidden(`This call needs a token with the scope ${access.scope}.`);
}

/** Path, query and body as the one input that the action declares; a body that is a list arrives as `items`. */
export function parseActionInput(match: ActionMatch, path: ApiPath, body: unknown): unknown {
  const { action } = match.implemented;
  const query = Object.fromEntries(isList(action) ? parseOptions(path.rawQuery).custom : new URLSearchParams(path.rawQuery));
  if (body !== undefined && (typeof body !== 'object' || body === null))
    throw new ApiError('InvalidBody', 'The body must be a JSON object or a list.');
  const parsed = action.input.safeParse({ ...query, ...(Array.isArray(body) ? { items: body } : body), ...match.parameters });
  if (parsed.success) return parsed.data;
  throw validationFailed(
    parsed.error.issues.slice(0, limits.reasons).map((issue) => ({ target: issue.path.join('.'), message: issue.message })),
  );
}
