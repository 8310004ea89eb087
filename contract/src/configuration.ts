/**
 * The configuration of an installation as one document: API rows by resource, with the ids of the exporting installation, and
 * the names of what these rows refer to.
 */
import { z } from 'zod';
import { limits } from './limits.ts';

const namedRow = z.object({
  key: z.guid(),
  /** The name by which the row is found elsewhere: of a person the user name, otherwise the name. */
  name: z.string().min(1).max(400),
  /** The tenant of the row in the exporting installation. */
  tenantId: z.guid().nullish(),
  /** The package of an operation, the subscription of a device. */
  of: z.string().max(400).nullish(),
});

/** A row that the document refers to and does not contain: a person, a device, an operation. */
export type NamedRow = z.infer<typeof namedRow>;

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
  /** By resource, what rows of the document refer to and an installation finds by its name. */
  names: z.record(z.string(), z.array(namedRow)).optional(),
});

export type ConfigurationDocument = z.infer<typeof configurationDocument>;

/** By resource: for a name or id of the document the name or id here, or null to leave it out of the rows that name it. */
export const importMapping = z.record(z.string(), z.record(z.string(), z.string().min(1).max(400).nullable()));

export type ImportMapping = z.infer<typeof importMapping>;

/** What a restoration did, or would do. */
export const restoreOutcome = z.object({
  dryRun: z.boolean(),
  changes: z.array(
    z.object({
      resource: z.string(),
      verb: z.enum(['add', 'change', 'remove']),
      name: z.string(),
      key: z.union([z.string(), z.number()]),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
  ),
  /** Rows that cannot be restored, with the reason. */
  left: z.array(z.object({ resource: z.string(), name: z.string(), reason: z.string() })),
  /** The names of the ids in `changes`, by id. */
  names: z.record(z.string(), z.string()),
  /** The id under which the audit has these changes; absent for a dry run, and when nothing changed. */
  changeSet: z.string().optional(),
});

export type RestoreOutcome = z.infer<typeof restoreOutcome>;

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
      /** The row's place in the document, such as `rules[3]`; absent for parts that are no rows. */
      at: z.string().optional(),
    }),
  ),
  /** Rows that cannot be imported, with the reason; only with `partly`, otherwise the import is refused. */
  left: z.array(z.object({ at: z.string(), resource: z.string(), name: z.string(), reason: z.string() })),
  /** What rows of the document name and this installation lacks, or people of refused rows, with the number of these rows. */
  missing: z.array(z.object({ resource: z.string(), name: z.string(), key: z.string(), rows: z.number() })),
  /** The names of the ids in `changes`, by id. */
  names: z.record(z.string(), z.string()),
  /** The id under which the audit has all changes of this import; absent for a dry run. */
  changeSet: z.string().optional(),
});

export type ImportOutcome = z.infer<typeof importOutcome>;
