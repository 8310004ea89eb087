/** The configuration of an installation as one document: rows by resource, as they travel, under the keys that they have where they come from. */
import { z } from 'zod';

export const configurationDocument = z.object({
  cloudfit: z.literal('configuration', { error: 'This is no configuration of CloudFit.' }),
  version: z.literal(1, { error: 'Only version 1 of configurations can be read.' }),
  /** When it was exported. */
  exported: z.iso.datetime().optional(),
  rows: z.record(z.string(), z.array(z.record(z.string(), z.unknown()), { error: 'The rows of a resource are a list.' }).max(50_000)),
});

export type ConfigurationDocument = z.infer<typeof configurationDocument>;

const fieldChange = z.object({ field: z.string(), before: z.unknown(), after: z.unknown() });

/** What an import did, or would do. Rows that are as they should be are counted only. */
export const importOutcome = z.object({
  dryRun: z.boolean(),
  added: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  changes: z.array(
    z.object({
      resource: z.string(),
      verb: z.enum(['add', 'change']),
      name: z.string(),
      /** The row's key here; of a row that a dry run would add, the one that it would get. */
      key: z.union([z.string(), z.number()]),
      fields: z.array(fieldChange),
    }),
  ),
});

export type ImportOutcome = z.infer<typeof importOutcome>;
