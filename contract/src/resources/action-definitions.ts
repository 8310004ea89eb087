import { actionDefinitionTypes, httpMethods } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/** An action that rules and protocols can run: an outbound HTTP call or a built-in (ACT-011..034). */
export const actionDefinitions = defineResource({
  name: 'actionDefinitions',
  label: 'Action Definition',
  plural: 'Action Definitions',
  key: 'actionDefinitionId',
  title: 'name',
  area: 'ActionDefinitions',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    actionDefinitionId: f.key('Action definition ID'),
    name: f.text('Name', { required: true, search: true, message: 'This field is required.' }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    actionDefinitionTypeId: f.code('Type', actionDefinitionTypes, { required: true, message: 'This field is required.' }),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    inputParameters: optional(f.text('Input parameters', { max: 2_000, input: 'text', help: 'Names, separated by commas' })),
    endpointUrl: optional(f.text('Endpoint URL', { max: 2_000, input: 'text' })),
    httpMethod: optional(f.choice('HTTP method', httpMethods)),
    headers: optional(f.text('Headers', { masked: true, max: 8_000, help: 'One per line, Name:Value; credentials as {Secret:name}' })),
    body: optional(f.text('Body', { max: 100_000 })),
    successStatuses: optional(f.text('Successful statuses', { max: 200, input: 'text', help: 'Such as 200-204, 409; if empty, 200-299' })),
    successText: optional(f.text('Answer contains', { max: 500, input: 'text', help: 'A text of each answer that says yes' })),
    successField: optional(
      f.text('Field of the answer', { max: 200, input: 'text', help: 'In a JSON answer, such as ok or result.status' }),
    ),
    successValue: optional(
      f.text('Value of that field', { max: 500, input: 'text', help: 'When the receiver accepts the call, such as true' }),
    ),
    referenceField: optional(
      f.text('Reference in the answer', {
        max: 200,
        input: 'text',
        help: 'Such as key or result.number; becomes the reference ID of the work unit',
      }),
    ),
    referenceAddress: optional(
      f.text('Address of the reference', {
        max: 2_000,
        input: 'text',
        help: 'Such as https://site.example/browse/{key}, or {html_url}',
      }),
    ),
    lookBackAddress: optional(
      f.text('Look-back address', {
        max: 2_000,
        input: 'text',
        help: 'A list that is read before a repetition',
      }),
    ),
    /** Whether the action is the SMS gateway of its tenant or, without a tenant, of all tenants that have no gateway. */
    sendsSms: f.boolean('Sends SMS to people', {
      initial: false,
      help: 'For people who are notified by SMS; its parameter To is the number',
    }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
