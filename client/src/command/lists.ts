/** `cloudfit import LIST FILE`: takes a CSV into a list, after it was tried. */
import { readFile, writeFile } from 'node:fs/promises';
import { importList } from '@cloudfit/contract/calls.ts';
import { textOfFile } from '@cloudfit/contract/configuration/file-text.ts';
import type { ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { dateOrders, importLists } from '@cloudfit/contract/configuration/lists.ts';
import { literal } from '@cloudfit/contract/query/build.ts';
import type { CloudFitClient } from '../client.ts';
import { MissingError, OutcomeError, textOption, UsageError, type CommandPart, type PartContext } from './command.ts';

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const listedReasons = 20;

/** The tenant of a name or id; without one the only tenant. */
async function tenantOf(api: CloudFitClient, name: string | undefined): Promise<string> {
  if (name !== undefined && guid.test(name)) return name.toLowerCase();
  const filter = name === undefined ? {} : { filter: `name eq ${literal('text', name)}` };
  const { value } = await api.list('tenants', { ...filter, top: 2 });
  const [tenant, another] = value;
  if (!tenant)
    throw new MissingError(name === undefined ? 'There are no tenants that you may see.' : `There is no tenant ${name} that you may see.`);
  if (another) throw new UsageError('Name the tenant: --tenant NAME');
  return tenant.tenantId;
}

async function tableIn({ surroundings }: PartContext, file: string): Promise<string> {
  try {
    return textOfFile(file === '-' ? await surroundings.readIn() : await readFile(file));
  } catch {
    throw new UsageError(`The file ${file} cannot be read.`);
  }
}

/** `--column "Host=name"` for each heading that is not recognized; names are those of the fields. */
function columnsWith(outcome: ListOutcome, chosen: string | undefined): (string | null)[] {
  const columns = [...outcome.columns];
  for (const pair of chosen?.split(',') ?? []) {
    const at = pair.lastIndexOf('=');
    const [heading, name] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    const place = outcome.headings.indexOf(heading);
    if (at < 0 || place < 0)
      throw new UsageError(`--columns has no heading of the file: ${pair}. Write HEADING=FIELD, with commas between several.`);
    for (const [other, column] of columns.entries()) if (column === name) columns[other] = null;
    columns[place] = name === '' ? null : name;
  }
  return columns;
}

function linesOf(outcome: ListOutcome): string[] {
  const { added, changed, unchanged, refused, refusedRows, remarks, changeSet } = outcome;
  return [
    `${added} new, ${changed} changed, ${unchanged} unchanged, ${refusedRows} refused.`,
    ...refused
      .slice(0, listedReasons)
      .map(({ line, column, message }) => `Line ${line}${column === null ? '' : `, ${column}`}: ${message}`),
    ...(refused.length > listedReasons ? [`And ${refused.length - listedReasons} more.`] : []),
    ...remarks.map(({ text, rows }) => `${text} (${rows})`),
    ...(changeSet === undefined ? [] : [`The audit has it under ${changeSet}, where it can be taken back.`]),
  ];
}

const importLines: CommandPart = {
  name: 'import',
  usage: 'LIST FILE',
  about: `Take a CSV into a list of a tenant: ${importLists.join(', ')}. Without --apply it is only tried. - is the input.`,
  options: {
    tenant: { type: 'string', about: 'the tenant, by name or id; needed when you see several' },
    apply: { type: 'boolean', about: 'write the lines that can be imported' },
    columns: { type: 'string', about: 'what headings are that are not recognized: HEADING=FIELD, with commas between several' },
    key: { type: 'string', about: 'the field by which a line is a new row or a change' },
    dates: { type: 'string', about: 'what comes first in dates such as 03/04/2026', choices: dateOrders },
    'time-zone': { type: 'string', about: 'of times without one, such as Europe/Berlin' },
    source: { type: 'string', about: 'the program that the tickets are from' },
    refused: { type: 'string', about: 'the file to write the refused lines to, with the reasons' },
  },
  run: async (context) => {
    const { words, options, print, client } = context;
    const [name, file] = words;
    const list = importLists.find((item) => item === name);
    if (list === undefined || file === undefined || words.length > 2)
      throw new UsageError(`Name a list and a file: cloudfit import ${importLists.join('|')} FILE`);
    const order = textOption(context, 'dates');
    const dateOrder = dateOrders.find((item) => item === order);
    if (order !== undefined && dateOrder === undefined) throw new UsageError(`--dates is ${dateOrders.join(' or ')}.`);
    const text = await tableIn(context, file);
    const api = await client();
    const tenantId = await tenantOf(api, textOption(context, 'tenant'));
    const [key, timeZone, source] = ['key', 'time-zone', 'source'].map((option) => textOption(context, option));
    const request = { list, tenantId, text, key, dateOrder, timeZone, source };
    const chosen = textOption(context, 'columns');
    let outcome = await api.call(importList, { ...request, dryRun: true });
    const columns = columnsWith(outcome, chosen);
    if (chosen !== undefined) outcome = await api.call(importList, { ...request, columns, dryRun: true });
    if (outcome.lacks.length > 0)
      throw new OutcomeError(
        `No heading is ${outcome.lacks.join(', ')}. The headings are ${outcome.headings.join(', ')}: --columns HEADING=FIELD`,
      );
    if (outcome.ambiguousDates !== null)
      throw new OutcomeError(`The dates of ${outcome.ambiguousDates} can be read in two ways: --dates ${dateOrders.join(' or ')}`);
    if (options['apply'] === true) outcome = await api.call(importList, { ...request, columns, dryRun: false });
    const { refusedCsv, ...shown } = outcome;
    print.value(shown, linesOf(outcome));
    const refused = textOption(context, 'refused');
    if (refused !== undefined && refusedCsv !== '') await writeFile(refused, refusedCsv, { mode: 0o600 });
    if (options['apply'] !== true) print.note('Nothing was written. Add --apply to import the lines.');
    if (outcome.refusedRows > 0)
      throw new OutcomeError(outcome.refusedRows === 1 ? '1 line was refused.' : `${outcome.refusedRows} lines were refused.`);
  },
};

export const listParts: readonly CommandPart[] = [importLines];
