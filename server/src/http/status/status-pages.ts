/**
 * Public status pages: without sign-in, cached for half a minute, with a rate limit for each network. Visitors can subscribe to
 * updates.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tooManyRequests } from '@cloudfit/contract/errors.ts';
import { isLanguage } from '@cloudfit/contract/messages/language.ts';
import { mailAddressSchema } from '@cloudfit/contract/mail-address.ts';
import type { Html } from '../../auth/provider/page.ts';
import type { Database } from '../../db/connection.ts';
import { findPageById, readStatus, type PublishedPage } from '../../features/status-pages/read-status.ts';
import { feedName, feedNameIn, renderFeed } from '../../features/status-pages/render-feed.ts';
import { confirmButton, renderMissing, renderNote, renderStatus, styles, stylesPath } from '../../features/status-pages/render.ts';
import type { SubscriptionLinks } from '../../features/status-pages/subscription-links.ts';
import { publicStatusTextsIn, type PublicStatusTexts } from '../../features/status-pages/texts.ts';
import { askForConfirmation, confirmAddress, endSubscription } from '../../features/status-pages/subscriptions.ts';
import { languageHeaders, languageOf, type Language } from '../../platform/language.ts';
import { endReportMails } from '../../features/work-units/reports/end-report.ts';
import { endDigest } from '../../features/work-units/inbox/end-digest.ts';
import { endMailsToContact } from '../../features/work-units/contacts/end-mails.ts';
import { contactLinkPath, type ContactLinks } from '../../platform/contact-links.ts';
import { digestLinkPath, type DigestLinks } from '../../platform/digest-links.ts';
import { reportLinkPath, type ReportLinks } from '../../platform/report-links.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { networkOf } from '../../platform/network.ts';
import { namesTag } from '../../resources/get.ts';
import { asApiError } from '../errors.ts';
import { countUp, createBuckets, usualRates } from '../rate-limit.ts';
import { openPageLookup } from './page-lookup.ts';

const keptMs = 30_000;
const keptPages = 1_000;
/** The maximum number of confirmation mails in an hour: to one mailbox, for one page, and requested by one network. */
const asksPerHour = { address: 3, page: 200, network: 10 };
/** Returns the mailbox: many mail servers deliver `name+anything@example.com` to `name@example.com`. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@)/, '');
const emailSchema = mailAddressSchema('Please enter one mail address.');

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
};

interface Rendered {
  text: string;
  etag: string;
}

interface RenderedPage extends Rendered {
  feed: Rendered;
}

const tagged = (text: string): Rendered => ({ text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` });

/** What people and programs try for the feed of a page. */
const feedNames = /^(?:feed|rss|atom)(?:\.(?:xml|rss))?\/?$/i;

/** A page in each language, of the same reading. */
type Renderings = Readonly<Record<Language, RenderedPage>>;

export interface StatusPageOptions {
  database: Database;
  /** The links in mails to subscribers; undefined without a mail server, when nobody can subscribe. */
  links: SubscriptionLinks | undefined;
  /** The links in mails to contacts of a tenant. */
  contactLinks: ContactLinks;
  reportLinks: ReportLinks;
  /** The address at which the pages are open to the public. */
  publicUrl: string;
  digestLinks: DigestLinks;
}

const textsFor = (request: FastifyRequest): PublicStatusTexts => publicStatusTextsIn(languageOf(request.headers));

function answer(reply: FastifyReply, status: number, { lang }: PublicStatusTexts, text: string, cacheControl = 'no-store'): FastifyReply {
  return reply
    .code(status)
    .headers({ ...headers, ...languageHeaders(lang), 'cache-control': cacheControl })
    .type('text/html; charset=utf-8')
    .send(text);
}

const note = (reply: FastifyReply, status: number, texts: PublicStatusTexts, title: string, text: string, more?: Html) =>
  answer(reply, status, texts, renderNote(texts, title, text, more));

const missing = (reply: FastifyReply, texts: PublicStatusTexts) => answer(reply, 404, texts, renderMissing(texts));

