/** A call that is not list, create, update or delete, declared once for server, portal and documentation. */
import type { z } from 'zod';
import type { Area, Permission, PermissionVerb } from './permissions.ts';

/**
 * Who may call: anyone, whoever is signed in, holders of a token with a scope, or holders of a
 * permission or of one of several (somewhere; the action itself looks at the row's tenant).
 */
export type Access =
  | 'anonymous'
  | 'signed-in'
  | { scope: 'agent' | 'ingest' }
  | { area: Area; verb: PermissionVerb }
  | { anyOf: readonly Permission[] };

export interface Action<I = unknown, O = unknown> {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root; `{x}` is one parameter. Matched without case; `/v1` answers under `/api/v1` too. */
  path: `/v1/${string}` | `/api/${string}`;
  access: Access;
  /** A GET that changes something, as the spec has some: HEAD is refused. */
  effects?: boolean;
  /** Parameters of path and query, and the body's properties, as one object. */
  input: z.ZodType<I>;
  /** The answer's shape; absent when the action writes its own answer (streams, pictures). */
  output?: z.ZodType<O>;
  /** The answer holds a secret: nothing on its way may keep it. */
  noStore?: true;
  /** It creates something: sent twice with one `Idempotency-Key`, it runs once and answers alike. Its work is one transaction. */
  repeatable?: true;
  /** Counted on all servers together; 429 when there were too many (`server/src/http/rate-limit.ts`). */
  limit?: LimitName;
}

/** Limits of calls that need no sign-in, or that would hand out a whole directory. */
export type LimitName = 'access-request' | 'people-lookup';

/** Keeps the exact types of input and output. */
export function defineAction<I, O = unknown>(action: Action<I, O>): Action<I, O> {
  return action;
}

/**
 * A list at a path of its own, or a bound function that answers one: rows of the resource `of`, narrowed by the
 * server, with all query options, count and paging of that resource.
 */
export interface List<I = unknown> extends Action<I> {
  method: 'GET';
  /** Name of the resource whose rows are answered; its own view permission is asked too. */
  of: string;
}

/** `input` takes the parameters of the path and the query's own ones, never system options as `$filter`. */
export function defineList<I>(list: Omit<List<I>, 'method'>): List<I> {
  return { ...list, method: 'GET' };
}

export function isList(action: Action): action is List {
  return 'of' in action;
}
