/** Enables a tenant, or disables it after a confirmation (TEN-014). */
import { toggleTenant as toggle } from '@cloudfit/contract/calls.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { call } from '../../api/call.ts';
import { command, refresh } from '../../calls/command.ts';

/** A tenant of the list, with its subscriptions for people who may see them. */
export type Tenant = Row<typeof tenants> & Partial<ExpandedRow<typeof tenants, 'subscriptions($select=subscriptionId)'>>;

/** What shows tenants: their lists, and every choice of tenants and subscriptions. */
const refreshes = [tenants.name, 'lookup'];

export const renewTenants = () => refresh(refreshes);

export const toggleTenant = command(({ tenantId }: Tenant) => call(toggle, { id: tenantId }), {
  confirm: ({ name, enabled }) => (enabled ? { title: t.disable, text: t.disableQuestion(name), yes: t.disable, danger: true } : undefined),
  done: (_, { name, enabled }) => (enabled ? t.nowDisabled(name) : t.nowEnabled(name)),
  failed: ({ name }) => t.toggleFailed(name),
  refreshes,
});