export async function mountStatusPages(
  app: FastifyInstance,
  { database, links, contactLinks, reportLinks, digestLinks, publicUrl }: StatusPageOptions,
): Promise<void> {
  const limit = createBuckets(usualRates);
  const limited = (request: FastifyRequest) => limit({ actor: { kind: 'system', id: null, name: 'Status page' }, address: request.ip });
  const pages = await openPageLookup(database);
  app.addHook('onClose', () => pages.close());
  const all = database.scoped('all');
  const renderings = new Map<string, { until: number; rendering: Promise<Renderings> }>();

  /** Returns the rendering of a page, which callers share while it is fresh. A page that changed is rendered again. */
  function renderingOf(page: PublishedPage): Promise<Renderings> {
    const key = `${page.statusPageId} ${page.version}`;
    const now = Date.now();
    const recent = renderings.get(key);
    if (recent && recent.until > now) return recent.rendering;
    if (renderings.size >= keptPages) renderings.clear();
    // The connection is limited to the page's tenant.
    const rendering = readStatus(database.scoped([page.tenantId]), page, new Date(now)).then((status) => {
      const inLanguage = (language: Language): RenderedPage => {
        const texts = publicStatusTextsIn(language);
        const path = `/status/${page.address}`;
        const of = { uuid: uuidV5(page.statusPageId, 'feed'), url: `${publicUrl}${path}` };
        const feed = renderFeed(texts, status, of);
        const feedPath = `${path}/${feedNameIn(language)}`;
        return { ...tagged(renderStatus(texts, status, links ? page.address : undefined, feedPath)), feed: tagged(feed) };
      };
      return { en: inLanguage('en'), de: inLanguage('de') };
    });
    renderings.set(key, { until: now + keptMs, rendering });
    rendering.catch(() => renderings.delete(key));
    return rendering;
  }

  /** Sends addresses that are nearly right to the page or its feed. The others are of no page, and never of the portal. */
  async function redirect(request: FastifyRequest, reply: FastifyReply, rest = ''): Promise<FastifyReply> {
    const { address = '' } = request.params as { address?: string };
    const page = await pages.find(address.toLowerCase());
    const isFeed = feedNames.test(rest) || rest === feedName;
    // A form that was sent is opened again by the address of its answer.
    if (!page || !(isFeed || rest === '' || rest === 'subscribe')) return missing(reply, textsFor(request));
    const [, query] = request.url.split('?', 2);
    const path = `/status/${page.address}${isFeed ? `/${feedName}` : ''}`;
    return reply.header('cache-control', 'no-cache').redirect(query === undefined ? path : `${path}?${query}`, 301);
  }

  /**
   * Sends a mail to confirm a subscription. The answer is the same whether the address is subscribed, was entered
   * before, or belongs to nobody.
   */
  async function subscribe(request: FastifyRequest, reply: FastifyReply, to: SubscriptionLinks): Promise<FastifyReply> {
    limited(request);
    const texts = textsFor(request);
    const { updates } = texts;
    const page = await pages.find((request.params as { address: string }).address);
    if (!page) return missing(reply, texts);
    const email = emailSchema.safeParse((request.body as URLSearchParams | null)?.get('email')?.trim().toLowerCase()).data;
    if (email === undefined) return note(reply, 400, texts, updates.wrong, updates.wrongText);
    const isRare =
      (await countUp(all, `status-ask network ${networkOf(request.ip)}`, asksPerHour.network, '1 hour')) &&
      (await countUp(all, `status-ask page ${page.statusPageId}`, asksPerHour.page, '1 hour'));
    if (!isRare) throw tooManyRequests(updates.many, 600);
    if (await countUp(all, `status-ask address ${mailboxOf(email)}`, asksPerHour.address, '1 hour'))
      await askForConfirmation(database.scoped([page.tenantId]), page, email, languageOf(request.headers), to);
    return note(reply, 200, texts, updates.sent, updates.sentText);
  }

  async function confirm(request: FastifyRequest, reply: FastifyReply, to: SubscriptionLinks): Promise<FastifyReply> {
    limited(request);
    const texts = textsFor(request);
    const { updates } = texts;
    const target = to.readConfirm((request.params as { token: string }).token);
    if (target?.isExpired) return note(reply, 410, texts, updates.expired, updates.expiredText);
    const page = target && (await findPageById(all, target.statusPageId));
    if (!page) return note(reply, 404, texts, updates.title, updates.notValid);
    if (request.method !== 'POST') return note(reply, 200, texts, page.title, updates.ask(target.email), confirmButton(updates.confirm));
    return (await confirmAddress(database.scoped([page.tenantId]), page, target.email, target.language))
      ? note(reply, 200, texts, page.title, updates.confirmed(target.email))
      : note(reply, 409, texts, page.title, updates.full);
  }

  async function unsubscribe(request: FastifyRequest, reply: FastifyReply, to: SubscriptionLinks): Promise<FastifyReply> {
    limited(request);
    const texts = textsFor(request);
    const { updates } = texts;
    const target = to.readUnsubscribe((request.params as { token: string }).token);
    if (!target) return note(reply, 404, texts, updates.title, updates.notValid);
    if (request.method !== 'POST') return note(reply, 200, texts, updates.title, updates.askEnd, confirmButton(updates.unsubscribe));
    await endSubscription(database.scoped([target.tenantId]), target.tenantId, target.statusSubscriberId);
    return note(reply, 200, texts, updates.title, updates.ended);
  }

  /** Asks, and ends mails by one POST. `end` is undefined for a link that is not valid. */
  async function endBy(
    request: FastifyRequest,
    reply: FastifyReply,
    texts: Pick<PublicStatusTexts['contactMails'], 'title' | 'notValid' | 'askEnd' | 'ended'>,
    end: (() => Promise<void>) | undefined,
  ): Promise<FastifyReply> {
    const page = textsFor(request);
    if (!end) return note(reply, 404, page, texts.title, texts.notValid);
    if (request.method !== 'POST') return note(reply, 200, page, texts.title, texts.askEnd, confirmButton(page.updates.unsubscribe));
    await end();
    return note(reply, 200, page, texts.title, texts.ended);
  }

  async function endMails(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    limited(request);
    const target = contactLinks.read((request.params as { token: string }).token);
    const end = target && (() => endMailsToContact(database.scoped([target.tenantId]), target.tenantId, target.communicationContactId));
    return endBy(request, reply, textsFor(request).contactMails, end);
  }

  async function endReports(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    limited(request);
    const target = reportLinks.read((request.params as { token: string }).token);
    return endBy(request, reply, textsFor(request).reportMails, target && (() => endReportMails(all, target)));
  }

  async function endDigests(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    limited(request);
    const personId = digestLinks.read((request.params as { token: string }).token);
    return endBy(request, reply, textsFor(request).digestMails, personId === undefined ? undefined : () => endDigest(all, personId));
  }

  await app.register((scope, _options, ready) => {
    const config = { measuredAs: 'status' };
    scope.get(stylesPath, { config }, (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=3600').send(styles),
    );
    scope.get('/status/:address', { config }, async (request, reply) => {
      limited(request);
      const { address } = request.params as { address: string };
      const page = await pages.find(address);
      const texts = textsFor(request);
      if (!page) return address === address.toLowerCase() ? missing(reply, texts) : redirect(request, reply);
      const { text, etag } = (await renderingOf(page))[languageOf(request.headers)];
      // A cache must revalidate each time; otherwise it would show the page of a tenant that was disabled since. The
      // answer costs no statement.
      // Browsers take the headers of a 304 for the page that they have: without the policy of the page, it would lose its style.
      void reply.headers({ ...headers, etag, ...languageHeaders(texts.lang), 'cache-control': 'public, no-cache' });
      return namesTag(request.headers['if-none-match'], etag)
        ? reply.code(304).send()
        : answer(reply, 200, texts, text, 'public, no-cache');
    });
    scope.get(`/status/:address/${feedName}`, { config }, async (request, reply) => {
      limited(request);
      const { address } = request.params as { address: string };
      const page = await pages.find(address);
      const chosen = (request.query as { language?: unknown }).language;
      const language = isLanguage(chosen) ? chosen : languageOf(request.headers);
      const texts = publicStatusTextsIn(language);
      if (!page) return address === address.toLowerCase() ? missing(reply, texts) : redirect(request, reply, feedName);
      const { text, etag } = (await renderingOf(page))[language].feed;
      void reply.headers({ ...headers, etag, ...languageHeaders(texts.lang), 'cache-control': 'public, no-cache' });
      if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('application/atom+xml; charset=utf-8').send(text);
    });
    for (const path of ['/status', '/status/:address/*'])
      scope.get(path, { config }, (request, reply) => {
        limited(request);
        return redirect(request, reply, (request.params as { '*'?: string })['*']);
      });
    ready();
  });
  await app.register((scope, _options, ready) => {
    const config = { measuredAs: 'status' };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: 4_096 }, (_request, text, done) =>
      done(null, new URLSearchParams(String(text))),
    );
    // Mail programs should send their one click as this type (RFC 8058); nobody needs what is in it.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: 4_096 }, (_request, _body, done) =>
      done(null, new URLSearchParams()),
    );
    scope.setErrorHandler((error, request, reply) => {
      const { status, message, retryAfterSeconds } = asApiError(error);
      if (status >= 500) request.log.error({ err: error }, 'A subscription to a status page failed.');
      if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
      const texts = textsFor(request);
      const text = status === 429 ? texts.updates.many : texts.lang === 'en' ? message : texts.updates.failed;
      return note(reply, status, texts, texts.updates.title, text);
    });
    // Also without a mail server, because mails from before have the link.
    scope.route({ method: ['GET', 'POST'], url: `${contactLinkPath}:token`, config, handler: endMails });
    scope.route({ method: ['GET', 'POST'], url: `${reportLinkPath}:token`, config, handler: endReports });
    scope.route({ method: ['GET', 'POST'], url: `${digestLinkPath}:token`, config, handler: endDigests });
    if (!links) return ready();
    scope.post('/status/:address/subscribe', { config }, (request, reply) => subscribe(request, reply, links));
    for (const [path, handle] of [
      ['/status/confirm/:token', confirm],
      ['/status/unsubscribe/:token', unsubscribe],
    ] as const)
      scope.route({ method: ['GET', 'POST'], url: path, config, handler: (request, reply) => handle(request, reply, links) });
    ready();
  });
}
