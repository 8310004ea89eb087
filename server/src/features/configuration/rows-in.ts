/** Reads rows whose field has one of many values, in few statements: one for each row would be most of the time of an import. */
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';

export type PortableRow = Record<string, unknown>;

/** Values, and characters of their list, of one filter. */
const valuesAtOnce = 100;
const charactersAtOnce = 6_000;

function literal(field: Field | undefined, value: unknown): string {
  return field?.kind === 'text' ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

function portions(literals: readonly string[]): string[][] {
  const all: string[][] = [];
  let characters = 0;
  for (const text of literals) {
    characters += text.length + 1;
    const last = all.at(-1);
    if (last && last.length < valuesAtOnce && characters <= charactersAtOnce) last.push(text);
    else {
      all.push([text]);
      characters = text.length + 1;
    }
  }
  return all;
}

async function allPages(ctx: Ctx, resource: Resource, filter: string, expand: string): Promise<PortableRow[]> {
  const rows: PortableRow[] = [];
  for (let skip = 0; ; skip += limits.pageMax) {
    const page = `$orderby=${resource.key}&$top=${limits.pageMax}&$skip=${skip}${expand}`;
    const { value } = await list(ctx, servedOf(resource), `$filter=${encodeURIComponent(filter)}&${page}`);
    rows.push(...(value as PortableRow[]));
    if (value.length < limits.pageMax) return rows;
  }
}

interface RowsInOptions {
  expand?: string | undefined;
  /** Also rows that take no part in the configuration. */
  all?: boolean;
}

/** Rows that the caller may view and that take part in the configuration; null among the values finds rows without one. */
export async function rowsIn(
  ctx: Ctx,
  resource: Resource,
  name: string,
  values: readonly unknown[],
  { expand = '', all = false }: RowsInOptions = {},
): Promise<PortableRow[]> {
  const field = resource.fields[name];
  const isValid = (value: unknown): boolean => field?.schema().safeParse(value).success ?? false;
  const [column, text] =
    field?.kind === 'text' ? [`tolower(${name})`, (value: unknown) => String(value).toLowerCase()] : [name, (value: unknown) => value];
  // No stored row has an invalid value. The error is thrown when the row is written.
  const literals = [
    ...new Set(values.filter((value) => value !== null && value !== undefined && isValid(value)).map((v) => literal(field, text(v)))),
  ];
  const filters = portions(literals).map((some) => `${column} in (${some.join(',')})`);
  if (field?.nullable && values.some((value) => value === null || value === undefined)) filters.push(`${name} eq null`);
  const [exceptName, exceptValue] = (all ? undefined : resource.portable?.except) ?? [];
  const except = exceptName ? ` and ${exceptName} ne '${exceptValue}'` : '';
  const rows: PortableRow[] = [];
  for (const filter of filters) rows.push(...(await allPages(ctx, resource, `(${filter})${except}`, expand)));
  return rows;
}
