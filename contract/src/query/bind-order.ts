/** Sort keys and page sizes, which `$orderby`, `$expand` and `$apply` share. */
import { limits } from '../limits.ts';
import type { OrderNode } from './ast.ts';
import { bindValue } from './bind-filter.ts';
import type { Binding } from './binding.ts';
import { wholeNumber } from './options.ts';
import { complaint } from './parse.ts';
import type { OrderKey } from './tree.ts';

export function bindOrderBy(b: Binding, nodes: readonly OrderNode[]): OrderKey[] {
  if (nodes.length > limits.orderByKeys)
    throw complaint(b.option, 'TooComplex', `More than ${limits.orderByKeys} sort keys are given.`, nodes[limits.orderByKeys]?.pos);
  return nodes.map(({ of, descending }) => ({ of: bindValue({ ...b, use: 'sort' }, of), descending }));
}

/** Parses the number of `top` or `skip`; throws for an invalid number, and for a `skip` above `limits.skipMax`. */
export function bindSize(b: Binding, name: 'top' | 'skip', text: string, pos: number): number {
  const value = wholeNumber(text);
  if (value === undefined) throw complaint(b.option, 'invalid', `$${name} is a whole number, 0 or more.`, pos);
  if (name === 'skip' && value > limits.skipMax) throw complaint(b.option, 'TooComplex', `$skip is at most ${limits.skipMax}.`, pos);
  return value;
}
