/** Calls and OData functions about actions, rules, protocols and jobs, beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction, defineList } from '../action.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { condition } from '../rules/schema.ts';
import { asLines } from '../text-checks.ts';

const actionDefinitionId = z.object({ actionDefinitionId: guidSchema });
/** An empty or `null` tenant means only global actions. */
const ofTenant = z.object({ tenantId: z.union([guidSchema, z.enum(['', 'null']).transform(() => null)]) });
const scalar = z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()]);

export const rulesForAction = defineList({
  name: 'GetRulesForAction',
  path: '/v1/rules/GetRulesForAction(actionDefinitionId={actionDefinitionId})',
  access: { area: 'Rules', verb: 'view' },
  about: 'Rules that run the action.',
  of: 'rules',
  input: actionDefinitionId,
});

export const protocolsForAction = defineList({
  name: 'GetProtocolsForAction',
  path: '/v1/protocols/GetProtocolsForAction(actionDefinitionId={actionDefinitionId})',
  access: { area: 'WorkUnits.Protocols', verb: 'view' },
  about: 'Protocols that run the action.',
  of: 'protocols',
  input: actionDefinitionId,
});

export const matchedRules = defineList({
  name: 'GetMatchedRules',
  path: '/v1/protocols/GetMatchedRules(id={id})',
  access: { area: 'WorkUnits.Protocols', verb: 'view' },
  about: 'Rules that name the protocol, or whose actions open work units with it.',
  of: 'rules',
  input: z.object({ id: guidSchema }),
});

export const actionsForProtocols = defineList({
  name: 'GetActionDefinitionsForProtocols',
  path: '/v1/actionDefinitions/GetActionDefinitionsForProtocols(tenantId={tenantId})',
  access: { area: 'ActionDefinitions', verb: 'view' },
  about: "Actions that protocols of the tenant may use: the tenant's actions and the global ones.",
  of: 'actionDefinitions',
  input: ofTenant,
});

export const actionsForRules = defineList({
  name: 'GetActionDefinitionsForRules',
  path: '/v1/actionDefinitions/GetActionDefinitionsForRules(tenantId={tenantId})',
  access: { area: 'ActionDefinitions', verb: 'view' },
  about: 'Actions that rules of the tenant may use.',
  of: 'actionDefinitions',
  input: ofTenant,
});

/** The action, the rows that fill its placeholders, and the values of its parameters by name. */
const tested = z
  .looseObject({
    id: guidSchema,
    tenantId: z.nullish(guidSchema),
    forWorkUnitId: z.optional(z.coerce.number({ error: 'forWorkUnitId is the number of a work unit.' }).int().positive()),
    forRuleMatchId: z.optional(guidSchema),
  })
  .catchall(scalar);

export const testAction = defineAction({
  name: 'testAction',
  method: 'POST',
  path: '/v1/actionDefinitions/{id}/test',
  access: { area: 'ActionDefinitions', verb: 'edit' },
  about:
    "Runs an action once through the queue; the call really happens. The body holds the values of its parameters. A global action runs for the tenant of the query, or of the caller's context. Placeholders have the values of the work unit `forWorkUnitId` or the match `forRuleMatchId` of the query, which the caller may view, or else of an example; where one has no value, or the body is not valid JSON, nothing is sent and the test fails. `id` is the `messageId` of its history.",
  input: tested,
  output: z.object({ id: z.string() }),
});

export const previewAction = defineAction({
  name: 'previewAction',
  method: 'POST',
  path: '/v1/actionDefinitions/{id}/preview',
  reads: true,
  access: { area: 'ActionDefinitions', verb: 'edit' },
  about: 'What a test with the same query and body would send, with secrets masked. Sends nothing.',
  input: tested,
  output: z.object({
    /** The request of an action that calls an address; null for other actions, and while the request cannot be built. */
    request: z.nullable(
      z.object({
        method: z.string(),
        url: z.string(),
        headers: z.array(z.object({ name: z.string(), value: z.string() })),
        body: z.nullable(z.string()),
      }),
    ),
    /** The mail of an action that sends one; null for other actions. */
    mail: z.nullable(z.object({ to: z.string(), cc: z.string(), bcc: z.string(), subject: z.string(), body: z.string() })),
    /** The parameters of the test, with their placeholders filled. */
    parameters: z.array(z.object({ name: z.string(), value: z.string() })),
    /** Placeholders without a value: the test would fail. */
    unfilled: z.array(z.string()),
    /** A reason other than `unfilled` why the test would fail; null if there is none. */
    problem: z.nullable(z.string()),
  }),
});

