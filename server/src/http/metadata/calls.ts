/** Serves the descriptions of the API: the service document, the model and the OpenAPI description. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '@cloudfit/contract/action.ts';
import { metadata, openApiDescription, serviceDocument } from '@cloudfit/contract/actions/metadata.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { ImplementedAction } from '../../resources/action.ts';
import { queryOf } from '../address.ts';
import type { ApiOptions } from '../api.ts';
import { contentType, negotiateJson, negotiateMetadata } from '../form/negotiate.ts';
import type { RawRoute } from '../request-steps.ts';
import { csdlXml } from './csdl-xml.ts';
import { csdl } from './csdl.ts';
import { openApi } from './openapi.ts';

export const descriptionActions = [serviceDocument, metadata, openApiDescription] as readonly unknown[] as readonly Action[];

interface Description {
  text: string;
  etag: string;
}

/**
 * Returns a function that creates the text at the first request and caches it: declarations do not change while the
 * server runs.
 */
function onFirstUse(write: () => string): () => Description {
  let description: Description | undefined;
  return () => {
    if (!description) {
      const text = write();
      description = { text, etag: `"${createHash('sha1').update(text).digest('base64url')}"` };
    }
    return description;
  };
}

function send(request: FastifyRequest, reply: FastifyReply, type: string, { text, etag }: Description): FastifyReply {
  void reply.header('etag', etag);
  return request.headers['if-none-match']?.includes(etag) ? reply.code(304).send() : reply.type(type).send(text);
}

/** Returns the calls of the server, including those that describe all calls. */
export function withDescription(
  actions: readonly ImplementedAction[],
  rawRoutes: readonly RawRoute[],
  options: { publicUrl: string; version: string },
): Pick<ApiOptions, 'actions' | 'rawRoutes'> {
  const all = [...[...actions, ...rawRoutes].map(({ action }) => action), ...descriptionActions];
  return { actions, rawRoutes: [...rawRoutes, ...descriptionRoutes(all, options)] };
}

function descriptionRoutes(all: readonly Action[], options: { publicUrl: string; version: string }): readonly RawRoute[] {
  const root = `${options.publicUrl}/v1`;
  const sets = onFirstUse(() =>
    JSON.stringify({
      '@odata.context': `${root}/$metadata`,
      value: resources.map(({ name }) => ({ name, kind: 'EntitySet', url: name })),
    }),
  );
  const xml = onFirstUse(() => csdlXml(csdl(resources, all, 'xml')));
  const json = onFirstUse(() => JSON.stringify(csdl(resources, all, 'json')));
  const description = onFirstUse(() => JSON.stringify(openApi(resources, all, options)));
  return [
    {
      action: serviceDocument as Action,
      call: async (_ctx, request, reply) => send(request, reply, contentType(negotiateJson(request.headers, queryOf(request.url))), sets()),
    },
    {
      action: metadata as Action,
      call: async (_ctx, request, reply) =>
        negotiateMetadata(request.headers, queryOf(request.url)) === 'json'
          ? send(request, reply, 'application/json', json())
          : send(request, reply, 'application/xml; charset=utf-8', xml()),
    },
    {
      action: openApiDescription as Action,
      call: async (_ctx, request, reply) => send(request, reply, 'application/json; charset=utf-8', description()),
    },
  ];
}
