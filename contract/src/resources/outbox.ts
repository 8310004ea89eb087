/** Stored mails and background jobs, for administrators. */
import { defineResource, f, one, optional } from '../resource.ts';

/** A mail that waits because no SMTP server is configured. */
export const outboxMessages = defineResource({
  name: 'outboxMessages',
  label: 'Outbox Message',
  plural: 'Outbox Messages',
  key: 'outboxMessageId',
  title: 'subject',
  area: 'Settings',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    outboxMessageId: f.key('Outbox message ID'),
    // Null for a mail of the installation, which only people with the permission in all tenants see.
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    messageId: f.guid('Message ID', { write: 'never' }),
    recipients: f.text('Recipients', { write: 'never', search: true, max: 10_000 }),
    subject: f.text('Subject', { write: 'never', search: true, max: 500 }),
    body: f.text('Body', { write: 'never', max: 100_000, sort: false }),
    isImportant: f.boolean('Important', { write: 'never' }),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});

/** A background job that waits, runs or, with `deadAt`, is a dead letter. The API never returns its payload. */
export const jobs = defineResource({
  name: 'jobs',
  label: 'Job',
  plural: 'Jobs',
  key: 'jobId',
  title: 'name',
  area: 'Settings',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    jobId: f.serial('Job ID'),
    name: f.text('Name', { write: 'never', search: true }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    runAt: f.timestamp('Due', { write: 'never' }),
    attempts: f.int('Attempts', { write: 'never' }),
    leasedUntil: optional(f.timestamp('Leased until', { write: 'never' })),
    lastError: optional(f.text('Last error', { write: 'never', max: 10_000, search: true })),
    deadAt: optional(f.timestamp('Dead since', { write: 'never' })),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
