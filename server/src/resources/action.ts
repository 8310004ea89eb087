/** The server's half of an action: its implementation. The HTTP layer checks access and input before it runs. */
import type { RawBuilder } from 'kysely';
import type { Action, List } from '@cloudfit/contract/action.ts';
import type { Ctx } from '../context/ctx.ts';

export interface ImplementedAction {
  action: Action;
  run: (ctx: Ctx, input: never) => unknown;
  /** For a list: condition on the rows of the resource; `t` is the alias of the table. */
  narrow?: RowCondition<never>;
  /** For a list: additional properties of each row besides the resource's fields. */
  beside?: RowProperties<never>;
}

type RowCondition<I> = (ctx: Ctx, input: I, t: string) => RawBuilder<boolean> | Promise<RawBuilder<boolean>>;

type RowProperties<I> = (ctx: Ctx, input: I, narrow: RawBuilder<boolean>) => Promise<Record<string, unknown>>;

/** An action returns this to answer a text that is not JSON. */
export class TextAnswer {
  readonly contentType: string;
  readonly text: string;
  constructor(contentType: string, text: string) {
    this.contentType = contentType;
    this.text = text;
  }
}

/** Binds an action to its function; the declaration gives the types of input and answer. */
export function implement<I, O>(action: Action<I, O>, run: (ctx: Ctx, input: I) => O | Promise<O>): ImplementedAction {
  return { action: action as Action, run };
}

/**
 * Binds a list to its condition on rows. The engine adds scope, `rowsFor`, permissions, query options and paging, so
 * `narrow` has only the condition of the path. It may load a row by `get` first, so that a row that the caller cannot
 * see answers 404.
 */
export function implementList<I>(list: List<I>, narrow: RowCondition<I>, beside?: RowProperties<I>): ImplementedAction {
  const run = (): never => {
    throw new Error(`${list.name} is answered as a list.`);
  };
  return { action: list as Action, run, narrow, ...(beside ? { beside } : {}) };
}
