/** Takes the rows of a spreadsheet into a list. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { importOutcome } from '../configuration.ts';
import { dateOrders, delimiters, importLists } from './lists.ts';

const columnsMax = 200;

const listInput = z.object({
  list: z.enum(importLists),
  tenantId: z.guid(),
  /** The table as text, with a line of headings. */
  text: z.string(),
  /** By column of the file what it is, or null for one that is not read; recognized by the headings without it. */
  columns: z.optional(z.array(z.nullable(z.string().max(100))).max(columnsMax)),
  /** The column by which a row is a new one or a change. */
  key: z.optional(z.string().max(100)),
  delimiter: z.optional(z.enum(delimiters)),
  /** How dates such as 03/04/2026 are read. */
  dateOrder: z.optional(z.enum(dateOrders)),
  /** Of times without an offset. */
  timeZone: z.optional(z.string().max(100)),
  /** The name of the program that the tickets are from; with the number of a ticket it is what a ticket is recognized by. */
  source: z.optional(z.string().trim().min(1).max(100)),
  /** The calendar of holidays whose lines name none. */
  calendar: z.optional(z.string().max(200)),
  dryRun: z.boolean().default(true),
  note: z.optional(z.string().trim().max(500)),
});
export type ListInput = z.infer<typeof listInput>;

const listOutcome = z.object({
  dryRun: z.boolean(),
  delimiter: z.enum(delimiters),
  headings: z.array(z.string()),
  /** The first lines, as they are in the file. */
  sample: z.array(z.array(z.string())),
  /** What each column of the file is read as. */
  columns: z.array(z.nullable(z.string())),
  key: z.string(),
  /** Columns that have to be in the file, and are not. */
  lacks: z.array(z.string()),
  /** The heading whose dates may be read in two ways; then no row has been checked. */
  ambiguousDates: z.nullable(z.string()),
  rows: z.number(),
  added: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  /** The first changes, each with its line in the file in place of `at`. */
  changes: z.array(importOutcome.shape.changes.element.omit({ at: true }).extend({ line: z.number() })),
  /** The number of lines that are not imported, the first reasons, and all these lines as CSV with the reason in a last column. */
  refusedRows: z.number(),
  refused: z.array(z.object({ line: z.number(), column: z.nullable(z.string()), message: z.string() })),
  refusedCsv: z.string(),
  /** What is imported otherwise than it is in the file, with the number of lines. */
  remarks: z.array(z.object({ text: z.string(), rows: z.number() })),
  names: z.record(z.string(), z.string()),
  changeSet: z.optional(z.string()),
});
export type ListOutcome = z.infer<typeof listOutcome>;

export const importList = defineAction({
  name: 'importList',
  method: 'POST',
  path: '/v1/lists/import',
  access: 'signed-in',
  about:
    'Takes a CSV into a list of a tenant: devices, locations, people with their permission sets, categories, contacts, holidays of calendars, or tickets of another program. `dryRun` (the default) changes nothing, and answers how the columns are read, what would change, and which lines are refused and why. Otherwise the lines that can be imported are written, in several transactions, as one change set. A second import of the same file changes nothing.',
  input: listInput,
  output: listOutcome,
});
