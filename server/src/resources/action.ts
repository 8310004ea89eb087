/** The server's half of an action: what it does. The HTTP room checks access and input before it runs. */
import type { Action } from '@cloudfit/contract/action.ts';
import type { Ctx } from '../ctx.ts';

export interface Implemented {
  action: Action;
  run: (ctx: Ctx, input: never) => unknown;
}

/** Binds an action to its function; input and answer are typed by the declaration. */
export function implement<I, O>(action: Action<I, O>, run: (ctx: Ctx, input: I) => O | Promise<O>): Implemented {
  return { action: action as Action, run };
}
