/** The API description at `/docs`: Swagger UI with a content security policy that allows this address only. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { namesTag } from '../../resources/get.ts';

const assets = join(import.meta.dirname, 'assets');
const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** File name, path and content type. */
const files: readonly [string, string, string][] = [
  ['', assets, 'text/html; charset=utf-8'],
  ['page.js', assets, 'text/javascript; charset=utf-8'],
  ['page.css', assets, 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', library, 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', library, 'text/css; charset=utf-8'],
];

// Images in the library's style sheet are data URLs; everything else comes from this address, and nothing is inline.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface File {
  content: Buffer;
  zipped: Buffer;
  etag: string;
}

async function load(folder: string, name: string): Promise<File> {
  const content = await readFile(join(folder, name === '' ? 'page.html' : name));
  return { content, zipped: await promisify(gzip)(content), etag: `"${createHash('sha1').update(content).digest('base64url')}"` };
}

/** Mounts the page; its files are read on first request and cached. */
export function mountDocs(app: FastifyInstance): void {
  for (const [name, folder, type] of files) {
    let file: Promise<File> | undefined;
    app.get(name === '' ? '/docs' : `/docs/${name}`, async (request, reply) => {
      file ??= load(folder, name);
      const { content, zipped, etag } = await file;
      void reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', etag, vary: 'accept-encoding' });
      if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const takesZip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      if (takesZip) void reply.header('content-encoding', 'gzip');
      return reply.type(type).send(takesZip ? zipped : content);
    });
  }
}
