/** The server's half of an action: what it does. The HTTP room checks access and input before it runs. */
import type { RawBuilder } from 'kysely';
import type { Action, List } from '@cloudfit/contract/action.ts';
import type { Ctx } from '../context/ctx.ts';

export interface Implemented {
  action: Action;
  run: (ctx: Ctx, input: never) => unknown;
  /** Of a list: which rows of the resource it answers; `t` is the alias of the table. */
  narrow?: Narrow<never>;
  /** Of a list: what each of its rows carries beside the resource's own fields. */
  beside?: Beside<never>;
}

type Narrow<I> = (ctx: Ctx, input: I, t: string) => RawBuilder<boolean> | Promise<RawBuilder<boolean>>;

type Beside<I> = (ctx: Ctx, input: I, narrow: RawBuilder<boolean>) => Promise<Record<string, unknown>>;

/** Binds an action to its function; input and answer are typed by the declaration. */
export function implement<I, O>(action: Action<I, O>, run: (ctx: Ctx, input: I) => O | Promise<O>): Implemented {
  return { action: action as Action, run };
}

/**
 * Binds a list to its condition on rows. The engine adds scope, `rowsFor`, rights, query options and paging, so
 * `narrow` says only what the path means; it may load a row by `get` first, so that what the caller cannot see is 404.
 */
export function implementList<I>(list: List<I>, narrow: Narrow<I>, beside?: Beside<I>): Implemented {
  const run = (): never => {
    throw new Error(`${list.name} is answered as a list.`);
  };
  return { action: list as Action, run, narrow, ...(beside ? { beside } : {}) };
}
