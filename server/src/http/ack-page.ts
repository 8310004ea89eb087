/** The page of a link that acknowledges a work unit, without sign-in and for that unit only. Only its button has an effect. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acknowledgePage as german } from '@cloudfit/contract/messages/acknowledge-page.de.ts';
import { acknowledgePage as english } from '@cloudfit/contract/messages/acknowledge-page.en.ts';
import { choiceText as germanChoice } from '@cloudfit/contract/messages/choices.de.ts';
import type { Texts } from '@cloudfit/contract/messages/texts.ts';
import type { AckLinks, AckTarget } from '../platform/ack-links.ts';
import { readerOfPage, type TextReader } from '../platform/language.ts';
import { momentText } from '../platform/times.ts';
import { asApiError } from './errors.ts';
import { assets, html, page, securityHeaders, type Html } from '../auth/provider/page.ts';
import type { UnitOfLink, LinkedUnits } from '../features/work-units/acknowledge-link.ts';

export interface AckPageOptions {
  links: AckLinks;
  units: LinkedUnits;
}

/** The texts for one reader, and how a state is called in their language. */
interface AckTexts {
  texts: Texts<typeof english>;
  stateText: (state: string) => string;
  reader: TextReader;
}

const catalogues = {
  en: { texts: english, stateText: (state: string) => state },
  de: { texts: german, stateText: germanChoice },
};

const shownTo = (reader: TextReader): AckTexts => ({ ...catalogues[reader.language], reader });

function facts({ texts, stateText }: AckTexts, { title, severityId, stateId, tenantName }: UnitOfLink): Html {
  const { facts: labels } = texts;
  return html`<dl>
    <dt>${labels.title}</dt>
    <dd>${title}</dd>
    <dt>${labels.severity}</dt>
    <dd>${severityId}</dd>
    <dt>${labels.state}</dt>
    <dd>${stateText(stateId)}</dd>
    <dt>${labels.tenant}</dt>
    <dd>${tenantName}</dd>
  </dl>`;
}

/** Returns the action that the page offers, or why it offers none. */
function outcome({ texts, stateText, reader }: AckTexts, { stateId, acknowledgedBy, acknowledgedAt }: UnitOfLink): Html {
  if (stateId === 'New') return html`<form method="post"><button type="submit">${texts.submit}</button></form>`;
  if (acknowledgedBy === null) return html`<p role="status">${texts.nothing(stateText(stateId))}</p>`;
  const at = acknowledgedAt === null ? '' : momentText(reader, acknowledgedAt);
  return html`<p role="status">${texts.already(acknowledgedBy, at, stateText(stateId))}</p>`;
}

function answer(reply: FastifyReply, status: number, lang: string, title: string, body: Html): FastifyReply {
  return reply
    .code(status)
    .headers({ ...securityHeaders(false), 'x-robots-tag': 'noindex' })
    .type('text/html; charset=utf-8')
    .send(page(lang, title, body, { styles: '/ack/page.css' }));
}

export function mountAckPage(app: FastifyInstance, { links, units }: AckPageOptions): void {
  const config = { measuredAs: 'ack' };

  const targetOf = (request: FastifyRequest) => links.read((request.params as { token: string }).token);

  /** In the language of the person to whom the link was sent, as far as one is known, and otherwise of the browser. */
  const shownIn = async ({ headers }: FastifyRequest, target: AckTarget | undefined): Promise<AckTexts> =>
    shownTo(readerOfPage(headers, target && (await units.localeOf(target))));

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const target = targetOf(request);
    const shown = await shownIn(request, target);
    const { texts } = shown;
    const refuse = (status: number, why: string) => answer(reply, status, texts.lang, texts.title, html`<p>${why}</p>`);
    if (!target) return refuse(404, texts.notValid);
    if (target.isExpired) return refuse(410, texts.expired);
    const isPost = request.method === 'POST';
    const done = isPost ? await units.acknowledge(target, request.ip) : undefined;
    const unit = isPost ? done?.unit : await units.look(target);
    if (!unit) return refuse(404, texts.notValid);
    // The page does not wait for it. HEAD is how programs look whether a link works.
    if (request.method === 'GET')
      void units.opened(target).catch((error: unknown) => request.log.warn({ err: error }, 'An opened link could not be stored.'));
    const name = texts.unit(unit.publicWorkUnitId);
    const message = done?.isNew ? html`<p role="status">${texts.done(name)}</p>` : outcome(shown, unit);
    return answer(reply, 200, texts.lang, name, html`${facts(shown, unit)}${message}`);
  }

  void app.register((scope, _options, ready) => {
    // Accepts a form without reading its fields.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 1_024 }, (_request, _body, done) => done(null, undefined));
    scope.setErrorHandler((error, request, reply) => {
      const { texts } = shownTo(readerOfPage(request.headers));
      request.log.warn({ err: error }, 'A work unit could not be acknowledged by its link.');
      const { status, message } = asApiError(error);
      return answer(reply, status, texts.lang, texts.title, html`<p role="alert">${texts.failed} <span lang="en">${message}</span></p>`);
    });
    scope.get('/ack/page.css', { config }, (_request, reply) => {
      const { type, text } = assets.get('/assets/sign-in.css') ?? { type: 'text/css', text: '' };
      return reply.type(type).header('cache-control', 'max-age=3600').send(text);
    });
    scope.get('/ack/:token', { config }, show);
    scope.post('/ack/:token', { config }, show);
    ready();
  });
}
