/** The content of a template of customers: a configuration document of one tenant, and what configurations leave out. */
import { z } from 'zod';
import { configurationDocument } from '../configuration.ts';
import { guidSchema } from '../resource.ts';

const access = z
  .strictObject({
    /** The user name of a person of this installation. */
    userName: z.string().trim().min(1).max(320).nullish(),
    /** A group of the identity provider, instead of a person. */
    claim: z.string().trim().min(1).max(200).nullish(),
    /** A set of the document, or one for all tenants. */
    permissionSetId: guidSchema,
  })
  .refine(({ userName, claim }) => (userName ?? null) === null || (claim ?? null) === null, 'Send either a userName or a claim.')
  .refine(({ userName, claim }) => (userName ?? claim ?? null) !== null, 'Send a userName or a claim.');

export const templateContent = z.strictObject({
  document: configurationDocument,
  access: z.array(access).max(500, 'A template gives at most 500 grants.').default([]),
  /** Tokens as they are created by `PUT /v1/tokens`, with the ids of the document. Values of tokens are in no template. */
  tokens: z.array(z.record(z.string(), z.unknown())).max(50, 'A template makes at most 50 tokens.').default([]),
});

export type TemplateContent = z.infer<typeof templateContent>;
