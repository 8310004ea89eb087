/** Makes rows of a configuration of the lines of a file. */
import { randomUUID } from 'node:crypto';
import { permission } from '@cloudfit/contract/permissions.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { columnsOfList, resourceOfList, type DateOrder, type ImportList } from '@cloudfit/contract/configuration/lists.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { workingCalendars } from '@cloudfit/contract/resources/service-levels.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import { rowsIn, type PortableRow } from '../rows-in.ts';
import { CellFault, valueIn } from './cells.ts';
import { readDate } from './dates.ts';
import type { MappedLine } from './mapped-lines.ts';
import { Named } from './references.ts';
import { ticketOf, type TicketReading } from './ticket-lines.ts';

export interface BuildOptions extends TicketReading {
  list: ImportList;
  tenantId: string;
  key: string;
  dateOrder: DateOrder;
  timeZone: string;
  calendar?: string | undefined;
}

export interface LineFault {
  line: number;
  column: string | null;
  message: string;
}

/** Rows of lines that belong together, or why these lines are refused. */
export interface BuiltGroup {
  lines: readonly MappedLine[];
  rows: readonly { resource: string; row: PortableRow; line: number }[];
  faults: readonly LineFault[];
  /** The column of a row of the same file that is not here yet; the lines are read again after the others. */
  waits: boolean;
}

