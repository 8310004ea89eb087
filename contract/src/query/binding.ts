/** The state of one binding run: the resource, the relations that paths use, the size so far. */
import type { Field, Relation, Resource } from '../resource.ts';
import { limits } from '../limits.ts';
import type { LiteralNode, Node, StartRuleResults } from './ast.ts';
import { complaint, type OptionName, parseText } from './parse.ts';
import type { Column, Join, Tree } from './tree.ts';

/** Returns the resource of this name, the target of a relation. */
export type ResourceLookup = (name: string) => Resource | undefined;

/** Numbers of tree nodes and expanded relations in the whole request, including nested options. */
export interface Budget {
  nodes: number;
  expands: number;
}

/** The rows at which paths start: the rows of the query, or the rows of a lambda. */
export interface Range {
  resource: Resource;
  /** The relations to one row that paths use, by their path from these rows. */
  walked: Map<string, Resource>;
}

/** Columns that `$apply` and `$compute` compute, by path, each with the number of nodes of its tree. */
export type ComputedColumns = ReadonlyMap<string, Column & { nodes: number }>;

export interface Binding extends Range {
  find: ResourceLookup;
  /** The option that error messages name; inside `$expand` it is always `$expand`. */
  option: OptionName;
  /** Whether a named field must allow filtering or sorting. */
  use: 'filter' | 'sort';
  /** Texts of the parameter aliases, without the `@`. */
  aliases: ReadonlyMap<string, string>;
  /** The rows of the enclosing lambdas, by variable. */
  ranges: ReadonlyMap<string, Range>;
  computed: ComputedColumns;
  /** Whether rows are groups: then only computed columns can be named. */
  grouped: boolean;
  joins: Join[];
  budget: Budget;
}

export function newBinding(resource: Resource, find: ResourceLookup, aliases: ReadonlyMap<string, string> = new Map()): Binding {
  return {
    resource,
    walked: new Map(),
    find,
    option: '$filter',
    use: 'filter',
    aliases,
    ranges: new Map(),
    computed: new Map(),
    grouped: false,
    joins: [],
    budget: { nodes: 0, expands: 0 },
  };
}

const fieldMaps = new WeakMap<Resource, ReadonlyMap<string, Field>>();

/** The fields by name, in a Map, so that a name such as `constructor` is unknown. */
export function fieldsOf(resource: Resource): ReadonlyMap<string, Field> {
  let map = fieldMaps.get(resource);
  if (!map) fieldMaps.set(resource, (map = new Map(Object.entries(resource.fields))));
  return map;
}

export function relationOf(resource: Resource, name: string): Relation | undefined {
  return Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined;
}

export function targetOf(b: Binding, name: string): Resource {
  const target = b.find(name);
  if (!target) throw new Error(`No resource is called ${name}.`);
  return target;
}

export function unknownProperty(b: Binding, resource: Resource, name: string, pos: number): Error {
  return complaint(b.option, 'UnknownProperty', `Could not find a property named '${name}' on type '${resource.name}'.`, pos);
}

interface NamedPath {
  path: readonly string[];
  pos: number;
}

/** Where a path starts: at the row of the lambda whose variable it begins with, or at the rows of the query. */
function startOf(b: Binding, node: NamedPath): { range: Range; path: readonly string[]; of?: string } {
  const [of = '', ...path] = node.path;
  const range = b.ranges.get(of);
  if (!range) return { range: b, path: node.path };
  if (path.length === 0) throw complaint(b.option, 'invalid', `'${of}' is a row; name one of its properties.`, node.pos);
  return { range, path, of };
}

/** Follows a path through relations to one row up to a field, and adds each relation as a join. */
export function resolve(b: Binding, node: NamedPath): { field: Field; nullable: boolean; path: readonly string[]; of?: string } {
  const { range, path, of } = startOf(b, node);
  const last = path.at(-1) ?? '';
  const { resource } = walkAll(b, range, node, path, of);
  const field = fieldsOf(resource).get(last);
  if (field) return { field, nullable: field.nullable || path.length > 1, path, ...(of === undefined ? {} : { of }) };
  if (!relationOf(resource, last)) throw unknownProperty(b, resource, last, node.pos);
  throw complaint(b.option, 'invalid', `'${last}' is a relation; name one of its properties.`, node.pos);
}

