/** Calls on compliance beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { evidenceLimits, factKeys } from '../compliance/evidence.ts';
import { complianceFact, weekCounts, weekReport as reportShape } from '../compliance/week-report.ts';
import { evidenceKinds } from '../enums.ts';
import { guidSchema, timestampSchema } from '../resource.ts';
import { asLines, asOneLine } from '../text-checks.ts';

export const exportControlSets = defineAction({
  name: 'exportControlSets',
  method: 'POST',
  path: '/v1/controlsets/Export()',
  access: { area: 'Compliance', verb: 'view' },
  about: 'The statuses that a tenant gave to controls in one week, as CSV. The options of the query choose the control sets.',
  input: z.object({
    startDate: z.iso.date({ error: 'startDate is required.' }).or(timestampSchema),
    tenantId: z.string({ error: 'tenantId is required.' }).pipe(guidSchema),
    $filter: z.optional(z.string()),
    $orderby: z.optional(z.string()),
    $top: z.optional(z.string()),
    $skip: z.optional(z.string()),
    $select: z.optional(z.string()).describe('Without effect: the columns are fixed.'),
    $expand: z.optional(z.string()).describe('Without effect: the columns are fixed.'),
  }),
  content: 'text/csv',
});

const statusId = z.string().pipe(guidSchema);

export const addControlEvidence = defineAction({
  name: 'addControlEvidence',
  method: 'POST',
  path: '/v1/controlstatuses({id})/Evidence',
  access: { area: 'Compliance', verb: 'edit' },
  about: 'Adds evidence to a status. A link is an http or https address; a file is Base64; a fact is recorded as the system sees it now.',
  input: z.object({
    id: statusId,
    kind: z.enum(evidenceKinds, { error: `Kind is one of ${evidenceKinds.join(', ')}.` }),
    title: z
      .string()
      .check(...asOneLine('Title'))
      .max(200, 'Title is at most 200 characters.')
      .optional(),
    url: z
      .url({ protocol: /^https?$/, error: 'The address must begin with http:// or https://.' })
      .max(2_000)
      .optional(),
    fileName: z
      .string()
      .check(...asOneLine('The name of the file'))
      .min(1)
      .max(200)
      .optional(),
    content: z
      .base64('The content of the file must be Base64.')
      .max(Math.ceil(evidenceLimits.fileBytes / 3) * 4, `The file is larger than ${evidenceLimits.fileBytes / 1_048_576} MiB.`)
      .optional(),
    fact: z.enum(factKeys, { error: `Fact is one of ${factKeys.join(', ')}.` }).optional(),
  }),
  output: z.looseObject({ evidenceId: z.string() }),
});

export const evidenceFile = defineAction({
  name: 'evidenceFile',
  method: 'GET',
  path: '/v1/controlevidence({id})/File',
  access: { area: 'Compliance', verb: 'view' },
  about: 'The file of a piece of evidence, as a download.',
  input: z.object({ id: statusId }),
  content: 'application/octet-stream',
});

const ofWeek = { tenantId: z.string().pipe(guidSchema), week: z.iso.date().or(timestampSchema) };

export const complianceFacts = defineAction({
  name: 'complianceFacts',
  method: 'GET',
  path: '/v1/compliancefacts',
  access: { area: 'Compliance', verb: 'view' },
  about: 'What the system can say about the tenant now, to record as evidence.',
  input: z.object({ tenantId: ofWeek.tenantId }),
  output: z.object({ value: z.array(complianceFact) }),
});

export const weekReport = defineAction({
  name: 'weekReport',
  method: 'GET',
  path: '/v1/controlsets({id})/Report',
  access: { area: 'Compliance', verb: 'view' },
  about: 'The week of a control set for an auditor: as it was signed, or as it is now.',
  input: z.object({ id: statusId, ...ofWeek }),
  output: z.object({
    report: reportShape,
    /** Null while the week is open. */
    signOff: z.nullable(
      z.object({
        signOffId: z.string(),
        signedBy: z.string(),
        signedOn: z.string(),
        note: z.string().nullable(),
        /** SHA-256 of the report, in hexadecimal digits. */
        digest: z.string(),
      }),
    ),
  }),
});

export const complianceWeeks = defineAction({
  name: 'complianceWeeks',
  method: 'GET',
  path: '/v1/controlsets({id})/Weeks',
  access: { area: 'Compliance', verb: 'view' },
  about: 'The weeks of half a year that have statuses or are signed off, the oldest first, up to the week of `week`.',
  input: z.object({ id: statusId, ...ofWeek }),
  output: z.object({
    /** The number of controls that the set has today. */
    controls: z.number(),
    weeks: z.array(weekCounts),
  }),
});

export const signOffWeek = defineAction({
  name: 'signOffWeek',
  method: 'POST',
  path: '/v1/controlsets({id})/SignOff',
  access: { area: 'Compliance', verb: 'edit' },
  about: 'Freezes a week: its statuses and evidence cannot be changed until it is reopened, and the report is kept as it is now.',
  input: z.object({
    id: statusId,
    ...ofWeek,
    note: z
      .string()
      .check(...asLines('The note'))
      .max(4_000)
      .optional(),
  }),
  output: z.looseObject({ signOffId: z.string() }),
});

export const reopenWeek = defineAction({
  name: 'reopenWeek',
  method: 'POST',
  path: '/v1/compliancesignoffs({id})/Reopen',
  access: { area: 'Compliance', verb: 'delete' },
  about: 'Opens a signed week again; the sign-off stays in the history of the week, with the reason.',
  input: z.object({
    id: statusId,
    reason: z
      .string({ error: 'Reason is required.' })
      .check(...asLines('Reason'))
      .min(1, 'Reason is required.')
      .max(4_000),
  }),
  output: z.looseObject({ signOffId: z.string() }),
});

/** The names of the controls that an import changes in one way. */
const changedControls = z.array(z.string());

export const importControlSet = defineAction({
  name: 'importControlSet',
  method: 'POST',
  path: '/v1/controlsets/Import',
  access: { area: 'Compliance', verb: 'edit' },
  about:
    'Writes a control set from a document (`controlSetDocument` or an OSCAL catalog); says what that changes or, as a dry run, would change.',
  input: z.object({ document: z.unknown(), dryRun: z.boolean().optional() }),
  output: z.object({
    name: z.string(),
    isNew: z.boolean(),
    /** Whether the import changes the description of the set. */
    described: z.boolean(),
    created: changedControls,
    updated: changedControls,
    removed: changedControls,
    /** Controls that the document no longer has, but that stay because a tenant has set a status for them. */
    kept: changedControls,
    unchanged: z.number(),
  }),
});

export type ControlSetChanges = z.infer<NonNullable<typeof importControlSet.output>>;
