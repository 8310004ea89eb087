/** The text that every row which a condition matches contains, so that an index of texts can answer the condition. */
import type { Resource } from '../resource.ts';
import { evaluate } from './match.ts';
import { folded, shortestNeeded } from './text.ts';
import type { Tree } from './tree.ts';

/** The text of a constant such as `'A'` or `folded('A')`, from which `contains` makes a pattern; undefined for other trees. */
export function constantText(tree: Tree): string | undefined {
  const constant =
    tree.k === 'literal' || (tree.k === 'call' && /^(?:tolower|toupper|folded)$/.test(tree.fn) && tree.args[0]?.k === 'literal');
  const value = constant ? evaluate(tree, {}, new Date(0)) : null;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a function only changes case and accents. */
export const isFolding = (fn: string): boolean => fn === 'tolower' || fn === 'folded';

/** Whether the tree is a searched text of the row, plain, in lower case or folded. `of`: the variable of the row. */
function isSearched(tree: Tree | undefined, resource: Resource, of: string | undefined): boolean {
  if (tree?.k === 'call' && isFolding(tree.fn)) return isSearched(tree.args[0], resource, of);
  if (tree?.k !== 'path' || tree.of !== of || tree.path.length !== 1) return false;
  const field = resource.fields[tree.path[0] ?? ''];
  return field?.search === true && field.kind === 'text';
}

/** Text that the searched fields of every matching row of `tree` contain, once both are folded; undefined when there is no such text. */
export function neededText(tree: Tree, resource: Resource, of?: string): string | undefined {
  const text = searchedText(tree, resource, of);
  return text === undefined ? undefined : folded(text);
}

function searchedText(tree: Tree, resource: Resource, of: string | undefined): string | undefined {
  switch (tree.k) {
    case 'call': {
      const [field, text] = tree.args;
      if (!/^(contains|startswith|endswith)$/.test(tree.fn) || !text || !isSearched(field, resource, of)) return undefined;
      return constantText(text);
    }
    case 'compare':
      return tree.op === 'eq' && isSearched(tree.left, resource, of) ? constantText(tree.right) : undefined;
    case 'or': {
      const [first, ...others] = tree.of.map((part) => neededText(part, resource, of));
      return others.every((other) => other === first) ? first : undefined;
    }
    case 'and':
      return tree.of.map((part) => neededText(part, resource, of)).find((text) => text !== undefined && text.length >= shortestNeeded);
    default:
      return undefined;
  }
}
