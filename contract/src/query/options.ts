/** Splits a query string into system options (with or without `$`, in any case), aliases and other parameters. */
import { ApiError } from '../errors.ts';
import { limits } from '../limits.ts';

export interface QueryOptions {
  apply?: string;
  compute?: string;
  filter?: string;
  orderby?: string;
  select?: string;
  expand?: string;
  search?: string;
  format?: string;
  top?: number;
  skip?: number;
  /** Opaque: where the previous page ended. */
  skiptoken?: string;
  count?: boolean;
  /** `@name=...`, without the `@`. */
  aliases: ReadonlyMap<string, string>;
  /** All other parameters, by their names as sent, which the route reads. */
  custom: ReadonlyMap<string, string>;
}

const served = new Set([
  'apply',
  'compute',
  'filter',
  'orderby',
  'select',
  'expand',
  'search',
  'format',
  'top',
  'skip',
  'skiptoken',
  'count',
]);
/** The option that needs its `$`: a parameter of this name without `$` belongs to the route. */
const onlyWithDollar = 'search';
/** Options of the standard that the server does not support. */
const refused = new Set(['deltatoken', 'index', 'id', 'levels', 'schemaversion']);

/** Whether `parseOptions` reads or refuses an option of this name itself, instead of leaving it to the route. */
export function isSystemOption(name: string): boolean {
  const bare = name.replace(/^\$/, '').toLowerCase();
  return /^[$@]/.test(name) || (served.has(bare) && bare !== onlyWithDollar);
}

function invalid(message: string, target: string): ApiError {
  return new ApiError('InvalidQueryOption', message, { target });
}

/** Splits a raw query string (without the `?`); throws an `ApiError` for options that no route accepts. */
export function parseOptions(queryString: string): QueryOptions {
  if (queryString.length > limits.urlLength) throw new ApiError('UriTooLong', `The query is longer than ${limits.urlLength} characters.`);
  const system = new Map<string, string>();
  const aliases = new Map<string, string>();
  const custom = new Map<string, string>();
  for (const part of queryString.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at)).trim();
    const value = decode(at < 0 ? '' : part.slice(at + 1));
    const bare = name.replace(/^\$/, '').toLowerCase();
    if (served.has(bare) && (bare !== onlyWithDollar || name.startsWith('$'))) put(system, bare, value, `$${bare}`);
    else if (name.startsWith('$') && refused.has(bare)) {
      throw new ApiError('NotImplemented', `The query option '$${bare}' is not supported.`, { target: `$${bare}` });
    } else if (name.startsWith('$')) throw invalid(`There is no query option named '${name}'.`, name);
    else if (name.startsWith('@')) put(aliases, name.slice(1), value, name);
    else put(custom, name, value, name);
  }
  return { ...texts(system), ...sizes(system), aliases, custom };
}

function put(map: Map<string, string>, name: string, value: string, shown: string): void {
  if (map.has(name)) throw invalid(`'${shown}' is given twice.`, shown);
  map.set(name, value);
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('The query has a percent sign without two hexadecimal digits. Write a percent sign as %25.', text.slice(0, 40));
  }
  if (decoded.includes('\u0000')) throw invalid('The query contains a character that cannot be stored.', text.slice(0, 40));
  return decoded;
}

function texts(system: ReadonlyMap<string, string>): Partial<QueryOptions> {
  const names = ['apply', 'compute', 'filter', 'orderby', 'select', 'expand', 'search', 'format', 'skiptoken'] as const;
  return Object.fromEntries(names.flatMap((name) => (system.has(name) ? [[name, system.get(name)]] : [])));
}

function sizes(system: ReadonlyMap<string, string>): Partial<QueryOptions> {
  const sizeOptions: Partial<QueryOptions> = {};
  for (const name of ['top', 'skip'] as const) {
    const text = system.get(name);
    if (text === undefined) continue;
    const value = wholeNumber(text);
    if (value === undefined) throw invalid(`$${name} is a whole number, 0 or more.`, `$${name}`);
    if (name === 'skip' && value > limits.skipMax) throw invalid(`$skip is at most ${limits.skipMax}.`, '$skip');
    sizeOptions[name] = value;
  }
  const count = system.get('count');
  if (count === undefined) return sizeOptions;
  if (!/^(true|false)$/i.test(count)) throw invalid('$count is true or false.', '$count');
  return { ...sizeOptions, count: count.toLowerCase() === 'true' };
}

/** Parses a number without sign, fraction or exponent; undefined for anything else. */
export function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}