const named = z.record(z.string(), scalar);
/** An object, or a JSON text of one. */
const userDefinedParams = z
  .union([
    named,
    z
      .string()
      .max(100_000)
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text === '' ? '{}' : text);
        } catch {
          context.addIssue({ code: 'custom', message: 'userDefinedParams must be an object.' });
          return z.NEVER;
        }
      })
      .pipe(named),
  ])
  .nullish();

export const triggerProtocolAction = defineAction({
  name: 'triggerProtocolAction',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/protocolActions/{protocolActionId}/trigger',
  access: { area: 'WorkUnits', verb: 'edit' },
  about: "Runs or rejects a manual action of a work unit's protocol.",
  input: z.object({
    workUnitId: z.coerce.number().int().positive(),
    protocolActionId: guidSchema,
    workUnitEventType: z.coerce.number({ error: 'workUnitEventType is the number of an event.' }).int(),
    userDefinedParams,
    reject: z.boolean({ error: 'reject must be true or false.' }).default(false),
    /** The reason, which goes into the history of the unit. */
    note: z
      .string()
      .check(...asLines('A note'))
      .max(2_000, 'A note is at most 2000 characters.')
      .nullish(),
  }),
  /** `id` is the `messageId` of the history entry. */
  output: z.object({ id: z.string(), rejected: z.boolean() }),
});

export const renderEmail = defineAction({
  name: 'renderEmail',
  method: 'POST',
  path: '/v1/emailtemplates/render',
  reads: true,
  access: { area: 'WorkUnits', verb: 'view' },
  about: 'The mail that an email action of a protocol would send for a work unit.',
  input: z.object({
    workUnitId: z.coerce.number({ error: 'workUnitId is required.' }).int().positive(),
    protocolActionId: guidSchema,
    userDefinedParams,
  }),
  output: z.object({ to: z.string(), cc: z.string(), bcc: z.string(), subject: z.string(), body: z.string() }),
});

export const previewWorkUnit = defineAction({
  name: 'previewWorkUnit',
  method: 'POST',
  path: '/v1/rules/previewWorkUnit',
  reads: true,
  access: { area: 'Rules', verb: 'view' },
  about:
    'The work unit that Create Work Unit would open for a rule as it is being written: with the packet of its latest match, or else the latest packet that has what its conditions read. Placeholders that get their value when the action runs stay as they are. Opens nothing.',
  input: z.object({
    ruleId: z.nullish(guidSchema),
    tenantId: guidSchema,
    subscriptionId: z.nullish(guidSchema),
    name: z.string().max(500).default(''),
    description: z.nullish(z.string().max(4_000)),
    conditions: z.array(condition).max(50),
    parameters: z.record(z.string(), scalar).default({}),
  }),
  output: z.object({
    /** The entity that sent the packet, and the packet's time (`at`); null if no packet has what the conditions read. */
    subject: z.string().nullable(),
    at: z.string().nullable(),
    title: z.string(),
    description: z.string(),
    severityId: z.string(),
  }),
});

export const relationLogEntries = defineAction({
  name: 'relationLogEntries',
  method: 'GET',
  path: '/v1/relationLogEntries',
  access: { area: 'Rules', verb: 'view' },
  about: 'The packets behind the rule matches that a work unit relates to; `message` is JSON text.',
  input: z.object({
    referenceIds: z
      .string({ error: 'referenceIds is required.' })
      .transform((text) => [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== ''))
      .pipe(
        z
          .array(z.guid('Please enter a valid GUID.'))
          .min(1, 'referenceIds is required.')
          .max(limits.inValues, `At most ${limits.inValues} referenceIds.`),
      ),
  }),
  output: z.object({ value: z.array(z.object({ referenceId: z.string(), created: z.string(), message: z.string() })) }),
});

export const conditionInputOptionsLookup = defineAction({
  name: 'conditionInputOptions',
  method: 'GET',
  path: '/api/{urlTenantId}/rulelookup/conditionInputOptions/{leftOperandType}',
  access: { area: 'Rules', verb: 'view' },
  about: 'Choices for the right side of a condition: of a select operand, or rows of the resource of a lookup operand.',
  input: z.object({
    urlTenantId: guidSchema,
    leftOperandType: z.coerce.number({ error: 'leftOperandType is the number of a left operand.' }).int(),
    tenantId: z.optional(guidSchema),
  }),
  output: z.array(z.object({ id: z.union([z.number(), z.string()]), name: z.string() })),
});

export const replayJob = defineAction({
  name: 'replayJob',
  method: 'POST',
  path: '/v1/jobs/{id}/replay',
  access: { area: 'Settings', verb: 'edit' },
  about: 'Queues a job of the dead letters again, with all its attempts.',
  input: z.object({ id: z.coerce.number().int().positive() }),
  output: z.record(z.string(), z.unknown()),
});
