/** Exports and imports the configuration. Omits what the caller may not view, and refuses what the caller may not write. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { configurationDocument, importMapping, importOutcome, restoreOutcome } from '../configuration.ts';
import { movingOutcome } from '../configuration/moving.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';

const flag = (name: string) => z.union([z.boolean(), z.stringbool()], { error: `${name} is true or false.` }).default(false);

export const exportConfiguration = defineAction({
  name: 'exportConfiguration',
  method: 'GET',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'view' },
  about: 'Exports everything, or the rows of one tenant and the global ones.',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: configurationDocument,
});

export const importConfiguration = defineAction({
  name: 'importConfiguration',
  method: 'POST',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'edit' },
  about:
    'Imports a document completely or not at all; with `partly` without the rows that cannot be imported, in several transactions. `tenantId` maps the only tenant of the document to a tenant of this installation, `mapping` people, devices and others by their names; with `make` missing people and devices are made; people may read the tenants whose rows name them. `without` lists places of rows that are not imported, such as `rules[3]`. `dryRun` changes nothing and answers what would change.',
  input: configurationDocument.extend({
    dryRun: flag('dryRun'),
    partly: flag('partly'),
    tenantId: z.optional(guidSchema),
    mapping: z.optional(importMapping),
    make: flag('make'),
    without: z.optional(z.array(z.string().max(100)).max(limits.importRows)),
    /** Why; the audit has it. */
    note: z.optional(z.string().trim().max(500)),
  }),
  output: importOutcome,
});

export const convertConfiguration = defineAction({
  name: 'convertConfiguration',
  method: 'POST',
  path: '/v1/configuration/convert',
  access: { area: 'Settings', verb: 'view' },
  about:
    'Makes a configuration of what the API of Opsgenie, PagerDuty, Grafana OnCall or Zammad answered, of an export of Zabbix or of a dump of osTicket, for an import into the tenant, and lists what has no counterpart. It changes nothing.',
  reads: true,
  input: z.object({
    tenantId: guidSchema,
    /** Answers as texts of JSON, each its own file or all in one object by their addresses; exports also as YAML or XML. */
    files: z
      .array(z.object({ name: z.string().max(400), text: z.string() }))
      .min(1, 'Choose at least one file.')
      .max(200, 'There are at most 200 files. Put answers of the same kind into one list.'),
  }),
  output: movingOutcome,
});

export const restoreConfiguration = defineAction({
  name: 'restoreConfiguration',
  method: 'POST',
  path: '/v1/configuration/restore',
  access: { area: 'Settings', verb: 'view' },
  about:
    'Makes a row of the configuration what it was after an entry of the audit (`auditId`), or takes back all changes of a request (`changeSet`), with the permissions of the caller. A row that changed afterwards stays as it is. `dryRun` changes nothing and answers what would change.',
  input: z.object({
    auditId: z.optional(z.int()),
    changeSet: z.optional(guidSchema),
    dryRun: flag('dryRun'),
    /** Why; the audit has it. */
    note: z.optional(z.string().trim().max(500)),
  }),
  output: restoreOutcome,
});

export const nameConfiguration = defineAction({
  name: 'nameConfiguration',
  method: 'POST',
  path: '/v1/configuration/names',
  access: { area: 'Settings', verb: 'view' },
  about: 'The names of rows of the configuration, people, devices and the like that the caller may view, by their ids.',
  reads: true,
  input: z.object({ ids: z.array(guidSchema).max(500) }),
  output: z.object({ names: z.record(z.string(), z.string()) }),
});

const managedRow = z.object({
  /** The name of the folder. */
  source: z.string(),
  /** The file in it; null for a row that an earlier version applied. */
  file: z.nullable(z.string()),
  note: z.nullable(z.string()),
  /** Whether the row changes only by applying the folder. */
  isProtected: z.boolean(),
  applied: z.string(),
});

/** Where a row of the configuration was applied from. */
export type ManagedRow = z.infer<typeof managedRow>;

export const readManaged = defineAction({
  name: 'readManaged',
  method: 'GET',
  path: '/v1/configuration/managed',
  access: 'signed-in',
  about: 'Whether a row of the configuration was applied from a folder of files, by which it is managed in Git.',
  input: z.object({ resource: z.string().max(100), key: z.string().max(100) }),
  output: z.object({ managed: z.nullable(managedRow) }),
});

export const readManagedResources = defineAction({
  name: 'readManagedResources',
  method: 'GET',
  path: '/v1/configuration/managedResources',
  access: 'signed-in',
  about:
    'The resources of which the caller sees rows that were applied from a folder of files, so that nobody asks for rows of the others.',
  input: z.object({}),
  output: z.object({ resources: z.array(z.string()) }),
});
