/** Binds `$apply`: each transformation applies to the result of the previous one. */
import { limits } from '../limits.ts';
import type { AggregateNode, ComputedNode, PathNode, StepNode } from './ast.ts';
import { bindCondition, bindValue } from './bind-filter.ts';
import { bindOrderBy, bindSize } from './bind-order.ts';
import { type Binding, fieldsOf, type ComputedColumns, relationOf } from './binding.ts';
import { fits } from './literals.ts';
import { complaint } from './parse.ts';
import { type Aggregate, type Apply, type Column, isNullable, type Method, type ApplyStep, type Tree, type Type, typeOf } from './tree.ts';

/** Binds the option `$compute`; returns the binding with its properties beside those of `$apply`. */
export function bindCompute(b: Binding, nodes: readonly ComputedNode[]): Binding {
  return { ...b, computed: compute(b, nodes) };
}

/** Returns the bound steps, and the binding for the options that apply to their result. */
export function bindApply(start: Binding, nodes: readonly StepNode[]): { apply: Apply; after: Binding } {
  if (nodes.length > limits.applySteps)
    throw complaint(start.option, 'TooComplex', `More than ${limits.applySteps} transformations are given.`, nodes[limits.applySteps]?.pos);
  const steps: ApplyStep[] = [];
  let b = start;
  for (const node of nodes) {
    if (node.k === 'filter') steps.push({ k: 'filter', where: bindCondition(b, node.where) });
    else if (node.k === 'orderby') steps.push({ k: 'orderby', by: bindOrderBy(b, node.by) });
    else if (node.k === 'top' || node.k === 'skip') steps.push({ k: 'page', [node.k]: bindSize(b, node.k, node.count, node.pos) });
    else if (node.k === 'compute') b = { ...b, computed: compute(b, node.of) };
    else if (node.k === 'groupby') {
      const rolled = rolledUp(b, node);
      const step = rolled ? concat(b, rolled, node.pos) : group(b, pathsOnly(node.keys), node.of, node.pos);
      steps.push(step);
      b = { ...b, computed: columnsOf(step), grouped: true };
    } else if (node.k === 'concat') {
      const step = concat(b, node.of, node.pos);
      steps.push(step);
      b = { ...b, computed: columnsOf(step), grouped: true };
    }
  }
  return { apply: { steps, grouped: b.grouped, columns: [...b.computed.values()].map(({ path, of }) => ({ path, of })) }, after: b };
}

type GroupNode = StepNode & { k: 'groupby' };

const pathsOnly = (keys: GroupNode['keys']): PathNode[] => keys.filter((key) => key.k === 'path');

/** Returns the groupings for which a `rollup` stands; undefined without a `rollup`. */
function rolledUp(b: Binding, node: GroupNode): StepNode[][] | undefined {
  const [rollup, second] = node.keys.filter((key) => key.k === 'rollup');
  if (!rollup) return undefined;
  if (second) throw complaint(b.option, 'NotImplemented', "More than one 'rollup' in a grouping is not supported.", second.pos);
  const fewest = rollup.hasTotal ? 0 : 1;
  if (rollup.keys.length <= fewest && !rollup.hasTotal)
    throw complaint(b.option, 'invalid', "'rollup' needs two properties, or '$all' and one.", rollup.pos);
  const levels = Array.from({ length: rollup.keys.length - fewest + 1 }, (_, i) => rollup.keys.length - i);
  return levels.map((level) => [{ ...node, keys: [...pathsOnly(node.keys), ...rollup.keys.slice(0, level)] }]);
}

function concat(b: Binding, nodes: readonly (readonly StepNode[])[], pos: number): ApplyStep & { k: 'concat' } {
  if (nodes.length > limits.applySteps)
    throw complaint(b.option, 'TooComplex', `More than ${limits.applySteps} results are put together.`, pos);
  const of = nodes.map((branch) => bindApply(b, branch).apply);
  if (of.some(({ grouped }) => !grouped))
    throw complaint(b.option, 'NotImplemented', "'concat' puts groups together; each part needs groupby or aggregate.", pos);
  const columns = new Map<string, Column>();
  for (const { path, of: tree } of of.flatMap((apply) => apply.columns)) {
    const name = path.join('/');
    const listedTree = columns.get(name)?.of ?? tree;
    if (typeOf(listedTree) !== typeOf(tree))
      throw complaint(b.option, 'TypeMismatch', `'${name}' has values of type ${typeOf(listedTree)} and of type ${typeOf(tree)}.`, pos);
    const everywhere = of.every((apply) => apply.columns.some((column) => column.path.join('/') === name));
    columns.set(name, {
      path,
      of: { k: 'path', type: typeOf(tree), nullable: !everywhere || isNullable(listedTree) || isNullable(tree), path },
    });
  }
  return { k: 'concat', of, columns: [...columns.values()] };
}