/** The name of the related row's key, if the path consists of relations to one row; otherwise undefined. */
export function keyOfRelated(b: Binding, { path: whole }: NamedPath): string | undefined {
  if (b.grouped) return undefined;
  const range = b.ranges.get(whole[0] ?? '');
  let resource: Resource | undefined = range ? range.resource : b.resource;
  const path = range ? whole.slice(1) : whole;
  if (path.length === 0) return undefined;
  for (const name of path) {
    const relation: Relation | undefined = resource && relationOf(resource, name);
    resource = relation && !relation.many ? targetOf(b, relation.to) : undefined;
  }
  return resource?.key;
}

/** Follows a path through relations to one row up to a relation to many. */
export function resolveMany(b: Binding, node: NamedPath): { target: Resource; path: readonly string[]; of?: string } {
  if (b.grouped) throw complaint(b.option, 'invalid', 'Groups have no relations.', node.pos);
  const { range, path, of } = startOf(b, node);
  const last = path.at(-1) ?? '';
  const { resource } = walkAll(b, range, node, path, of);
  const relation = relationOf(resource, last);
  if (!relation && !fieldsOf(resource).has(last)) throw unknownProperty(b, resource, last, node.pos);
  if (!relation?.many) throw complaint(b.option, 'invalid', `'${last}' does not hold many rows.`, node.pos);
  const target = targetOf(b, relation.to);
  join(b, { path: of === undefined ? path : [of, ...path], relation, target }, node.pos);
  return { target, path, ...(of === undefined ? {} : { of }) };
}

function walkAll(b: Binding, range: Range, node: NamedPath, path: readonly string[], of?: string): Range {
  const qualified = path.find((name) => name.includes('.'));
  if (qualified) throw complaint(b.option, 'NotImplemented', `The qualified name '${qualified}' is not supported.`, node.pos);
  let { resource } = range;
  for (let i = 1; i < path.length; i++) resource = walk(b, range, resource, node, path.slice(0, i), of);
  return { ...range, resource };
}

function walk(b: Binding, range: Range, resource: Resource, node: NamedPath, path: readonly string[], of?: string): Resource {
  const name = path.at(-1) ?? '';
  const existing = range.walked.get(path.join('/'));
  if (existing) return existing;
  const relation = relationOf(resource, name);
  if (!relation) {
    if (!fieldsOf(resource).has(name)) throw unknownProperty(b, resource, name, node.pos);
    throw complaint(b.option, 'invalid', `'${name}' on type '${resource.name}' has no properties of its own.`, node.pos);
  }
  if (relation.many)
    throw complaint(b.option, 'invalid', `'${name}' holds many rows and cannot stand in a path; use any, all or $count.`, node.pos);
  const target = targetOf(b, relation.to);
  join(b, { path: of === undefined ? path : [of, ...path], relation, target }, node.pos);
  range.walked.set(path.join('/'), target);
  return target;
}

function join(b: Binding, walked: Join, pos: number): void {
  if (b.joins.length >= limits.joins)
    throw complaint(b.option, 'TooComplex', `More than ${limits.joins} relations are used in paths.`, pos);
  b.joins.push(walked);
}

/** The tree of a computed column; undefined if there is none of this path. Throws if rows are groups, which have no fields. */
export function computedProperty(b: Binding, node: NamedPath): Tree | undefined {
  const path = node.path.join('/');
  const column = b.computed.get(path);
  if (column) {
    // Counts the nodes of the column's tree, which replaces the name: a chain of columns could grow without limit.
    b.budget.nodes += column.nodes - 1;
    return column.of;
  }
  if (b.grouped) throw complaint(b.option, 'UnknownProperty', `'${path}' is not a property of what $apply answers.`, node.pos);
  return undefined;
}

/** The expression of a parameter alias; null when the request has none, as the standard says. */
export function aliasNode(b: Binding, name: string, pos: number): Node {
  const text = b.aliases.get(name);
  if (text === undefined) return { k: 'literal', kind: 'null', text: 'null', pos };
  return parseText('Filter', text, b.option, pos);
}

/** The literal of a parameter alias. */
export function aliasLiteral(b: Binding, name: string, pos: number): LiteralNode {
  const text = b.aliases.get(name);
  if (text === undefined) return { k: 'literal', kind: 'null', text: 'null', pos };
  return parseText('Literal', text, b.option, pos);
}

/** The values of `in @name`; empty when the request has no such alias. */
export function aliasList(b: Binding, name: string, pos: number): StartRuleResults['List'] {
  const text = b.aliases.get(name);
  return text === undefined ? [] : parseText('List', text, b.option, pos);
}
