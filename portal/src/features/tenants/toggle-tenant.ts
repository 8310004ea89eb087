/** Enables a tenant, or disables it after a confirmation (TEN-014). */
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

/** A tenant of the list, with its subscriptions for people who may see them. */
export type Tenant = Row<typeof tenants> & Partial<ExpandedRow<typeof tenants, 'subscriptions($select=subscriptionId)'>>;

/** Refetches every list and choice of tenants and subscriptions. */
export async function renewTenants(): Promise<void> {
  await Promise.all([tenants.name, 'lookup'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

export async function toggleTenant({ tenantId, name, enabled: isEnabled }: Tenant): Promise<void> {
  if (isEnabled) {
    const { yes } = await confirm({ title: t.disable, text: t.disableQuestion(name), yes: t.disable, no: en.common.cancel, danger: true });
    if (!yes) return;
  }
  try {
    await callJson(`/v1/tenants/toggledisabled/${tenantId}`, { method: 'POST' });
    toast.success(isEnabled ? t.nowDisabled(name) : t.nowEnabled(name));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.toggleFailed(name));
  }
  await renewTenants();
}
