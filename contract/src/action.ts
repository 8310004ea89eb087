/** A call that is not list, create, update or delete, declared once for server, portal and documentation. */
import type { z } from 'zod';
import type { Area, PermissionVerb } from './permissions.ts';

/**
 * Who may call: anyone, whoever is signed in, holders of a token with a scope, or holders of a
 * permission (somewhere; the action itself looks at the row's tenant).
 */
export type Access = 'anonymous' | 'signed-in' | { scope: 'agent' | 'ingest' } | { area: Area; verb: PermissionVerb };

export interface Action<I = unknown, O = unknown> {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root; `{x}` is one parameter. Matched without case; `/v1` answers under `/api/v1` too. */
  path: `/v1/${string}` | `/api/${string}`;
  access: Access;
  /** Parameters of path and query, and the body's properties, as one object. */
  input: z.ZodType<I>;
  /** The answer's shape; absent when the action writes its own answer (streams, pictures). */
  output?: z.ZodType<O>;
}

/** Keeps the exact types of input and output. */
export function defineAction<I, O = unknown>(action: Action<I, O>): Action<I, O> {
  return action;
}
