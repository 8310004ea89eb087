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

export interface Action<I = unknown, O = unknown, Written = unknown> {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The whole path; `{x}` is a parameter. Matching ignores case, and a path under `/v1` works under `/api/v1` too. */
  path: `/v1/${string}` | `/api/${string}`;
  access: Access;
  /** What the call does, for the API description and the OData model; absent if the name says enough. */
  about?: string;
  /** Parameters of path and query, and the body's properties, as one object: `I` once parsed, `Written` as a caller writes them. */
  input: z.ZodType<I, Written>;
  /** The shape of the answer as JSON; absent when it is no JSON, or has no body (204). */
  output?: z.ZodType<O>;
  /** The content type of an answer that is no JSON, beside `output` or instead of it: a file, a picture, a stream. */
  content?: string;
  /**
   * A POST that changes nothing, used if the parameters need a body. Also allowed while an administrator sees the portal as
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

/** Names of the rate limits: for calls that need no sign-in, or that could reveal the whole directory of people. */
export type LimitName = 'access-request' | 'people-lookup' | 'wall';

declare const ofResource: unique symbol;

/** A row of the resource `Name` in a declared answer. `CallOutput` of call.ts turns it into the row's type. */
export type AnsweredRow<Name extends string = string> = Record<string, unknown> & { readonly [ofResource]?: Name };

/** The name of the resource of an `AnsweredRow`; never for any other type. */
export type ResourceOf<T> = typeof ofResource extends keyof T ? Extract<T[typeof ofResource], string> : never;

/** Returns the schema of a row of `resource` in an answer; API descriptions refer to the type of the resource. */
export function rowOf<const Name extends string>(resource: Name): z.ZodType<AnsweredRow<Name>> {
  return z.record(z.string(), z.unknown()).meta({ rowOf: resource });
}

/** Declares an action; keeps the exact types of its input and output. */
export function defineAction<I, Written, O = unknown>(action: Action<I, O, Written>): Action<I, O, Written> {
  return action;
}

/**
 * A list at a separate path, or an OData function that returns a list: the rows of the resource `of` that the server selects,
 * with all query options, count and paging of that resource.
 */
export interface List<I = unknown, Written = unknown, Of extends string = string> extends Action<I, unknown, Written> {
  method: 'GET';
  /** Name of the resource of the rows; the caller needs its view permission too. */
  of: Of;
}

/** Declares a list. The `input` of its handler has the parameters of path and query, never system options such as `$filter`. */
export function defineList<I, Written, const Of extends string>(list: Omit<List<I, Written, Of>, 'method'>): List<I, Written, Of> {
  return { ...list, method: 'GET' };
}

export function isList(action: Action): action is List {
  return 'of' in action;
}
