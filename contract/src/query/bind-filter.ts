/** Turns syntax nodes into the typed tree: looks up names, checks types and the use of fields, limits sizes. */
import type { Kind, Resource } from '../resource.ts';
import { limits } from '../limits.ts';
import type { CountNode, LambdaNode, LiteralNode, Node, PathNode } from './ast.ts';
import {
  aliasList,
  aliasLiteral,
  aliasNode,
  type Binding,
  type ResourceLookup,
  computedProperty,
  keyOfRelated,
  newBinding,
  resolve,
  resolveMany,
} from './binding.ts';
import { isSearch, type Signature, searchedByText, signatures, textSearches, unsupported } from './functions.ts';
import { coerce, fits, ownLiteral, type SpelledLiteral } from './literals.ts';
import { complaint, parseText } from './parse.ts';
import { type CompareOp, type Lambda, type Literal, type MathOp, type Tree, type Type, typeOf } from './tree.ts';

/** The type in which a kind of field is compared; json is not comparable. */
const typeOfKind: Partial<Record<Kind, Type>> = {
  guid: 'guid',
  bigint: 'bigint',
  int: 'int',
  decimal: 'decimal',
  text: 'text',
  boolean: 'boolean',
  timestamp: 'timestamp',
  time: 'duration',
};

/** Parses and binds one `$filter`; throws an `ApiError` with the offset of the fault. */
export function bindFilter(resource: Resource, text: string, find: ResourceLookup, aliases?: ReadonlyMap<string, string>): Tree {
  return bindCondition(newBinding(resource, find, aliases), parseText('Filter', text, '$filter'));
}

/** Binds an expression whose value is true or false. */
export function bindCondition(b: Binding, node: Node): Tree {
  return condition(b, node, bind(b, node, 1));
}

/** Binds an expression of any type; throws for the literal `null`. */
export function bindValue(b: Binding, node: Node): Tree {
  const tree = plain(bind(b, node, 1));
  if (typeOf(tree) === 'null') throw mismatch(b, node, 'A value is expected here, not null.');
  return tree;
}

function condition(b: Binding, node: Node, bound: Tree): Tree {
  const tree = settle(bound, 'boolean');
  if (tree && typeOf(tree) === 'boolean') return plain(tree);
  const hint = node.k === 'path' ? " Put what follows 'not' in brackets." : '';
  throw mismatch(b, node, `A condition is expected here, not a value of type ${typeOf(bound)}.${hint}`);
}

function mismatch(b: Binding, node: Node, message: string): Error {
  return complaint(b.option, 'TypeMismatch', message, node.pos);
}

/** Reads a literal as the type `target`; undefined when that is impossible. Any other tree is returned unchanged. */
function settle(tree: Tree, target: Type | 'number' | 'whole'): Tree | undefined {
  return tree.k === 'literal' ? coerce(tree, (tree as SpelledLiteral).text ?? '', target) : tree;
}

/** Removes the spelling of a literal, which is needed only to bind it. */
function plain(tree: Tree): Tree {
  return tree.k === 'literal' ? { k: 'literal', type: tree.type, value: tree.value } : tree;
}

function bind(b: Binding, node: Node, depth: number): Tree {
  if (depth > limits.treeDepth)
    throw complaint(b.option, 'TooComplex', `The expression is nested deeper than ${limits.treeDepth}.`, node.pos);
  if (++b.budget.nodes > limits.treeNodes)
    throw complaint(b.option, 'TooComplex', `The expression has more than ${limits.treeNodes} parts.`, node.pos);
  switch (node.k) {
    case 'literal':
      return bindLiteral(b, node);
    case 'alias':
      return bind(b, aliasNode(b, node.name, node.pos), depth + 1);
    case 'path':
      return bindPath(b, node);
    case 'and':
    case 'or':
      return bindChain(b, node, depth);
    case 'not':
      return { k: 'not', of: condition(b, node.of, bind(b, node.of, depth + 1)) };
    case 'negate':
      return bindNegate(b, node.of, depth);
    case 'compare':
      return bindCompare(b, node, depth);
    case 'math':
      return bindMath(b, node, depth);
    case 'in':
      return bindIn(b, node, depth);
    case 'call':
      return bindCall(b, node, depth);
    case 'any':
    case 'all':
      return bindLambda(b, node, depth);
    case 'count':
      return bindCount(b, node);
  }
}

