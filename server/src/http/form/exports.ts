/** Sends files of rows: `GET` or `POST /v1/{set}/Export()`, and files that an action returns. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvText, type CsvFile } from '../../resources/csv.ts';

/** Streams the file as an attachment with its name. */
export function sendCsv(reply: FastifyReply, file: CsvFile): FastifyReply {
  const name = file.csv.replaceAll(/[^\w.-]/g, '_');
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(csvText(file)));
}
