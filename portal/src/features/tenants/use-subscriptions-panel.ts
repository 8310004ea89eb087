/**
 * Address parameters of the subscriptions of a tenant: `subscriptionsOf` is the id of the tenant, `subscriptionId` is the id of
 * the subscription in the form.
 */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const panelParam = 'subscriptionsOf';
export const subscriptionParam = 'subscriptionId';
const panelParams = [panelParam, subscriptionParam] as const;

export function useSubscriptionsPanel() {
  const [params] = useSearchParams();
  const { open: openPanel, close } = usePanelParams(panelParams);
  const open = useCallback((tenantId: string) => openPanel(panelParam, tenantId), [openPanel]);
  return { tenantId: params.get(panelParam), open, close };
}
