/** Answers what the API says of itself: the service document, the model and the OpenAPI description. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '@cloudfit/contract/action.ts';
import { metadata, openApiDescription, serviceDocument } from '@cloudfit/contract/actions/metadata.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Implemented } from '../../resources/action.ts';
import { actionFinder } from '../actions.ts';
import type { ApiOptions, RawCall } from '../api.ts';
import { contentType, negotiateJson, negotiateMetadata } from '../negotiate.ts';
import { csdlXml } from './csdl-xml.ts';
import { csdl } from './csdl.ts';
import { openApi } from './openapi.ts';

export const descriptionActions = [serviceDocument, metadata, openApiDescription] as readonly unknown[] as readonly Action[];

interface Text {
  text: string;
  etag: string;
}

/** Made when it is first asked for, and kept: declarations do not change while the server runs. */
function kept(make: () => string): () => Text {
  let text: Text | undefined;
  return () => {
    if (!text) {
      const made = make();
      text = { text: made, etag: `"${createHash('sha1').update(made).digest('base64url')}"` };
    }
    return text;
  };
}

function send(request: FastifyRequest, reply: FastifyReply, type: string, { text, etag }: Text): FastifyReply {
  void reply.header('etag', etag);
  return request.headers['if-none-match']?.includes(etag) ? reply.code(304).send() : reply.type(type).send(text);
}

/** The calls of the server and these beside them, for the router. */
export function withDescription(
  implemented: readonly Implemented[],
  calls: ReadonlyMap<string, RawCall>,
  options: { publicUrl: string; version: string },
): Pick<ApiOptions, 'findAction' | 'rawCalls'> {
  const all = [...implemented.map(({ action }) => action), ...descriptionActions];
  const root = `${options.publicUrl}/v1`;
  const sets = kept(() =>
    JSON.stringify({
      '@odata.context': `${root}/$metadata`,
      value: resources.map(({ name }) => ({ name, kind: 'EntitySet', url: name })),
    }),
  );
  const xml = kept(() => csdlXml(csdl(resources, all, 'xml')));
  const json = kept(() => JSON.stringify(csdl(resources, all, 'json')));
  const description = kept(() => JSON.stringify(openApi(resources, all, options)));
  const own = new Map<Action, RawCall>([
    [
      serviceDocument as Action,
      async (_ctx, request, reply, path) => send(request, reply, contentType(negotiateJson(request.headers, path.rawQuery)), sets()),
    ],
    [
      metadata as Action,
      async (_ctx, request, reply, path) =>
        negotiateMetadata(request.headers, path.rawQuery) === 'json'
          ? send(request, reply, 'application/json', json())
          : send(request, reply, 'application/xml; charset=utf-8', xml()),
    ],
    [openApiDescription as Action, async (_ctx, request, reply) => send(request, reply, 'application/json; charset=utf-8', description())],
  ]);
  const run = (): never => {
    throw new Error('A description answers by itself.');
  };
  return {
    findAction: actionFinder([...implemented, ...descriptionActions.map((action) => ({ action, run }))]),
    rawCalls: new Map([...calls, ...[...own].map(([{ method, path }, call]) => [`${method} ${path}`.toLowerCase(), call] as const)]),
  };
}
