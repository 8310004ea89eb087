/** Sends files of rows: `GET` or `POST /v1/{set}/Export()`, and what an action answers as a file. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { csvText, type CsvFile } from '../resources/csv.ts';
import { servedNamed, type AnyServed } from '../resources/served.ts';
import type { ApiPath } from './path.ts';

/** The resource whose export a path names, or null. */
export function exportTarget(path: ApiPath, method: string): AnyServed | null {
  const [set = '', call = '', ...more] = path.segments;
  if (path.root !== 'v1' || more.length > 0 || !/^export(?:\(\))?$/i.test(call) || !['GET', 'HEAD', 'POST'].includes(method)) return null;
  const resource = findResource(set);
  return resource?.verbs.includes('export') ? servedNamed(resource.name) : null;
}

/** Streams it as an attachment under its name. */
export function sendCsv(reply: FastifyReply, file: CsvFile): FastifyReply {
  const name = file.csv.replaceAll(/[^\w.-]/g, '_');
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(csvText(file)));
}
