/** Takes the lines of a CSV into a list: reads, checks, tries and writes them in turns, as one change set. */
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import { csvLine, byteOrderMark } from '@cloudfit/contract/csv.ts';
import type { ListInput, ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { columnsOfList, keysOfList, resourceOfList, type DateOrder, type ImportList } from '@cloudfit/contract/configuration/lists.ts';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { germanOf } from '@cloudfit/contract/messages/api-messages.de.ts';
import { permission, type Area } from '@cloudfit/contract/permissions.ts';
import { isTimeZone } from '@cloudfit/contract/rules/time-window.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, may, type Ctx } from '../../../context/ctx.ts';
import { localeOf } from '../../../context/locale.ts';
import { readerOf } from '../../../platform/language.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { requireTenant } from '../../../resources/disabled-tenants.ts';
import { importDocument } from '../import.ts';
import type { ConfigurationPart, ImportFault } from '../part.ts';
import { buildGroup, identityOf, readContext, type BuildOptions, type BuiltGroup, type LineFault } from './build-rows.ts';
import { ordersOf } from './dates.ts';
import { guessColumns } from './guess-columns.ts';
import { mapLines, type MappedLine } from './mapped-lines.ts';
import { readTable, type CsvTable } from './read-table.ts';

/** Lines that are tried in one transaction; fewer of them are written in one. */
const linesAtOnce = 200;
const listedChanges = 500;
const listedFaults = 500;
const sampleLines = 5;

const dateColumns: Readonly<Partial<Record<ImportList, readonly string[]>>> = {
  holidays: ['date'],
  tickets: ['created', 'closed', 'updated'],
};

function areaOf(list: ImportList): Area {
  return resourceOfList(list)?.area ?? (list === 'holidays' ? 'WorkUnits.ServiceLevels' : 'Settings');
}

function requireWriter(ctx: Ctx, { list, tenantId }: ListInput): void {
  requireTenant(ctx, tenantId);
  const area = areaOf(list);
  if (!may(ctx, permission(area, 'create'), tenantId) && !may(ctx, permission(area, 'edit'), tenantId))
    throw forbidden(`You do not have the permission ${permission(area, 'edit')} in this tenant.`);
}

function refuse(target: string, message: string): never {
  throw new ApiError('ValidationFailed', message, { target });
}

function columnsFor({ list, columns }: ListInput, { headings }: CsvTable): (string | null)[] {
  if (!columns) return guessColumns(list, headings);
  const all = columnsOfList(list);
  const usedNames = new Set<string>();
  for (const name of columns) {
    if (name === null) continue;
    const column = all.find((item) => item.name === name);
    if (!column) refuse('columns', `${list} has no column "${name}".`);
    if (usedNames.has(name) && column.several !== true)
      refuse('columns', `Two columns of the file are read as "${name}". Choose one of them.`);
    usedNames.add(name);
  }
  return headings.map((_, at) => columns[at] ?? null);
}

function keyFor({ list, key }: ListInput, columns: readonly (string | null)[]): string {
  const keys = keysOfList(list);
  if (key !== undefined && list !== 'holidays' && !keys.includes(key)) refuse('key', `Lines are recognized by one of ${keys.join(', ')}.`);
  return key ?? keys.find((name) => columns.includes(name)) ?? keys[0] ?? 'calendar';
}

function lacksOf(list: ImportList, columns: readonly (string | null)[], key: string): string[] {
  const needed = [
    ...columnsOfList(list).flatMap(({ name, required }) => (required ? [name] : [])),
    ...(list === 'holidays' || list === 'people' ? [] : [key]),
  ];
  if (list === 'people' && !columns.includes(key) && !columns.includes('userName') && !columns.includes('email')) needed.push('userName');
  if (list === 'tickets' && !['created', 'closed', 'updated'].some((name) => columns.includes(name))) needed.push('created');
  return [...new Set(needed)].filter((name) => !columns.includes(name));
}

/** The order of the days and months in the dates of the file; the column if it cannot be told from them. */
function orderIn(list: ImportList, lines: readonly MappedLine[]): { dateOrder: DateOrder; ambiguous?: string } {
  const orders = new Set<DateOrder>();
  let ambiguous: string | undefined;
  for (const column of dateColumns[list] ?? [])
    for (const { values } of lines) {
      const some = ordersOf(values.get(column) ?? '');
      if (some.length === 1 && some[0]) orders.add(some[0]);
      if (some.length === 2) ambiguous ??= column;
    }
  const [only, another] = orders;
  return {
    dateOrder: only ?? 'day-first',
    ...(ambiguous !== undefined && (only === undefined || another !== undefined) ? { ambiguous } : {}),
  };
}

/** Lines that are about the same thing, in the order of the first of them. */
function groupsOf(options: BuildOptions, lines: readonly MappedLine[]): MappedLine[][] {
  const groups = Map.groupBy(lines, (line) => {
    const identity = identityOf(options, line).toLowerCase();
    const type = options.list === 'workUnitCategories' ? (line.values.get('workUnitTypeId') ?? '') : '';
    return identity === '' && options.list !== 'holidays' ? line : `${identity}\n${type}`;
  });
  return [...groups.values()];
}

interface ListRun {
  ctx: Ctx;
  input: ListInput;
  table: CsvTable;
  outcome: ListOutcome;
  faults: LineFault[];
  refused: Map<number, MappedLine>;
  parts: readonly ConfigurationPart[];
  endsAt: number;
}

function addFaults(run: ListRun, lines: readonly MappedLine[], faults: readonly LineFault[]): void {
  run.faults.push(...faults);
  for (const line of lines) run.refused.set(line.line, line);
}

/** The lines of a group with faults that are refused: all, but of holidays, each of which is right or wrong by itself. */
const refusedOf = ({ lines, rows, faults }: BuiltGroup): readonly MappedLine[] =>
  rows.length === 0 ? lines : lines.filter(({ line }) => faults.some((fault) => fault.line === line));

/** Tries or writes the rows of some groups. */
async function importGroups(run: ListRun, groups: readonly BuiltGroup[], isAgain = false): Promise<void> {
  const { ctx, input, outcome } = run;
  const rows: Record<string, Record<string, unknown>[]> = {};
  const placeOf = new Map<string, { group: BuiltGroup; line: number }>();
  for (const group of groups)
    for (const { resource, row, line } of group.rows) {
      const list = (rows[resource] ??= []);
      placeOf.set(`${resource}[${list.length}]`, { group, line });
      list.push(row);
    }
  if (placeOf.size === 0) return;
  const onFault = ({ at, resource, target, message }: ImportFault): void => {
    const place = placeOf.get(at);
    if (!place) return;
    // What belongs to a refused row lacks that row; the reason is that of the row.
    const [first] = place.group.rows;
    if (first && resource !== first.resource && run.refused.has(first.line)) return;
    const column = target.startsWith(`${at}.`) ? target.slice(at.length + 1) : null;
    addFaults(run, place.group.lines, [{ line: place.line, column, message }]);
  };
  const answer: ImportOutcome = await importDocument(
    ctx,
    { cloudfit: 'configuration', version: 1, rows },
    { dryRun: input.dryRun, partly: true, within: input.tenantId, parts: run.parts, isPart: true, onFault },
  );
  outcome.added += answer.added;
  outcome.changed += isAgain ? 0 : answer.changed;
  outcome.unchanged += isAgain ? 0 : answer.unchanged;
  for (const { at = '', ...change } of answer.changes)
    if (outcome.changes.length < listedChanges) outcome.changes.push({ ...change, line: placeOf.get(at)?.line ?? 0 });
  Object.assign(outcome.names, answer.names);
}

async function importLines(run: ListRun, options: BuildOptions, lines: readonly MappedLine[]): Promise<void> {
  const { ctx, input } = run;
  const groups = groupsOf(options, lines);
  const others = new Set(lines.map((line) => identityOf(options, line).toLowerCase()));
  const waiting: MappedLine[][] = [];
  const turn = takeTurns();
  const inTurns = async (all: readonly MappedLine[][], isAgain: boolean): Promise<void> => {
    for (let at = 0; at < all.length;) {
      const some: MappedLine[][] = [];
      for (let count = 0; at < all.length && count < linesAtOnce; at += 1) {
        const group = all[at] ?? [];
        some.push(group);
        count += group.length;
      }
      if (performance.now() > run.endsAt)
        throw new ApiError(
          'TooComplex',
          `This takes longer than ${limits.importTurnsSeconds} seconds. ${input.dryRun ? 'Import the file in parts.' : 'The lines before it were imported; import the file again.'}`,
        );
      const context = await readContext(ctx, options, some.flat());
      const built: BuiltGroup[] = [];
      for (const group of some) {
        const result = buildGroup(context, group, others);
        if (result.faults.length > 0) addFaults(run, refusedOf(result), result.faults);
        if (result.rows.length > 0) built.push(result);
        if (result.waits && result.faults.length === 0) waiting.push(group);
        await turn();
      }
      await importGroups(run, built, isAgain);
    }
  };
  await inTurns(groups, false);
  // Rows that name another row of the file, such as what a device depends on, once that is there.
  if (!input.dryRun && waiting.length > 0)
    await inTurns(
      waiting.splice(0).filter((group) => group.every(({ line }) => !run.refused.has(line))),
      true,
    );
}

/** The refused lines as they are in the file, with the reasons in a last column in the person's language, to be corrected and imported. */
async function refusedFile({ ctx, table: { headings }, faults, refused, outcome: { columns } }: ListRun): Promise<string> {
  if (refused.size === 0) return '';
  const { language } = readerOf(await localeOf(ctx.db, ctx.actor.kind === 'person' ? ctx.actor.id : null));
  const isGerman = language === 'de';
  const spoken = isGerman ? germanOf : (text: string) => text;
  const turn = takeTurns();
  const reasons = Map.groupBy(faults, ({ line }) => line);
  let file = byteOrderMark + csvLine([...headings, isGerman ? 'Grund' : 'Reason']);
  for (const { line, cells } of [...refused.values()].toSorted((a, b) => a.line - b.line)) {
    const texts = reasons
      .get(line)
      ?.map(({ column, message }) =>
        column === null ? spoken(message) : `${headings[columns.indexOf(column)] ?? column}: ${spoken(message)}`,
      );
    const reason = texts?.join(' ') ?? spoken('Refused with another line about the same thing.');
    file += csvLine([...headings.map((_, at) => cells[at] ?? ''), reason]);
    await turn();
  }
  return file;
}

async function record({ ctx, input, outcome, refused }: ListRun): Promise<void> {
  const { added, changed } = outcome;
  if (added + changed === 0 || input.dryRun) return;
  outcome.changeSet = ctx.correlationId;
  await recordAudit(ctx.db, {
    actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
    tenantId: input.tenantId,
    verb: 'import',
    entity: 'configuration',
    entityId: input.tenantId,
    after: { added, changed, left: refused.size, list: input.list, ...(input.note ? { note: input.note } : {}) },
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
}

/** Imports the text, or says what it would change. Throws 400 for a text that is no table, and 403 without the right. */
export async function importList(ctx: Ctx, input: ListInput, parts: readonly ConfigurationPart[]): Promise<ListOutcome> {
  requireWriter(ctx, input);
  const { list, tenantId, dryRun, timeZone = 'UTC' } = input;
  if (!isTimeZone(timeZone)) refuse('timeZone', `There is no time zone "${timeZone}". Write one such as Europe/Berlin.`);
  const table = await readTable(input);
  const columns = columnsFor(input, table);
  const key = keyFor(input, columns);
  const lines = mapLines(table, columns);
  const lacks = lacksOf(list, columns, key);
  const { dateOrder, ambiguous } = orderIn(list, lines);
  const isAsked = ambiguous !== undefined && input.dateOrder === undefined;
  const outcome: ListOutcome = {
    dryRun,
    delimiter: table.delimiter,
    headings: table.headings,
    sample: table.lines.slice(0, sampleLines).map(({ cells }) => cells),
    columns,
    key,
    lacks,
    ambiguousDates: isAsked ? (table.headings[columns.indexOf(ambiguous)] ?? ambiguous) : null,
    rows: lines.length,
    added: 0,
    changed: 0,
    unchanged: 0,
    changes: [],
    refusedRows: 0,
    refused: [],
    refusedCsv: '',
    remarks: [],
    names: {},
  };
  if (lacks.length > 0 || isAsked) {
    if (dryRun) return outcome;
    if (lacks.length > 0) refuse('columns', `The file has no column for ${lacks.join(', ')}. Say in "columns" which one it is.`);
    refuse('dateOrder', `The dates of "${outcome.ambiguousDates}" can be read in two ways. Say whether the day or the month is first.`);
  }
  const remarks = new Map<string, number>();
  const run: ListRun = {
    ctx,
    input,
    table,
    outcome,
    faults: [],
    refused: new Map(),
    parts,
    endsAt: performance.now() + limits.importTurnsSeconds * 1_000,
  };
  const options: BuildOptions = {
    list,
    tenantId,
    key,
    dateOrder: input.dateOrder ?? dateOrder,
    timeZone,
    source: input.source ?? 'CSV',
    calendar: input.calendar,
    remark: (text) => void remarks.set(text, (remarks.get(text) ?? 0) + 1),
  };
  try {
    await importLines(run, options, lines);
  } finally {
    // What was written before an error stays, so the audit has the import in any case.
    await record(run);
  }
  outcome.refusedRows = run.refused.size;
  outcome.refused = run.faults.toSorted((a, b) => a.line - b.line).slice(0, listedFaults);
  outcome.refusedCsv = await refusedFile(run);
  outcome.remarks = [...remarks].slice(0, limits.reasons).map(([text, rows]) => ({ text, rows }));
  return outcome;
}
