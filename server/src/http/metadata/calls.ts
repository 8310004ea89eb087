/** Serves the descriptions of the API: the service document, the model and the OpenAPI description. */
import type { Action } from '@cloudfit/contract/action.ts';
import { metadata, openApiDescription, serviceDocument } from '@cloudfit/contract/actions/metadata.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { ImplementedAction } from '../../resources/action.ts';
import { queryOf } from '../address.ts';
import { keptDocument, sendDocument, type KeptDocument } from '../docs/document.ts';
import type { ApiOptions } from '../api.ts';
import { contentType, negotiateJson, negotiateMetadata } from '../form/negotiate.ts';
import type { RawRoute } from '../request-steps.ts';
import { csdlXml } from './csdl-xml.ts';
import { csdl } from './csdl.ts';
import { openApi } from './openapi.ts';

export const descriptionActions = [serviceDocument, metadata, openApiDescription] as readonly unknown[] as readonly Action[];

/**
 * Returns a function that writes the document at the first request and keeps it: declarations do not change while the
 * server runs.
 */
function onFirstUse(type: string, write: () => string): () => KeptDocument {
  let document: KeptDocument | undefined;
  return () => (document ??= keptDocument(type, write()));
}

/** Returns the calls of the server, including those that describe all calls. */
export function withDescription(
  actions: readonly ImplementedAction[],
  rawRoutes: readonly RawRoute[],
  options: { publicUrl: string; version: string },
): Pick<ApiOptions, 'actions' | 'rawRoutes' | 'version'> {
  const all = [...[...actions, ...rawRoutes].map(({ action }) => action), ...descriptionActions];
  return { actions, rawRoutes: [...rawRoutes, ...descriptionRoutes(all, options)], version: options.version };
}

function descriptionRoutes(all: readonly Action[], options: { publicUrl: string; version: string }): readonly RawRoute[] {
  const root = `${options.publicUrl}/v1`;
  const sets = onFirstUse(contentType({ ieee754: false }), () =>
    JSON.stringify({
      '@odata.context': `${root}/$metadata`,
      value: resources.map(({ name }) => ({ name, kind: 'EntitySet', url: name })),
    }),
  );
  const xml = onFirstUse('application/xml; charset=utf-8', () => csdlXml(csdl(resources, all, 'xml')));
  const json = onFirstUse('application/json', () => JSON.stringify(csdl(resources, all, 'json')));
  const description = onFirstUse('application/json; charset=utf-8', () => JSON.stringify(openApi(resources, all, options)));
  return [
    {
      action: serviceDocument as Action,
      answersFile: true,
      inBatch: true,
      call: async (_ctx, request, reply) => {
        const type = contentType(negotiateJson(request.headers, queryOf(request.url)));
        return sendDocument(request, reply, { ...sets(), type });
      },
    },
    {
      action: metadata as Action,
      answersFile: true,
      inBatch: true,
      call: async (_ctx, request, reply) =>
        sendDocument(request, reply, negotiateMetadata(request.headers, queryOf(request.url)) === 'json' ? json() : xml()),
    },
    {
      action: openApiDescription as Action,
      answersFile: true,
      inBatch: true,
      call: async (_ctx, request, reply) => sendDocument(request, reply, description()),
    },
  ];
}
