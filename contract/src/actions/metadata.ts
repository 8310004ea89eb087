/** Descriptions of the API. Any signed-in caller may read them, as they are equal for all. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

export const serviceDocument = defineAction({
  name: 'serviceDocument',
  method: 'GET',
  path: '/v1/',
  access: 'signed-in',
  about: 'Lists the names of all entity sets.',
  input: z.object({}),
  output: z.object({
    '@odata.context': z.string(),
    value: z.array(z.object({ name: z.string(), kind: z.string(), url: z.string() })),
  }),
});

export const metadata = defineAction({
  name: 'metadata',
  method: 'GET',
  path: '/v1/$metadata',
  access: 'signed-in',
  about: 'The data model as XML, or as JSON on request.',
  input: z.object({}),
  content: 'application/xml',
});

export const openApiDescription = defineAction({
  name: 'openApi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'signed-in',
  about: 'Describes every call as OpenAPI 3.1.',
  input: z.object({}),
  content: 'application/json',
});
