/** The server's half of an action: its implementation. The HTTP layer checks access and input before it runs. */
import type { RawBuilder } from '../db/sql.ts';
import type { Action, List } from '@cloudfit/contract/action.ts';
import type { Ctx } from '../context/ctx.ts';
import type { CsvFile } from './csv.ts';

/** Returns the input of a call, parsed by the schema of its action. */
export type ParseInput = <I>(action: Action<I>) => I;

export interface ImplementedCall {
  action: Action;
  /** Parses the input of a call, and returns the function that runs it. */
  bind: (parse: ParseInput) => (ctx: Ctx) => unknown;
}

export interface ImplementedList {
  action: List;
  /** Parses the input of a call, and returns the function for its condition on rows. */
  bindRows: (parse: ParseInput) => RowCondition;
  /** Additional properties of each row besides the resource's fields. */
  beside?: RowProperties;
}

export type ImplementedAction = ImplementedCall | ImplementedList;

/** Returns a condition on the rows of the resource; `t` is the alias of the table. */
export type RowCondition = (ctx: Ctx, t: string) => RawBuilder<boolean> | Promise<RawBuilder<boolean>>;

/** `count` returns the number of rows without query options. */
type RowProperties = (count: () => Promise<number>) => Promise<Record<string, unknown>>;

/** An action returns this to answer a text that is not JSON. */
export class TextAnswer {
  readonly contentType: string;
  readonly text: string;
  constructor(contentType: string, text: string) {
    this.contentType = contentType;
    this.text = text;
  }
}

/** The declared output, or an answer in another form. */
type ActionAnswer<O> = O | CsvFile | TextAnswer;

/** Binds an action to its function; the declaration gives the types of input and answer. */
export function implement<I, O>(
  action: Action<I, O>,
  run: (ctx: Ctx, input: I) => ActionAnswer<NoInfer<O>> | Promise<ActionAnswer<NoInfer<O>>>,
): ImplementedCall {
  const bind = (parse: ParseInput) => {
    const input = parse(action);
    return (ctx: Ctx) => run(ctx, input);
  };
  return { action: action as Action, bind };
}

/**
 * Binds a list to its condition on rows. The engine adds scope, `rowsFor`, permissions, query options and paging, so
 * `narrow` has only the condition of the path. It may load a row by `get` first, so that a row that the caller cannot
 * see answers 404.
 */
export function implementList<I>(
  list: List<I>,
  narrow: (ctx: Ctx, input: I, t: string) => ReturnType<RowCondition>,
  beside?: RowProperties,
): ImplementedList {
  const bindRows = (parse: ParseInput): RowCondition => {
    const input = parse(list);
    return (ctx, t) => narrow(ctx, input, t);
  };
  return { action: list as List, bindRows, ...(beside ? { beside } : {}) };
}
