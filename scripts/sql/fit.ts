/** Compares PostgreSQL types with TypeScript types. */
import pg from 'pg';
import { type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';
// This import sets the same column parsers as in the server.
import '../../server/src/db/connection.ts';
import type { ColumnType } from './database.ts';

/** An example of each type as PostgreSQL sends it; parsing the example shows what kind of value the program gets. */
const samples: Record<string, string> = {
  bool: 't',
  bytea: '\\x00',
  timestamptz: '2026-01-31 10:20:30.12+00',
  timestamp: '2026-01-31 10:20:30.12',
  date: '2026-01-31',
  interval: '01:00:00',
  json: '{}',
  jsonb: '{}',
};
const numbers = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'oid']);
const dates = new Set(['timestamptz', 'timestamp', 'date']);

type ParsedKind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'json' | 'object';

export interface Fit {
  /** Returns the error of the type declared for a result column, or undefined. */
  column(type: number, isNullable: boolean, declared: Type): string | undefined;
  /** Returns the error of the type of a value for a parameter, or undefined. */
  parameter(type: number, value: Type): string | undefined;
}

export function createFit(checker: Checker, types: ReadonlyMap<number, ColumnType>): Fit {
  const nameOf = (oid: number): string => types.get(oid)?.name ?? String(oid);

  /** Returns the kind of value to which the driver parses a column of this type. */
  function kindOf(name: string, oid: number): ParsedKind {
    if (name === 'json' || name === 'jsonb') return 'json';
    const parsed: unknown = pg.types.getTypeParser(oid)(samples[name] ?? (numbers.has(name) ? '1' : 'a'));
    if (parsed instanceof Date) return 'Date';
    if (Buffer.isBuffer(parsed)) return 'Buffer';
    return typeof parsed as ParsedKind;
  }

  function elementKind(oid: number, element: number): ParsedKind {
    const name = nameOf(element);
    if (name === 'json' || name === 'jsonb') return 'json';
    const parsed: unknown = pg.types.getTypeParser(oid)(`{"${samples[name] ?? (numbers.has(name) ? '1' : 'a')}"}`);
    const [first] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    return first instanceof Date ? 'Date' : (typeof first as ParsedKind);
  }

  const membersOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type]);
  const isNothing = (type: Type): boolean => (type.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0;
  /** Whether the type allows any value, so that the program must check the value before using it. */
  const isOpen = (type: Type): boolean => (type.flags & TypeFlags.Unknown) !== 0 || checker.typeToString(type) === '{}';

  function isOf(kind: ParsedKind, type: Type): boolean {
    const constraint = type.flags & TypeFlags.Instantiable ? checker.getBaseConstraintOfType(type) : type;
    const { flags } = constraint ?? type;
    if (kind === 'string') return (flags & TypeFlags.StringLike) !== 0;
    if (kind === 'number') return (flags & TypeFlags.NumberLike) !== 0;
    if (kind === 'boolean') return (flags & TypeFlags.BooleanLike) !== 0;
    const name = type.getSymbol()?.name;
    if (kind === 'Date') return name === 'Date';
    if (kind === 'Buffer') return name === 'Buffer' || name === 'Uint8Array';
    return kind === 'json' ? name !== 'Date' && name !== 'Buffer' : (flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0;
  }

  /** Returns the element types of an array or tuple; undefined for other types. */
  function elementsOf(type: Type): readonly Type[] | undefined {
    if (!type.isTypeReference() || !(checker.isArrayType(type) || checker.isTupleType(type))) return undefined;
    return checker.getTypeArguments(type).flatMap(membersOf);
  }

  return {
    column: (oid, isNullable, declared) => {
      if (isOpen(declared)) return undefined;
      const shown = checker.typeToString(declared);
      if (declared.flags & TypeFlags.Any) return 'is declared as any';
      const members = membersOf(declared);
      const isNullDeclared = members.some((type) => type.flags & TypeFlags.Null);
      if (isNullable && !isNullDeclared) return `is declared as ${shown}, and the table allows null`;
      const { element } = types.get(oid) ?? {};
      const rest = members.filter((type) => !isNothing(type));
      const kind = element === undefined ? kindOf(nameOf(oid), oid) : elementKind(oid, element);
      const fits = (type: Type): boolean => {
        if (element === undefined) return isOf(kind, type);
        const items = elementsOf(type)?.filter((item) => !isNothing(item));
        return items?.some((item) => isOpen(item) || isOf(kind, item)) === true;
      };
      if (rest.some(fits)) return undefined;
      return `is declared as ${shown}, and PostgreSQL answers ${nameOf(oid)}, a ${kind}${element === undefined ? '' : '[]'}`;
    },
    parameter: (oid, value) => {
      const { element } = types.get(oid) ?? {};
      const name = nameOf(oid);
      const wrong = membersOf(value).filter((type) => !isNothing(type) && !isOpen(type) && !accepts(name, element, type));
      if (wrong.length === 0) return undefined;
      return `is ${checker.typeToString(value)}, and PostgreSQL wants ${name}`;
    },
  };

  /** Whether the driver sends a value of this type in a form that PostgreSQL parses as `name`. */
  function accepts(name: string, element: number | undefined, type: Type): boolean {
    if (type.flags & TypeFlags.Any) return false;
    if (element !== undefined) {
      // A text in PostgreSQL's array syntax, which the driver sends faster than an array.
      if (isOf('string', type)) return true;
      const items = elementsOf(type);
      return items?.every((item) => isNothing(item) || isOpen(item) || accepts(nameOf(element), undefined, item)) === true;
    }
    if (name === 'json' || name === 'jsonb') return isOf('string', type) || (isOf('object', type) && !checker.isArrayType(type));
    if (name === 'bool') return isOf('boolean', type);
    if (name === 'bytea') return isOf('Buffer', type);
    if (numbers.has(name)) return isOf('number', type);
    if (dates.has(name)) return isOf('string', type) || isOf('Date', type);
    return isOf('string', type) || (name === 'text' && isOf('number', type));
  }
}
