/** A call that is not list, create, update or delete, declared once for server, portal and documentation. */
import { z } from 'zod';
import type { Area, Permission, PermissionVerb } from './permissions.ts';

/**
 * Who may call: anyone, any signed-in caller, a token with a scope, or a caller with one of the permissions in any tenant. The
 * action itself checks the tenant of the row.
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
  /** What the call does, for readers of the API description and of the model; absent where the name says enough. */
  about?: string;
  /** Parameters of path and query, and the body's properties, as one object. */
  input: z.ZodType<I>;
  /** The shape of the answer; absent when the action writes the answer itself (streams, images). */
  output?: z.ZodType<O>;
  /**
   * A POST that changes nothing, used where the parameters need a body. Also allowed while an administrator sees the portal as
   * another person.
   */
  reads?: true;
  /** Marks an answer with a secret, which no cache may store. */
  noStore?: true;
  /** Honours `Idempotency-Key`: a repeated call runs once and gets the same answer. The work is one transaction. */
  repeatable?: true;
  /** The rate limit of the call, which all servers count together; 429 above it (`server/src/http/rate-limit.ts`). */
  limit?: LimitName;
}

/** Limits of calls that need no sign-in, or that could reveal the whole directory of people. */
export type LimitName = 'access-request' | 'people-lookup';

/** A row of a resource in an answer; descriptions of the API name its type. */
export function rowOf(resource: string) {
  return z.record(z.string(), z.unknown()).meta({ rowOf: resource });
}

/** Keeps the exact types of input and output. */
export function defineAction<I, O = unknown>(action: Action<I, O>): Action<I, O> {
  return action;
}

/**
 * A list at a separate path, or a bound function that answers a list: rows of the resource `of` that the server narrows, with all
 * query options, count and paging of that resource.
 */
export interface List<I = unknown> extends Action<I> {
  method: 'GET';
  /** Name of the resource of the rows; the caller needs its view permission too. */
  of: string;
}

/** Declares a list. The `input` of its handler has the parameters of path and query, never system options such as `$filter`. */
export function defineList<I>(list: Omit<List<I>, 'method'>): List<I> {
  return { ...list, method: 'GET' };
}

export function isList(action: Action): action is List {
  return 'of' in action;
}