/** Throws if a property of the result has the new name already, or if the name is too long. */
function requireFree(b: Binding, name: string, pos: number, isUsed: (name: string) => boolean): void {
  if (isUsed(name)) throw complaint(b.option, 'invalid', `The name '${name}' is in use already.`, pos);
  if (name.length > 60) throw complaint(b.option, 'TooComplex', 'A name is longer than 60 characters.', pos);
}

function compute(b: Binding, nodes: readonly ComputedNode[]): ComputedColumns {
  const computed = new Map(b.computed);
  for (const { of, name, pos } of nodes) {
    const ofResource = !b.grouped && (fieldsOf(b.resource).has(name) || relationOf(b.resource, name) !== undefined);
    requireFree(b, name, pos, (n) => ofResource || [...computed.values()].some(({ path }) => path[0] === n));
    if (computed.size >= limits.aggregates + limits.groupKeys)
      throw complaint(b.option, 'TooComplex', `More than ${limits.aggregates + limits.groupKeys} values are computed.`, pos);
    const before = b.budget.nodes;
    const tree = bindValue(b, of);
    computed.set(name, { path: [name], of: tree, nodes: b.budget.nodes - before });
  }
  return computed;
}

function group(b: Binding, keyNodes: readonly PathNode[], nodes: readonly AggregateNode[], pos: number): ApplyStep & { k: 'group' } {
  const tooMany = (what: string, max: number): Error =>
    complaint(b.option, 'TooComplex', `More than ${max} ${what} are given in one transformation.`, pos);
  if (keyNodes.length > limits.groupKeys) throw tooMany('grouping properties', limits.groupKeys);
  if (nodes.length > limits.aggregates) throw tooMany('aggregates', limits.aggregates);
  const keys = keyNodes.map((node): Column => ({ path: node.path, of: bindValue(b, node) }));
  const texts = keys.map(({ path }) => path.join('/'));
  for (const [i, text] of texts.entries()) {
    const clash = texts.some((other, n) => n !== i && (other === text || other.startsWith(`${text}/`)));
    if (clash) throw complaint(b.option, 'invalid', `'${text}' is grouped by twice.`, keyNodes[i]?.pos);
  }
  const names = new Set(keys.map(({ path }) => path[0] ?? ''));
  const aggregates = nodes.map((node) => {
    requireFree(b, node.name, node.pos, (name) => names.has(name));
    names.add(node.name);
    return aggregate(b, node);
  });
  return { k: 'group', keys, aggregates };
}

const numbers: readonly Type[] = ['int', 'bigint', 'decimal'];
const ordered: readonly Type[] = [...numbers, 'text', 'timestamp', 'date', 'timeOfDay', 'duration'];
/** The types that each method accepts; `countdistinct` accepts all. */
const takes: Readonly<Record<Exclude<Method, 'countdistinct' | 'count'>, readonly Type[]>> = {
  sum: [...numbers, 'duration'],
  average: numbers,
  min: ordered,
  max: ordered,
};

function isMethod(name: string): name is Exclude<Method, 'count'> {
  return name === 'countdistinct' || Object.hasOwn(takes, name);
}

function aggregate(b: Binding, node: AggregateNode): Aggregate {
  const { method, name, pos } = node;
  if (!node.of) return { name, method: 'count', type: 'bigint' };
  if (!isMethod(method)) throw complaint(b.option, 'NotImplemented', `The aggregation method '${method}' is not supported.`, pos);
  const of = bindValue(b, node.of);
  const from = typeOf(of);
  if (method !== 'countdistinct' && !takes[method].some((type) => type === from))
    throw complaint(b.option, 'TypeMismatch', `'${method}' cannot be applied to values of type ${from}.`, pos);
  return { name, method, of, type: answerType(method, from) };
}

function answerType(method: Method, from: Type): Type {
  if (method === 'countdistinct') return 'bigint';
  if (method === 'average') return 'decimal';
  return method === 'sum' && fits(from, 'whole') ? 'bigint' : from;
}

/** The columns of groups, as properties that the next steps and options can name. */
function columnsOf(step: ApplyStep & { k: 'group' | 'concat' }): ComputedColumns {
  if (step.k === 'concat') return new Map(step.columns.map(({ path, of }) => [path.join('/'), { path, of, nodes: 1 }]));
  const { keys, aggregates } = step;
  const columns = [
    ...keys.map(({ path, of }) => ({ path, type: typeOf(of), nullable: isNullable(of) })),
    // Without grouping keys, even no rows form one group, whose sum is null.
    ...aggregates.map((a) => ({
      path: [a.name],
      type: a.type,
      nullable: a.of !== undefined && a.method !== 'countdistinct' && (isNullable(a.of) || keys.length === 0),
    })),
  ];
  return new Map(
    columns.map(({ path, type, nullable }) => {
      const of: Tree = { k: 'path', type, nullable, path };
      return [path.join('/'), { path, of, nodes: 1 }];
    }),
  );
}
