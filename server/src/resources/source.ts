/** What a statement reads: a table with one left join per path of single relations, and the rows of relations to many. */
import { sql, type RawBuilder } from 'kysely';
import type { Relation, Resource } from '@cloudfit/contract/resource.ts';
import { columnName } from './column-name.ts';
import { fieldExpression } from './present.ts';
import { allOf } from './scope.ts';

type Sql = RawBuilder<unknown>;

/** A resource as one caller sees it: `visible` says which rows of alias `t` that are. */
export interface Reached {
  resource: Resource;
  table: string;
  visible: (t: string) => readonly RawBuilder<boolean>[];
}

/** Finds the target of a relation for this caller; throws when they have no right to it. */
export type Reach = (name: string) => Reached;

export interface Source {
  /** SQL of a field, reached through single relations: `['tenant', 'name']`; `of` is the variable of a lambda's row. */
  column: (path: readonly string[], of?: string) => Sql;
  /** What orders rows by that field, where it is not the field itself. */
  sortColumn?: (path: readonly string[], of?: string) => Sql;
  /** The rows that a relation to many leads to, `variable` being one of them. */
  rows: (path: readonly string[], of: string | undefined, variable: string | undefined) => Rows;
  /** Comes last: only then is it known what was joined. */
  from: () => Sql;
}

export interface Rows {
  source: Source;
  /** `(select {what} from rows where they belong to their parent, are visible and {also})`. */
  select: (what: Sql, also?: RawBuilder<boolean>) => Sql;
}

/** SQL of a stored field for comparing: durations are the seconds that they are stored as. */
function stored(resource: Resource, name: string, t: string): Sql {
  const field = resource.fields[name];
  if (!field) throw new Error(`${resource.name} has no field ${name}.`);
  return field.kind === 'time' ? sql.ref(`${t}.${columnName(name)}`) : fieldExpression(field, name, t, false);
}

function relationOf(resource: Resource, name: string): Relation {
  const relation = resource.relations[name];
  if (!relation) throw new Error(`${resource.name} has no relation ${name}.`);
  return relation;
}

/** `child.on = parent.from` of a relation. */
export function link(relation: Relation, child: string, parent: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${child}.${columnName(relation.on)}`)} = ${sql.ref(`${parent}.${columnName(relation.from)}`)}`;
}

interface Around {
  reach: Reach;
  /** Aliases are numbered: names of several relations in a row would outgrow what PostgreSQL keeps of a name. */
  nextAlias: () => string;
  /** Rows of the lambdas around, by variable; the root has none. */
  outer: ReadonlyMap<string | undefined, Source>;
}

/** Rows of `resource` as alias `t`, which `base` brings. */
export function sourceOf(reach: Reach, resource: Resource, t: string, base: Sql): Source {
  let n = 0;
  return open({ reach, nextAlias: () => `${t}_${++n}`, outer: new Map() }, resource, t, base, undefined);
}

function open(around: Around, resource: Resource, t: string, base: Sql, variable: string | undefined): Source {
  const joins = new Map<string, { alias: string; target: Resource; join: Sql }>();

  /** Where a path of single relations ends. */
  function walk(path: readonly string[]): { resource: Resource; alias: string } {
    let at = { resource, alias: t };
    for (const [i, name] of path.entries()) {
      const key = path.slice(0, i + 1).join('/');
      let known = joins.get(key);
      if (!known) {
        const relation = relationOf(at.resource, name);
        const target = around.reach(relation.to);
        const alias = around.nextAlias();
        const on = allOf([link(relation, alias, at.alias), ...target.visible(alias)]);
        known = { alias, target: target.resource, join: sql`left join ${sql.table(target.table)} as ${sql.ref(alias)} on ${on}` };
        joins.set(key, known);
      }
      at = { resource: known.target, alias: known.alias };
    }
    return at;
  }

  function elsewhere(of: string | undefined): Source {
    const found = around.outer.get(of);
    if (!found) throw new Error(`There is no row named ${of ?? ''}.`);
    return found;
  }

  const source: Source = {
    column: (path, of) => {
      if (of !== variable) return elsewhere(of).column(path, of);
      const at = walk(path.slice(0, -1));
      return stored(at.resource, path.at(-1) ?? '', at.alias);
    },
    sortColumn: (path, of) => {
      if (of !== variable) return elsewhere(of).column(path, of);
      const at = walk(path.slice(0, -1));
      const sortedBy = at.resource.fields[path.at(-1) ?? '']?.sortedBy;
      return sortedBy === undefined ? source.column(path, of) : sql.ref(`${at.alias}.${sortedBy}`);
    },
    rows: (path, of, inside) => {
      if (of !== variable) return elsewhere(of).rows(path, of, inside);
      const at = walk(path.slice(0, -1));
      const relation = relationOf(at.resource, path.at(-1) ?? '');
      const target = around.reach(relation.to);
      const alias = around.nextAlias();
      const outer = new Map([...around.outer, [variable, source] as const]);
      const table = sql`${sql.table(target.table)} as ${sql.ref(alias)}`;
      // Rows without a variable of their own are never named.
      const own = open({ ...around, outer }, target.resource, alias, table, inside ?? alias);
      return {
        source: own,
        select: (what, also) =>
          sql`(select ${what} from ${own.from()} where ${allOf([link(relation, alias, at.alias), ...target.visible(alias), also])})`,
      };
    },
    from: () =>
      sql`${base} ${sql.join(
        [...joins.values()].map((j) => j.join),
        sql` `,
      )}`,
  };
  return source;
}
