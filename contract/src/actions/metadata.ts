/** What the API says of itself (data-api, "Metadata"). All of it is the same for every caller, so signing in is enough. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

/** The names of all sets. */
export const serviceDocument = defineAction({
  name: 'serviceDocument',
  method: 'GET',
  path: '/v1/',
  access: 'signed-in',
  input: z.object({}),
  output: z.object({
    '@odata.context': z.string(),
    value: z.array(z.object({ name: z.string(), kind: z.string(), url: z.string() })),
  }),
});

/** The model: XML, or JSON for clients that ask for it. */
export const metadata = defineAction({ name: 'metadata', method: 'GET', path: '/v1/$metadata', access: 'signed-in', input: z.object({}) });

/** Every call, as OpenAPI 3.1. */
export const openApiDescription = defineAction({
  name: 'openApi',
  method: 'GET',
  path: '/v1/openapi.json',
  access: 'signed-in',
  input: z.object({}),
});