function bindLiteral(b: Binding, node: LiteralNode): SpelledLiteral {
  const literal = ownLiteral(node);
  if (literal) return literal;
  const zone = node.kind === 'dateTime' && !/(z|[-+ ]\d\d:\d\d)$/i.test(node.text) ? ' It needs a time zone, such as Z.' : '';
  throw complaint(b.option, 'TypeMismatch', `'${node.text}' is not a valid value.${zone}`, node.pos);
}

function bindPath(b: Binding, node: PathNode): Tree {
  const computed = computedProperty(b, node);
  if (computed) return computed;
  const { field, nullable, path, of } = resolve(b, node);
  const type = typeOfKind[field.kind];
  if (!field[b.use] || !type) {
    const what = b.use === 'sort' ? 'sorted by' : `used in ${b.option === '$apply' ? '$apply' : 'a filter'}`;
    throw complaint(b.option, 'invalid', `The property '${node.path.join('/')}' cannot be ${what}.`, node.pos);
  }
  return { k: 'path', type, nullable, path, ...(of === undefined ? {} : { of }) };
}

function bindLambda(b: Binding, node: LambdaNode, depth: number): Lambda {
  const { k, pos, variable, where } = node;
  if (b.ranges.size >= limits.lambdaDepth)
    throw complaint(b.option, 'TooComplex', `'any' and 'all' are nested deeper than ${limits.lambdaDepth}.`, pos);
  const { target, path, of } = resolveMany(b, node);
  const rows = { path, ...(of === undefined ? {} : { of }) };
  if (variable === undefined || !where) {
    if (k === 'all') throw complaint(b.option, 'invalid', "'all' needs a variable and a condition.", pos);
    return { k, ...rows };
  }
  if (b.ranges.has(variable)) throw complaint(b.option, 'invalid', `The variable '${variable}' is used twice.`, pos);
  const ranges = new Map([...b.ranges, [variable, { resource: target, walked: new Map() }]]);
  const inside: Binding = { ...b, ranges };
  return { k, ...rows, variable, where: condition(inside, where, bind(inside, where, depth + 1)) };
}

function bindCount(b: Binding, node: CountNode): Tree {
  const { path, of } = resolveMany(b, node);
  return { k: 'count', path, ...(of === undefined ? {} : { of }) };
}

/** Flattens `(a or b) or c` into one chain of three, so that long chains are not deep. */
function bindChain(b: Binding, node: Node & { k: 'and' | 'or' }, depth: number): Tree {
  const of = node.of.flatMap((part) => {
    const tree = condition(b, part, bind(b, part, depth + 1));
    return tree.k === node.k ? tree.of : [tree];
  });
  return { k: node.k, of };
}

function bindNegate(b: Binding, node: Node, depth: number): Tree {
  const of = bind(b, node, depth + 1);
  const tree = plain((of.k === 'literal' && of.value === null ? settle(of, 'decimal') : of) ?? of);
  const type = typeOf(tree);
  if (!fits(type, 'number') && type !== 'duration') throw mismatch(b, node, `A number is expected here, not a value of type ${type}.`);
  return { k: 'negate', type: type === 'int' ? 'bigint' : type, of: tree };
}

/** Makes two sides comparable: reads a literal as the type of the other side if necessary; undefined if that is impossible. */
function agree(left: Tree, right: Tree): [Tree, Tree] | undefined {
  if (fits(typeOf(left), typeOf(right))) return [left, right];
  const readRight = settle(right, typeOf(left));
  if (readRight && fits(typeOf(readRight), typeOf(left))) return [left, readRight];
  const readLeft = settle(left, typeOf(right));
  if (readLeft && fits(typeOf(readLeft), typeOf(right))) return [readLeft, right];
  return undefined;
}

function bindCompare(b: Binding, node: Node & { k: 'compare' }, depth: number): Tree {
  const left = bind(b, comparedWith(b, node.left, node.right), depth + 1);
  const right = bind(b, comparedWith(b, node.right, node.left), depth + 1);
  const sides = agree(left, right);
  if (!sides) throw mismatch(b, node, `A value of type ${typeOf(left)} cannot be compared with one of type ${typeOf(right)}.`);
  return { k: 'compare', op: node.op as CompareOp, left: plain(sides[0]), right: plain(sides[1]) };
}

/** For `relation eq null`, which means that there is no related row: replaces the relation by the key of the related row. */
function comparedWith(b: Binding, node: Node, other: Node): Node {
  const isNull = other.k === 'literal' && other.kind === 'null';
  const key = isNull && node.k === 'path' ? keyOfRelated(b, node) : undefined;
  return key === undefined || node.k !== 'path' ? node : { ...node, path: [...node.path, key] };
}

