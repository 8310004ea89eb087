/** Filters of SCIM (RFC 7644, 3.4.2.2) as conditions of SQL. */
import { parse, type Compare, type Filter } from 'scim2-parse-filter';
import { sql, type RawBuilder } from '../../../db/sql.ts';
import { ScimRefusal } from './scim-error.ts';

type FilterCondition = RawBuilder<boolean>;

/** `exact` texts are compared as they are, other texts without regard to case. */
interface Single {
  kind: 'text' | 'exact' | 'boolean' | 'time';
  column: RawBuilder<unknown>;
}

/** An attribute with several values: `within` wraps a condition on one of them. Without a part, `value` is meant. */
interface Multiple {
  parts: Readonly<Record<string, Single>>;
  within: (inner: FilterCondition) => FilterCondition;
}

/** By the path in small letters. */
export type FilterAttributes = Readonly<Record<string, Single | Multiple>>;

const maxLength = 2_000;
const maxDepth = 20;
const refused = (detail: string): ScimRefusal => new ScimRefusal(400, detail, 'invalidFilter');

/** `emails[type eq "work"].value eq "x"`, which Entra ID sends, has the same meaning as a filter that RFC 7644 permits. */
const plain = (text: string): string =>
  text.replace(/(\w+)\[([^\]]+)\]\.(\w+) +(eq|ne|co|sw|ew|pr|gt|ge|lt|le)( +(?:"(?:[^"\\]|\\.)*"|[^\s)\]]+))?/gi, (...parts: string[]) => {
    const [, attribute = '', inner = '', part = '', op = '', value = ''] = parts;
    return `${attribute}[(${inner}) and ${part} ${op}${op.toLowerCase() === 'pr' ? '' : value}]${op.toLowerCase() === 'pr' ? value : ''}`;
  });

/** True, False and NULL, as some clients write them outside of texts. */
const withSmallWords = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/gi, (word) => (word.startsWith('"') ? word : word.toLowerCase()));

/** Returns the condition of a filter; without one, undefined. */
export function filterCondition(text: string | undefined, attributes: FilterAttributes): FilterCondition | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  if (text.length > maxLength) throw refused(`The filter is too long: it may have ${maxLength} characters.`);
  let filter: Filter;
  try {
    filter = parse(plain(withSmallWords(text)));
  } catch (error) {
    throw refused(`The filter cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return conditionOf(filter, attributes, 0);
}

function conditionOf(filter: Filter, attributes: FilterAttributes, depth: number): FilterCondition {
  if (depth > maxDepth) throw refused('The filter is nested too deeply.');
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((part) => conditionOf(part, attributes, depth + 1));
      return sql<boolean>`(${sql.join(parts, filter.op === 'and' ? sql.raw(' and ') : sql.raw(' or '))})`;
    }
    case 'not':
      return sql<boolean>`not coalesce(${conditionOf(filter.filter, attributes, depth + 1)}, false)`;
    case '[]': {
      const attribute = named(attributes, filter.attrPath);
      if (!('parts' in attribute)) throw refused(`${filter.attrPath} has one value, so it takes no filter in brackets.`);
      return attribute.within(conditionOf(filter.valFilter, attribute.parts, depth + 1));
    }
    default:
      return comparison(filter, attributes);
  }
}

function named(attributes: FilterAttributes, path: string): Single | Multiple {
  // A name may stand behind its schema, as urn:...:User:userName.
  const attribute = attributes[path.slice(path.lastIndexOf(':') + 1).toLowerCase()];
  if (!attribute) throw refused(`${path} cannot be filtered. These can: ${Object.keys(attributes).join(', ')}.`);
  return attribute;
}

function comparison(filter: Exclude<Filter, { op: 'and' | 'or' | 'not' | '[]' }>, attributes: FilterAttributes): FilterCondition {
  const [first, part] = splitPath(filter.attrPath, attributes);
  const attribute = named(attributes, first);
  if ('parts' in attribute) {
    const one = named(attribute.parts, part ?? 'value');
    if ('parts' in one) throw refused(`${filter.attrPath} cannot be filtered.`);
    return attribute.within(filter.op === 'pr' ? sql<boolean>`${one.column} is not null` : compared(one, filter));
  }
  if (filter.op === 'pr') return sql<boolean>`coalesce(${attribute.column}::text, '') <> ''`;
  return compared(attribute, filter);
}

/** The part after the dot belongs to an attribute with several values; `name.familyName` is one attribute. */
function splitPath(path: string, attributes: FilterAttributes): [string, string?] {
  const bare = path.slice(path.lastIndexOf(':') + 1);
  if (bare.toLowerCase() in attributes) return [bare];
  const at = bare.indexOf('.');
  return at < 0 ? [bare] : [bare.slice(0, at), bare.slice(at + 1)];
}

const orders = { gt: sql.raw('>'), ge: sql.raw('>='), lt: sql.raw('<'), le: sql.raw('<=') } as const;

function compared({ kind, column }: Single, { op, attrPath, compValue }: Compare): FilterCondition {
  if (compValue === null) {
    if (op === 'eq') return sql<boolean>`${column} is null`;
    if (op === 'ne') return sql<boolean>`${column} is not null`;
    throw refused(`${attrPath} ${op} null has no meaning.`);
  }
  if (kind === 'boolean') {
    const value = /^(?:true|false)$/i.test(String(compValue)) ? String(compValue).toLowerCase() === 'true' : undefined;
    if (value === undefined || (op !== 'eq' && op !== 'ne')) throw refused(`${attrPath} is true or false: compare it by eq or ne.`);
    return op === 'eq' ? sql<boolean>`${column} = ${value}::boolean` : sql<boolean>`${column} is distinct from ${value}::boolean`;
  }
  if (typeof compValue !== 'string') throw refused(`${attrPath} is compared with a text in double quotes.`);
  if (kind === 'time') {
    if (Number.isNaN(Date.parse(compValue))) throw refused(`${attrPath} is compared with a time such as "2026-11-29T12:00:00Z".`);
    const at = sql`${new Date(compValue).toISOString()}::timestamptz`;
    if (op in orders) return sql<boolean>`${column} ${orders[op as keyof typeof orders]} ${at}`;
    if (op === 'eq') return sql<boolean>`${column} = ${at}`;
    if (op === 'ne') return sql<boolean>`${column} <> ${at}`;
    throw refused(`${attrPath} is a time, which has no ${op}.`);
  }
  if (compValue.includes('\0')) throw refused('A text must not contain the character 0.');
  const [left, right] =
    kind === 'exact' ? [sql`${column}::text`, sql`${compValue}::text`] : [sql`lower(${column}::text)`, sql`lower(${compValue}::text)`];
  switch (op) {
    case 'eq':
      return sql<boolean>`${left} = ${right}`;
    case 'ne':
      return sql<boolean>`${left} is distinct from ${right}`;
    case 'co':
      return sql<boolean>`strpos(${left}, ${right}) > 0`;
    case 'sw':
      return sql<boolean>`starts_with(${left}, ${right})`;
    case 'ew':
      return sql<boolean>`right(${left}, length(${right})) = ${right}`;
    default:
      return sql<boolean>`${left} ${orders[op]} ${right}`;
  }
}
