/** The API description at `/docs`: Swagger UI with a content security policy that allows this address only. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { keptDocument, sendDocument, type KeptDocument } from './document.ts';

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

/** Mounts the page; its files are read on first request and kept. */
export function mountDocs(app: FastifyInstance): void {
  for (const [name, folder, type] of files) {
    let file: Promise<KeptDocument> | undefined;
    app.get(name === '' ? '/docs' : `/docs/${name}`, { compress: false }, async (request, reply) => {
      file ??= readFile(join(folder, name === '' ? 'page.html' : name)).then((content) => keptDocument(type, content));
      void reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' });
      return sendDocument(request, reply, await file);
    });
  }
}
