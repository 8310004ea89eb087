/** Serves the built portal: hashed files are cached forever, the page gets a new nonce each time and is in the reader's language. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { languageHeaders, languageOf, type Language } from '../platform/language.ts';
import { sendError } from './errors.ts';
import { leavePageHeaders } from './security-headers.ts';

export interface PortalOptions {
  folder: string;
  /** Origin of the sign-in provider, which the page may call and frame. */
  authority: string;
  /** Called for each page that a browser opens: a sign-in may follow. */
  opened?: () => void;
}

function policy(nonce: string, authority: string, frameable: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ${authority}`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    `frame-src 'self' ${authority}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action 'self' ${authority}`,
    `frame-ancestors ${frameable ? "'self'" : "'none'"}`,
  ].join('; ');
}

/** Files with hashed names never change; images may be cached for a day. */
function cacheControl(path: string): string {
  if (path.includes('/assets/')) return 'public, max-age=31536000, immutable';
  return path.endsWith('.svg') ? 'public, max-age=86400' : 'no-cache';
}

/** Files that a page loads and that nobody opens as a page. */
const pagePart = /\/assets\/[^/]+\.(js|css|woff2)(\.(br|gz))?$/;

/** What browsers, crawlers and scanners ask for by its usual name: no address of a page ends so, or has a name that begins with a dot. */
const fileName = /\/\.|\.(txt|xml|ico|png|jpe?g|gif|svg|webp|js|mjs|css|map|json|webmanifest|php|env|ya?ml)$/i;

/** Path of the service worker, which shows push messages and acknowledges work units by their links. */
const pushWorker = '/push-worker.js';

/** Returns whether a program makes the request: a program with a misspelled address gets 404 and not a page. */
function isCall({ url, headers: { accept } }: FastifyRequest): boolean {
  return /^\/(api|v\d+)([/?]|$)/i.test(url) || (accept !== undefined && /json/i.test(accept) && !/html|\*\/\*/i.test(accept));
}

interface PortalPage {
  texts: Readonly<Record<Language, string>>;
  frameable: boolean;
}

export async function mountPortal(app: FastifyInstance, options: PortalOptions): Promise<void> {
  const authority = new URL(options.authority).origin;
  const readOne = async (name: string): Promise<string> => {
    const file = join(options.folder, name);
    return existsSync(file)
      ? readFile(file, 'utf8')
      : '<!doctype html><title>CloudFit Software</title><p>The portal is not built. Run npm start.</p>';
  };
  const read = async (name: string): Promise<PortalPage['texts']> => ({
    en: await readOne(`${name}.html`),
    de: await readOne(`${name}.de.html`),
  });
  const index: PortalPage = { texts: await read('index'), frameable: false };
  const silent: PortalPage = { texts: await read('silent'), frameable: true };

  function send({ headers }: FastifyRequest, reply: FastifyReply, page: PortalPage): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    const language = languageOf(headers);
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        'cache-control': 'no-store',
        ...languageHeaders(language),
        'content-security-policy': policy(nonce, authority, page.frameable),
        ...(page.frameable ? { 'x-frame-options': 'SAMEORIGIN' } : {}),
      })
      .send(page.texts[language].replaceAll('__CSP_NONCE__', nonce));
  }

  const open = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    options.opened?.();
    return send(request, reply, index);
  };

  const setHeaders: NonNullable<FastifyStaticOptions['setHeaders']> = (reply, path) => {
    reply.header('cache-control', cacheControl(path));
    if (pagePart.test(path)) leavePageHeaders(reply);
    if (path.includes(pushWorker)) reply.header('content-security-policy', "default-src 'none'; connect-src 'self'");
  };
  const files = { index: false, preCompressed: true, cacheControl: false, decorateReply: false, setHeaders } as const;
  if (existsSync(options.folder)) {
    await app.register(fastifyStatic, {
      ...files,
      root: options.folder,
      wildcard: false,
      globIgnore: ['assets/**', '*.html', '**/*.{gz,br}'],
    });
    // One route for all assets: hundreds of routes with names that begin alike would take a tenth of the server's start.
    await app.register(fastifyStatic, { ...files, root: join(options.folder, 'assets'), prefix: '/assets/' });
  }
  app.get('/user/silent', (request, reply) => send(request, reply, silent));
  app.get('/', open);
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const [path = ''] = request.url.split('?');
    const isFile = path.startsWith('/assets/') || fileName.test(path);
    const wantsPage = ['GET', 'HEAD'].includes(request.method) && !isFile && !isCall(request);
    return wantsPage ? open(request, reply) : sendError(new ApiError('NotFound', 'There is nothing at this address.'), request, reply);
  });
}
