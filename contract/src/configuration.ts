/** The configuration of an installation as one document: API rows by resource, with the ids of the exporting installation. */
import { z } from 'zod';
import { limits } from './limits.ts';

export const configurationDocument = z.object({
  cloudfit: z.literal('configuration', { error: 'This is not a CloudFit configuration.' }),
  version: z.literal(1, { error: 'Only version 1 of configurations can be read.' }),
  /** The time of the export. */
  exported: z.iso.datetime().optional(),
  rows: z
    .record(z.string(), z.array(z.record(z.string(), z.unknown()), { error: 'The rows of a resource are a list.' }))
    .refine(
      (rows) => Object.values(rows).reduce((sum, list) => sum + list.length, 0) <= limits.importRows,
      `A configuration has at most ${limits.importRows} rows in one import. Import it in parts, each after those it refers to.`,
    ),
});

export type ConfigurationDocument = z.infer<typeof configurationDocument>;

const fieldChange = z.object({ field: z.string(), before: z.unknown(), after: z.unknown() });

/** What an import did, or would do. It counts unchanged rows and lists added and changed ones. */
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
      /** The row's id in this installation; for a row that a dry run would add, the id that the row would get. */
      key: z.union([z.string(), z.number()]),
      fields: z.array(fieldChange),
    }),
  ),
});

export type ImportOutcome = z.infer<typeof importOutcome>;
