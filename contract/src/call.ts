/** What a caller of a declared call writes and gets, taken from the declaration by types alone: `calls.ts` brings no zod with it. */
import type { ResourceOf } from './action.ts';
import type { ListQuery } from './query/query-string.ts';
import type { Row } from './resource.ts';
import type { ExpandedRow } from './resources/expanded.ts';
import type { NamedResource } from './resources/registry.ts';

declare const declared: unique symbol;

/** A declared call as `METHOD path`, typed by its declaration `A`. */
export type CallTo<A> = string & { readonly [declared]: A };

/** A declared call whose declaration does not matter. */
export type AnyCall = CallTo<unknown>;

interface AnySchema {
  _zod: { input: unknown; output: unknown };
}

type Declaration<C> = C extends { readonly [declared]: infer A } ? A : never;
type InputSchema<A> = A extends { input: infer S extends AnySchema } ? S : never;
type DeclaredOutput<A> = A extends { output?: infer S }
  ? NonNullable<S> extends AnySchema
    ? NonNullable<S>['_zod']['output']
    : never
  : never;

/** What the caller writes of one value: the parsed type where the schema reads any text, as `z.coerce` does. */
type Written<In, Parsed> = { [K in keyof In]: unknown extends In[K] ? (K extends keyof Parsed ? Parsed[K] : In[K]) : In[K] };

/** The input of a call: parameters of its path and query, and properties of its body. A list also takes the options of lists. */
export type CallInput<C> = Written<InputSchema<Declaration<C>>['_zod']['input'], InputSchema<Declaration<C>>['_zod']['output']> &
  (Declaration<C> extends { of: infer Of extends string } ? { query?: ListQuery<NamedResource<Of>> } : unknown);

/** The properties that a declared answer has beside those of its row. */
type Beside<T> = { [K in keyof T as string extends K ? never : K extends symbol ? never : K]: Wire<T[K]> };

/** Values without rows. Their types are used as they are, because a mapped type of any JSON has no end. */
type PlainJson = string | number | boolean | null | undefined | readonly PlainJson[] | { readonly [key: string]: PlainJson };

/** The JSON of an answer, with the rows that it contains. */
type Wire<T> = T extends PlainJson
  ? T
  : unknown extends T
    ? T
    : [ResourceOf<T>] extends [never]
      ? { [K in keyof T]: Wire<T[K]> }
      : Row<NamedResource<ResourceOf<T>>> & Beside<T>;

/** The answer of a call as JSON; undefined for a call whose declaration has no `output`. */
export type CallOutput<C> =
  Declaration<C> extends { of: infer Of extends string }
    ? { value: ExpandedRow<NamedResource<Of>>[]; '@odata.count'?: number }
    : unknown extends DeclaredOutput<Declaration<C>>
      ? undefined
      : Wire<DeclaredOutput<Declaration<C>>>;
