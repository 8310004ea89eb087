/** The page of a link that acknowledges a work unit, without sign-in and for that unit only. Only its button has an effect. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AckLinks } from '../platform/ack-links.ts';
import { asApiError } from './errors.ts';
import { assets, html, page, securityHeaders, type Html } from '../auth/provider/page.ts';
import type { UnitOfLink, LinkedUnits } from '../features/work-units/acknowledge-link.ts';

export interface AckPageOptions {
  links: AckLinks;
  units: LinkedUnits;
}

const notValid = html`<p>This link is not valid. It was changed on its way, or the work unit is no longer there for you.</p>`;
const expired = html`<p>This link has expired. Sign in to the portal to acknowledge the work unit.</p>`;

function facts({ title, severityId, stateId, tenantName }: UnitOfLink): Html {
  return html`<dl>
    <dt>Title</dt>
    <dd>${title}</dd>
    <dt>Severity</dt>
    <dd>${severityId}</dd>
    <dt>State</dt>
    <dd>${stateId}</dd>
    <dt>Tenant</dt>
    <dd>${tenantName}</dd>
  </dl>`;
}

/** Returns the action that the page offers, or why it offers none. */
function outcome({ stateId, acknowledgedBy, acknowledgedAt }: UnitOfLink): Html {
  if (stateId === 'New') return html`<form method="post"><button type="submit">Acknowledge</button></form>`;
  if (acknowledgedBy === null) return html`<p role="status">It is ${stateId}; there is nothing to acknowledge.</p>`;
  return html`<p role="status">Already acknowledged by ${acknowledgedBy}, ${acknowledgedAt ?? ''}. It is ${stateId} now.</p>`;
}

function answer(reply: FastifyReply, status: number, title: string, body: Html): FastifyReply {
  return reply
    .code(status)
    .headers({ ...securityHeaders(false), 'x-robots-tag': 'noindex' })
    .type('text/html; charset=utf-8')
    .send(page(title, body, { styles: '/ack/page.css' }));
}

const nameOf = ({ publicWorkUnitId }: UnitOfLink): string => `Work unit #${publicWorkUnitId}`;

export function mountAckPage(app: FastifyInstance, { links, units }: AckPageOptions): void {
  const config = { measuredAs: 'ack' };

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const target = links.read((request.params as { token: string }).token);
    if (!target) return answer(reply, 404, 'Acknowledge', notValid);
    if (target.isExpired) return answer(reply, 410, 'Acknowledge', expired);
    if (request.method !== 'POST') {
      const unit = await units.look(target);
      if (!unit) return answer(reply, 404, 'Acknowledge', notValid);
      // The page does not wait for it. HEAD is how programs look whether a link works.
      if (request.method === 'GET')
        void units.opened(target).catch((error: unknown) => request.log.warn({ err: error }, 'An opened link could not be stored.'));
      return answer(reply, 200, nameOf(unit), html`${facts(unit)}${outcome(unit)}`);
    }
    const done = await units.acknowledge(target, request.ip);
    if (!done) return answer(reply, 404, 'Acknowledge', notValid);
    const { unit, isNew } = done;
    const message = isNew ? html`<p role="status">${nameOf(unit)} is acknowledged.</p>` : outcome(unit);
    return answer(reply, 200, nameOf(unit), html`${facts(unit)}${message}`);
  }

  void app.register((scope, _options, ready) => {
    // Accepts a form without reading its fields.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 1_024 }, (_request, _body, done) => done(null, undefined));
    scope.setErrorHandler((error, request, reply) => {
      request.log.warn({ err: error }, 'A work unit could not be acknowledged by its link.');
      const { status, message } = asApiError(error);
      return answer(reply, status, 'Acknowledge', html`<p role="alert">The work unit could not be acknowledged: ${message}</p>`);
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
