/** Sends files of rows: `GET` or `POST /v1/{set}/Export()`, and files that an action returns. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { byteOrderMark } from '@cloudfit/contract/csv.ts';
import { csvText, type CsvFile } from '../../resources/csv.ts';
import type { ListPage } from '../../resources/list.ts';

/** Returns the rows as a JSON list with one row on each line, so that a client can count rows while it reads. */
export function rowsJson({ value, count }: ListPage, context: string, next: string | undefined): string {
  const total = count === undefined ? '' : `"@odata.count":${count},`;
  const link = next === undefined ? '' : `,"@odata.nextLink":${JSON.stringify(next)}`;
  const rows = value.map((row) => `\n${JSON.stringify(row)}`).join(',');
  return `{"@odata.context":${JSON.stringify(context)},${total}"value":[${rows}]${link}}`;
}

/** The media type of a file of rows. */
export const csvType = 'text/csv; charset=utf-8; header=present';

function* fileText(file: CsvFile): Generator<string> {
  yield byteOrderMark;
  yield* csvText(file);
}

/** Streams the file as an attachment with its name. */
export function sendCsv(reply: FastifyReply, file: CsvFile): FastifyReply {
  const name = file.csv.replaceAll(/[^\w.-]/g, '_');
  return reply
    .type(csvType)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(fileText(file)));
}