/** What the rows of a file refer to, read at once for all lines. */
interface ListContext {
  options: BuildOptions;
  tenantName: string;
  references: ReadonlyMap<string, Named>;
  /** Rows of the tenant by the text of their key column. */
  stored: ReadonlyMap<string, readonly PortableRow[]>;
  /** The only subscription of the tenant. */
  subscriptionId?: string | undefined;
  calendars: readonly PortableRow[];
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

function textsOf(lines: readonly MappedLine[], column: string): string[] {
  return [...new Set(lines.flatMap(({ values }) => values.get(column) ?? []))];
}

/** People sign in with their addresses, unless the file has other names. */
export const identityOf = ({ list, key }: Pick<BuildOptions, 'list' | 'key'>, { values }: MappedLine): string =>
  (list === 'holidays'
    ? values.get('calendar')
    : list === 'people'
      ? (values.get(key) ?? values.get('userName') ?? values.get('email'))
      : values.get(key)) ?? '';

async function readStored(
  ctx: Ctx,
  resource: Resource,
  { key, tenantId }: BuildOptions,
  texts: readonly string[],
): Promise<ListContext['stored']> {
  const rows = await rowsIn(ctx, resource, key, texts, { all: true });
  const ofTenant = rows.filter((row) => row['tenantId'] === undefined || row['tenantId'] === tenantId);
  return Map.groupBy(ofTenant, (row) => lower(row[key]));
}

export async function readContext(ctx: Ctx, options: BuildOptions, lines: readonly MappedLine[]): Promise<ListContext> {
  const { list, tenantId } = options;
  const resource = resourceOfList(list);
  const references = new Map<string, Named>();
  for (const { name, field } of columnsOfList(list))
    if (field?.ref) references.set(name, await Named.read(ctx, tenantId, field.ref, textsOf(lines, name)));
  if (list === 'people')
    references.set('permissionSet', await Named.read(ctx, tenantId, 'permissionSets', textsOf(lines, 'permissionSet')));
  // The name of a tenant of the caller, who need not have the right to view tenants.
  const [tenant] = await ctx.db.query<{ name: string }>({
    name: 'tenant-of-list',
    text: 'select name from tenant where tenant_id = $1',
    values: [tenantId],
  });
  const stored = resource
    ? await readStored(
        ctx,
        resource,
        options,
        lines.map((line) => identityOf(options, line)),
      )
    : new Map<string, PortableRow[]>();
  const readOf = async (resource: Resource, tenantIds: readonly (string | null)[]): Promise<PortableRow[]> =>
    may(ctx, permission(resource.area, 'view')) ? rowsIn(ctx, resource, 'tenantId', tenantIds, { all: true }) : [];
  const subscriptions = list === 'devices' ? await readOf(requireResource('subscriptions'), [tenantId]) : [];
  return {
    options,
    tenantName: tenant?.name ?? '',
    references,
    stored,
    subscriptionId: subscriptions.length === 1 ? String(subscriptions[0]?.['subscriptionId']) : undefined,
    calendars: list === 'holidays' ? await readOf(workingCalendars, [tenantId, null]) : [],
  };
}

function requireThisTenant({ options, tenantName }: ListContext, { values }: MappedLine): void {
  const tenant = values.get('tenant');
  if (tenant === undefined || lower(tenant) === options.tenantId || lower(tenant) === lower(tenantName)) return;
  throw new CellFault('tenant', `This line is of another tenant ("${tenant}"). Choose that tenant, and import its lines there.`);
}

/** The types of categories by line, once they are looked up. */
const typeIds = new WeakMap<MappedLine, unknown>();

/** The type of the category that the line is about: its own, that of the only category of the name, otherwise incidents. */
function typeOfLine(line: MappedLine, alike: readonly PortableRow[]): unknown {
  if (line.values.has('workUnitTypeId')) return typeIds.get(line);
  return alike.length === 1 ? alike[0]?.['workUnitTypeId'] : workUnitType.incident;
}

/** The stored row that the line is about. Throws for several, and for an id that no row of the tenant has. */
function storedOf({ options: { key, list }, stored }: ListContext, resource: Resource, line: MappedLine): PortableRow | undefined {
  const text = identityOf({ list, key }, line);
  if (text === '') {
    const label = resource.fields[key]?.label ?? key;
    throw new CellFault(key, `${label} is empty. By it a line is recognized as a new row or a change.`);
  }
  let rows = stored.get(lower(text)) ?? [];
  if (list === 'workUnitCategories' && key === 'name') rows = rows.filter((row) => row['workUnitTypeId'] === typeOfLine(line, rows));
  if (rows.length > 1)
    throw new CellFault(
      key,
      `Several ${resource.plural.toLowerCase()} have this ${resource.fields[key]?.label ?? key}. Choose another column to recognize them by.`,
    );
  if (rows.length === 0 && key === resource.key)
    throw new CellFault(key, `This tenant has no ${resource.label.toLowerCase()} with this id. Leave the column out to add the row.`);
  return rows[0];
}

interface ReadRow {
  row: PortableRow;
  faults: LineFault[];
  waits: boolean;
}

/** The fields that the line sets. A blank cell leaves the field as it is. */
function readFields(context: ListContext, resource: Resource, line: MappedLine, others: ReadonlySet<string>): ReadRow {
  const { options, references } = context;
  const row: PortableRow = {};
  const faults: LineFault[] = [];
  let waits = false;
  for (const { name, field } of columnsOfList(options.list)) {
    const cell = line.values.get(name);
    if (cell === undefined || !field || name === resource.key) continue;
    try {
      const named = references.get(name);
      if (!named) row[name] = valueIn(cell, field, name);
      else if (field.ref === resource.name && !named.has(cell) && others.has(lower(cell))) waits = true;
      else row[name] = named.keyOf(cell, name);
      if (name === 'workUnitTypeId') typeIds.set(line, row[name]);
    } catch (error) {
      faults.push(asFault(error, line));
    }
  }
  return { row, faults, waits };
}

function asFault(error: unknown, { line }: MappedLine): LineFault {
  if (!(error instanceof CellFault)) throw error;
  return { line, column: error.column, message: error.message };
}

type Built = BuiltGroup['rows'][number];

/** Rows of the lines of one person, category or device. `others`: what else the file would add, by the text of the key column. */
function buildOfResource(
  context: ListContext,
  resource: Resource,
  lines: readonly MappedLine[],
  others: ReadonlySet<string>,
): Omit<BuiltGroup, 'lines'> {
  const { options } = context;
  const { list, tenantId } = options;
  const [first, ...further] = lines;
  if (!first) return { rows: [], faults: [], waits: false };
  const hasMore = list === 'people' || list === 'workUnitCategories';
  const { row, faults, waits } = readFields(context, resource, first, others);
  let stored: PortableRow | undefined;
  try {
    stored = storedOf(context, resource, first);
  } catch (error) {
    faults.push(asFault(error, first));
  }
  if (!hasMore)
    for (const { line } of further)
      faults.push({
        line,
        column: options.key,
        message: `Line ${first.line} has the same ${resource.fields[options.key]?.label ?? options.key}. Remove one of them.`,
      });
  if (list === 'people') {
    const whole = [first.values.get('firstName'), first.values.get('lastName')].filter((part) => part !== undefined).join(' ');
    if (whole !== '') row['name'] ??= whole;
  }
  const key = stored?.[resource.key] ?? randomUUID();
  const rows: Built[] = [];
  const add = (name: string, added: PortableRow, line: number) => rows.push({ resource: name, row: added, line });
  if (resource.scope.kind !== 'installation') row['tenantId'] = tenantId;
  if (!stored) {
    if (list === 'devices' && context.subscriptionId !== undefined) row['subscriptionId'] ??= context.subscriptionId;
    if (list === 'workUnitCategories') row['workUnitTypeId'] ??= workUnitType.incident;
    if (list === 'people') {
      row['userName'] ??= row['email'];
      row['name'] ??= row['userName'];
      if (row['email'] === undefined && String(row['userName'] ?? '').includes('@')) row['email'] = row['userName'];
    }
  } else for (const name of resource.portable?.by ?? []) row[name] ??= stored[name];
  add(resource.name, { [resource.key]: key, ...row }, first.line);
  for (const line of lines) {
    try {
      requireThisTenant(context, line);
      const set = line.values.get('permissionSet');
      if (set !== undefined) {
        const permissionSetId = context.references.get('permissionSet')?.keyOf(set, 'permissionSet');
        add('grants', { personId: key, permissionSetId, tenantId }, line.line);
      }
      const subcategory = line.values.get('subcategory');
      if (subcategory !== undefined) add('workUnitSubcategories', { workUnitCategoryId: key, name: subcategory }, line.line);
    } catch (error) {
      faults.push(asFault(error, line));
    }
  }
  return { rows, faults, waits };
}

/** The holidays of a calendar: those of the lines are added to those that it has. */
function buildHolidays({ options, calendars }: ListContext, lines: readonly MappedLine[]): Omit<BuiltGroup, 'lines'> {
  const faults: LineFault[] = [];
  const dates: string[] = [];
  const [first] = lines;
  const name = first?.values.get('calendar') ?? options.calendar ?? '';
  const ofTenant = calendars.filter((row) => row['tenantId'] === options.tenantId);
  const calendar = name === '' && ofTenant.length === 1 ? ofTenant[0] : ofTenant.find((row) => lower(row['name']) === lower(name));
  for (const line of lines) {
    const cell = line.values.get('date');
    const read = cell === undefined ? undefined : readDate(cell, options.dateOrder, 'UTC');
    if (read) dates.push(read.date);
    else
      faults.push({
        line: line.line,
        column: 'date',
        message: cell === undefined ? 'The date is empty.' : `"${cell}" is no date such as 2026-12-25.`,
      });
  }
  if (!calendar) {
    const isShared = calendars.some((row) => row['tenantId'] === null && lower(row['name']) === lower(name));
    const message = isShared
      ? `The calendar "${name}" is for all tenants. Change it at the calendar itself.`
      : name === ''
        ? 'Which calendar has these holidays? Add a column with its name.'
        : `There is no working calendar "${name}" in this tenant. Create it first, or correct the name.`;
    for (const { line } of lines) faults.push({ line, column: 'calendar', message });
    return { rows: [], faults, waits: false };
  }
  const holidays = [...new Set([...(calendar['holidays'] as string[]), ...dates])].toSorted();
  const same = holidays.length === (calendar['holidays'] as string[]).length;
  const row = {
    workingCalendarId: calendar['workingCalendarId'],
    name: calendar['name'],
    tenantId: options.tenantId,
    holidays: same ? calendar['holidays'] : holidays,
  };
  return { rows: [{ resource: 'workingCalendars', row, line: first?.line ?? 0 }], faults, waits: false };
}

/** Makes the rows of lines that are about the same thing. */
export function buildGroup(context: ListContext, lines: readonly MappedLine[], others: ReadonlySet<string>): BuiltGroup {
  const { options } = context;
  const tooLong = lines.flatMap(({ line, isLonger }): LineFault[] =>
    isLonger
      ? [
          {
            line,
            column: null,
            message: 'The line has more cells than there are headings. Put texts with the delimiter in quotation marks.',
          },
        ]
      : [],
  );
  const resource = resourceOfList(options.list);
  let built: Omit<BuiltGroup, 'lines'>;
  if (resource) built = buildOfResource(context, resource, lines, others);
  else if (options.list === 'holidays') built = buildHolidays(context, lines);
  else
    try {
      const [first] = lines;
      built = { rows: first ? [{ resource: 'tickets', row: ticketOf(options, lines), line: first.line }] : [], faults: [], waits: false };
    } catch (error) {
      built = { rows: [], faults: [asFault(error, lines[0] as MappedLine)], waits: false };
    }
  const faults = [...tooLong, ...built.faults];
  return { lines, rows: faults.length > 0 && options.list !== 'holidays' ? [] : built.rows, faults, waits: built.waits };
}