function bindIn(b: Binding, node: Node & { k: 'in' }, depth: number): Tree {
  const list = Array.isArray(node.list) ? node.list : aliasList(b, node.list.name, node.list.pos);
  if (list.length > limits.inValues) throw complaint(b.option, 'TooComplex', `A list has more than ${limits.inValues} values.`, node.pos);
  const left = plain(bind(b, node.left, depth + 1));
  const values = list.map((item): Literal => {
    const literal = bindLiteral(b, item.k === 'alias' ? aliasLiteral(b, item.name, item.pos) : item);
    const read = coerce(literal, literal.text, typeOf(left));
    if (!read) throw mismatch(b, item, `A value of type ${typeOf(left)} is expected in this list, not one of type ${literal.type}.`);
    return { k: 'literal', type: read.type, value: read.value };
  });
  return { k: 'in', left, values };
}

/** By operator of arithmetic with times: the types of the left side, the right side and the result. */
const timeMath: Partial<Record<MathOp, readonly (readonly [Type, Type, Type])[]>> = {
  add: [
    ['timestamp', 'duration', 'timestamp'],
    ['duration', 'duration', 'duration'],
  ],
  sub: [
    ['timestamp', 'duration', 'timestamp'],
    ['timestamp', 'timestamp', 'duration'],
    ['duration', 'duration', 'duration'],
  ],
};

function bindMath(b: Binding, node: Node & { k: 'math' }, depth: number): Tree {
  const op = node.op as MathOp;
  const ends = [bind(b, node.left, depth + 1), bind(b, node.right, depth + 1)] as const;
  const types = [typeOf(ends[0]), typeOf(ends[1])] as const;
  for (const [left, right, type] of timeMath[op] ?? []) {
    const sides = [nullOr(ends[0], left), nullOr(ends[1], right)] as const;
    const timed = types.includes('timestamp') || types.includes('duration');
    if (timed && typeOf(sides[0]) === left && typeOf(sides[1]) === right) return { k: 'math', op, type, left: sides[0], right: sides[1] };
  }
  const [left, right] = [nullOr(ends[0], 'decimal'), nullOr(ends[1], 'decimal')];
  if (!fits(typeOf(left), 'number') || !fits(typeOf(right), 'number')) {
    throw mismatch(b, node, `'${op}' cannot be applied to values of type ${types[0]} and ${types[1]}.`);
  }
  const type = op === 'divby' || typeOf(left) === 'decimal' || typeOf(right) === 'decimal' ? 'decimal' : 'bigint';
  return { k: 'math', op, type, left, right };
}

function nullOr(tree: Tree, type: Type): Tree {
  return plain(tree.k === 'literal' && tree.type === 'null' ? { ...tree, type } : tree);
}

function bindCall(b: Binding, node: Node & { k: 'call' }, depth: number): Tree {
  const fn = node.name.toLowerCase();
  if (unsupported.has(fn)) throw complaint(b.option, 'NotImplemented', `The function '${node.name}' is not supported.`, node.pos);
  const overloads = signatures.get(fn);
  if (!overloads) throw complaint(b.option, 'invalid', `There is no function named '${node.name}'.`, node.pos);
  const counts = [...new Set(overloads.map((s) => s.takes.length))];
  if (!counts.includes(node.args.length)) {
    throw complaint(b.option, 'invalid', `The function '${fn}' takes ${counts.join(' or ')} values, not ${node.args.length}.`, node.pos);
  }
  const args = node.args.map((arg) => bind(b, arg, depth + 1));
  if (isSearch(fn) && (args[0]?.k !== 'literal' || b.ranges.size > 0 || b.grouped || !searchedByText.has(b.resource.name)))
    throw complaint(b.option, 'invalid', `The function '${fn}' takes a text, and only for rows of ${textSearches.join(', ')}.`, node.pos);
  for (const signature of overloads) {
    const values = take(signature, args);
    const first = values?.[0];
    if (values)
      return { k: 'call', fn, type: signature.gives === 'same' && first ? typeOf(first) : (signature.gives as Type), args: values };
  }
  throw mismatch(b, node, `The function '${fn}' cannot take ${args.map((a) => typeOf(a)).join(', ')}.`);
}

function take(signature: Signature, args: readonly Tree[]): Tree[] | undefined {
  if (signature.takes.length !== args.length) return undefined;
  const values: Tree[] = [];
  for (const [i, target] of signature.takes.entries()) {
    const arg = args[i] && settle(args[i], target);
    if (!arg || !fits(typeOf(arg), target)) return undefined;
    values.push(plain(arg));
  }
  return values;
}
