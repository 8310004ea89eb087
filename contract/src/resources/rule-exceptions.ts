import { z } from 'zod/mini';
import { defineResource, f, one, optional } from '../resource.ts';
import type { OwnValues } from '../rules/own-values.ts';

/** What a tenant has otherwise than a rule of many tenants. */
export const ruleExceptions = defineResource({
  name: 'ruleExceptions',
  label: 'Rule Exception',
  plural: 'Rule Exceptions',
  about: 'What a tenant has otherwise than a rule of many tenants: its own constants or lifetime, or that the rule does not hold there.',
  key: 'ruleExceptionId',
  title: 'reason',
  area: 'Rules',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'created desc',
  fields: {
    ruleExceptionId: f.key('Rule exception ID'),
    ruleId: f.ref('Rule', 'rules', { required: true, write: 'create' }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    isOff: f.boolean('Does not hold here'),
    /** Constants by the keys of `constantsOf`. */
    ownValues: optional(
      f.json('Own values', () => z.record(z.string(), z.string().check(z.maxLength(1_000))) as z.ZodMiniType<OwnValues>, {
        input: 'multiline',
      }),
    ),
    matchLifetime: optional(f.duration('Lifetime', { help: 'hh:mm:ss; empty: that of the rule' })),
    until: optional(f.timestamp('Until', { help: 'Then the rule holds here as for all; empty: until somebody removes it' })),
    reason: f.text('Reason', { required: true, max: 1_000, search: true, message: 'Please say why the rule is otherwise here.' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), rule: one('rules', 'ruleId') },
});
