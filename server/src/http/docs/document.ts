/** Documents that are the same for every caller: written once, compressed once for each encoding, and kept. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { namesTag } from '../../resources/get.ts';

const compressors = {
  br: (content: Buffer) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
} as const;

type Encoding = keyof typeof compressors;

export interface KeptDocument {
  type: string;
  etag: string;
  content: Buffer;
  compressed: Partial<Record<Encoding, Promise<Buffer>>>;
}

export function keptDocument(type: string, text: string | Buffer): KeptDocument {
  const content = Buffer.from(text);
  return { type, etag: `"${createHash('sha1').update(content).digest('base64url')}"`, content, compressed: {} };
}

/** Returns the best encoding that the client accepts; undefined for none. */
function encodingFor(accepted = ''): Encoding | undefined {
  const ranges = accepted
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()));
  const accepts = (name: string): boolean =>
    ranges.some(([encoding, q]) => encoding === name && !(q?.startsWith('q=') && Number(q.slice(2)) === 0));
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : undefined;
}

/** Sends the document, or 304 to a client that has it. The route must not compress its answer again. */
export async function sendDocument(request: FastifyRequest, reply: FastifyReply, document: KeptDocument): Promise<FastifyReply> {
  const { type, etag, content, compressed } = document;
  const vary = reply.getHeader('vary');
  void reply.headers({ etag, vary: vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding` });
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const encoding = encodingFor(String(request.headers['accept-encoding'] ?? ''));
  void reply.type(type);
  if (encoding === undefined) return reply.send(content);
  compressed[encoding] ??= compressors[encoding](content);
  return reply.header('content-encoding', encoding).send(await compressed[encoding]);
}
