/** Public status pages: without sign-in, kept for half a minute, and at most so often for one network. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../../db/connection.ts';
import { findPublicPage, readStatus, type PublishedPage } from '../../features/status-pages/read-status.ts';
import { renderMissing, renderStatus, styles, stylesPath } from '../../features/status-pages/render.ts';
import { createBuckets, usualRates } from '../rate-limit.ts';

const keptMs = 30_000;
const keptPages = 1_000;

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
};

function answer(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': status === 200 ? `public, max-age=${keptMs / 1_000}` : 'no-store' })
    .type('text/html; charset=utf-8')
    .send(text);
}

export function mountStatusPages(app: FastifyInstance, database: Database): void {
  const limit = createBuckets(usualRates);
  const renderings = new Map<string, { until: number; text: Promise<string> }>();

  /** Callers at the same time share one reading. A page that changed is read again. */
  function textOf(page: PublishedPage): Promise<string> {
    const key = `${page.statusPageId} ${page.version}`;
    const now = Date.now();
    const recent = renderings.get(key);
    if (recent && recent.until > now) return recent.text;
    if (renderings.size >= keptPages) renderings.clear();
    // The connection holds the page's tenant alone.
    const text = readStatus(database.scoped([page.tenantId]), page, new Date(now)).then(renderStatus);
    renderings.set(key, { until: now + keptMs, text });
    text.catch(() => renderings.delete(key));
    return text;
  }

  void app.register((scope, _options, ready) => {
    const config = { measuredAs: 'status' };
    scope.get(stylesPath, { config }, (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=3600').send(styles),
    );
    scope.get('/status/:address', { config }, async (request, reply) => {
      limit({ actor: { kind: 'system', id: null, name: 'Status page' }, address: request.ip });
      const page = await findPublicPage(database.scoped('all'), (request.params as { address: string }).address);
      return page ? answer(reply, 200, await textOf(page)) : answer(reply, 404, renderMissing());
    });
    ready();
  });
}
