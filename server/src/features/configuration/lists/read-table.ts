/** Reads the text of a CSV: its delimiter, its headings and its lines. */
import { Readable } from 'node:stream';
import { parse, type Info } from 'csv-parse';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { ListInput } from '@cloudfit/contract/configuration/import-list.ts';
import { delimiters, listRowsMax } from '@cloudfit/contract/configuration/lists.ts';
import { takeTurns } from '../../../platform/turns.ts';

type Delimiter = (typeof delimiters)[number];

interface TableLine {
  /** The number of the line in the file where the record begins, as editors count. */
  line: number;
  cells: string[];
}

export interface CsvTable {
  delimiter: Delimiter;
  headings: string[];
  lines: TableLine[];
}

const refuse = (message: string): never => {
  throw new ApiError('ValidationFailed', message, { target: 'text' });
};

/** The first records as far as they are needed to tell the delimiter, without what stands in quotes. */
const outsideQuotes = (text: string): string[] =>
  text
    .slice(0, 20_000)
    .replaceAll(/"(?:[^"]|"")*(?:"|$)/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 10);

/** The delimiter that the headings have most of; lines with as many of it as the headings decide between two. */
function delimiterOf(text: string): Delimiter {
  const [first = '', ...rest] = outsideQuotes(text);
  const partsIn = (line: string, delimiter: string): number => line.split(delimiter).length - 1;
  // Commas are also in numbers and texts, so they come last.
  const rated = delimiters.toReversed().map((delimiter) => {
    const count = partsIn(first, delimiter);
    const alike = count === 0 ? 0 : rest.filter((line) => partsIn(line, delimiter) === count).length;
    return { delimiter, count, alike };
  });
  const [best] = rated.toSorted((a, b) => Math.sign(b.count) - Math.sign(a.count) || b.alike - a.alike || b.count - a.count);
  // A single column: its texts may have commas.
  return best && best.count > 0 ? best.delimiter : (delimiters.find((delimiter) => !text.includes(delimiter)) ?? ',');
}

const countIn = (cells: readonly string[], pattern: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

function* portions(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
}

// Apostrophes before what a spreadsheet would run are written by our exports (`csvCell`), and by careful people.
const guarded = /^'(?=[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n])/;
const cellText = (cell: string): string => cell.replace(guarded, '').replaceAll(/\r\n?/g, '\n').trim();

/** Throws 400 for a text that is no table, and for too many lines. */
export async function readTable({ text, delimiter: chosen }: Pick<ListInput, 'text' | 'delimiter'>): Promise<CsvTable> {
  const withoutMark = text.replace(/^\uFEFF/, '');
  // Excel reads and writes this line.
  const [separator, named] = /^sep=(.)\r?\n/i.exec(withoutMark) ?? [];
  const body = separator === undefined ? withoutMark : withoutMark.slice(separator.length);
  const delimiter = chosen ?? delimiters.find((item) => item === named) ?? delimiterOf(body);
  if (body.includes('\0')) refuse('This is not a text. Save the table as CSV, and choose that file.');
  const parser = Readable.from(portions(body)).pipe(
    parse({ delimiter, info: true, relaxColumnCount: true, relaxQuotes: true, skipEmptyLines: true, maxRecordSize: 1_000_000 }),
  );
  const turn = takeTurns();
  const lines: TableLine[] = [];
  let headings: string[] | undefined;
  // The parser counts a line break of two characters in quotation marks as two.
  let countedTwice = separator === undefined ? 0 : -1;
  try {
    for await (const entry of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      const { record, info } = entry;
      const cells = record.map(cellText);
      countedTwice += countIn(record, /\r\n/g);
      const line = info.lines - countedTwice - countIn(record, /\r\n|\n|\r/g);
      await turn();
      if (cells.every((cell) => cell === '')) continue;
      if (!headings) {
        headings = cells;
        continue;
      }
      if (lines.length >= listRowsMax) refuse(`This table has more than ${listRowsMax} lines. Import it in parts.`);
      lines.push({ line, cells });
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code, lines: at } = error as { code?: string; lines?: number };
    if (code === 'CSV_QUOTE_NOT_CLOSED') refuse(`A quotation mark is not closed (line ${at ?? 'unknown'}). Close it, or write it twice.`);
    if (code === 'CSV_MAX_RECORD_SIZE') refuse(`Line ${at ?? ''} is longer than a million characters. A quotation mark may be missing.`);
    refuse(`This is not a CSV: it cannot be read${at === undefined ? '' : ` from line ${at} on`}.`);
  }
  if (!headings) refuse('This table is empty. Its first line has the headings of the columns.');
  return { delimiter, headings: headings ?? [], lines };
}
