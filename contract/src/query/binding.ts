/** What one binding run knows and counts: the resource, the relations walked, the size so far. */
import type { Field, Resource } from '../resource.ts';
import { limits } from '../limits.ts';
import type { LiteralNode, PathNode } from './ast.ts';
import { complaint, type OptionName, parseText } from './parse.ts';
import type { Join } from './tree.ts';

/** Finds the target of a relation. */
export type Find = (name: string) => Resource | undefined;

/** Counted over the whole request, nested options included. */
export interface Budget {
  nodes: number;
  expands: number;
}

export interface Binding {
  resource: Resource;
  find: Find;
  /** Option that complaints are about; within $expand always that one. */
  option: OptionName;
  /** Texts of the parameter aliases, without the `@`. */
  aliases: ReadonlyMap<string, string>;
  joins: Map<string, Join>;
  budget: Budget;
}

export function newBinding(resource: Resource, find: Find, aliases: ReadonlyMap<string, string> = new Map()): Binding {
  return { resource, find, option: '$filter', aliases, joins: new Map(), budget: { nodes: 0, expands: 0 } };
}

const fieldMaps = new WeakMap<Resource, ReadonlyMap<string, Field>>();

/** Fields by name; a Map, so that no name reaches a prototype. */
export function fieldsOf(resource: Resource): ReadonlyMap<string, Field> {
  let map = fieldMaps.get(resource);
  if (!map) fieldMaps.set(resource, (map = new Map(Object.entries(resource.fields))));
  return map;
}

export function relationOf(resource: Resource, name: string) {
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

/** Walks a path through single relations to a field, and notes each relation as a join. */
export function resolve(b: Binding, node: PathNode): { field: Field; nullable: boolean } {
  let resource = b.resource;
  for (const [i, name] of node.path.entries()) {
    if (name.includes('.')) throw complaint(b.option, 'NotImplemented', `The qualified name '${name}' is not supported.`, node.pos);
    if (i === node.path.length - 1) {
      const field = fieldsOf(resource).get(name);
      if (field) return { field, nullable: field.nullable || i > 0 };
      if (!relationOf(resource, name)) break;
      throw complaint(b.option, 'invalid', `'${name}' is a relation; name one of its properties.`, node.pos);
    }
    resource = walk(b, resource, node, i);
  }
  throw unknownProperty(b, resource, node.path.at(-1) ?? '', node.pos);
}

function walk(b: Binding, resource: Resource, node: PathNode, i: number): Resource {
  const name = node.path[i] ?? '';
  const path = node.path.slice(0, i + 1);
  const known = b.joins.get(path.join('/'));
  if (known) return known.target;
  const relation = relationOf(resource, name);
  if (!relation) {
    if (!fieldsOf(resource).has(name)) throw unknownProperty(b, resource, name, node.pos);
    throw complaint(b.option, 'invalid', `'${name}' on type '${resource.name}' has no properties of its own.`, node.pos);
  }
  if (relation.many) throw complaint(b.option, 'invalid', `'${name}' holds many rows and cannot stand in a path.`, node.pos);
  if (b.joins.size >= limits.joins)
    throw complaint(b.option, 'TooComplex', `More than ${limits.joins} relations are used in paths.`, node.pos);
  const target = targetOf(b, relation.to);
  b.joins.set(path.join('/'), { path, relation, target });
  return target;
}

/** The literal that a parameter alias stands for; null when the request gives none, as the standard has it. */
export function aliasLiteral(b: Binding, name: string, pos: number): LiteralNode {
  const text = b.aliases.get(name);
  if (text === undefined) return { k: 'literal', kind: 'null', text: 'null', pos };
  return { ...parseText('Literal', text, b.option), pos };
}
