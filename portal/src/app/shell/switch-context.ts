import { en } from '@cloudfit/contract/messages/en.ts';
import { rememberTenant } from '../../api/known-tenants.ts';
import { postContext } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';

/**
 * Stores the person's new tenant at the server, then reloads the page, whose content belongs to the previous tenant
 * (SHELL-069, SHELL-070). Returns false after an error.
 */
export async function switchContext(tenantId: string, subscriptionId: string | null, address: string): Promise<boolean> {
  try {
    // An impersonation shows another person's portal, so the stored tenant of that person must not change.
    if (!currentImpersonation()) await postContext(tenantId, subscriptionId);
  } catch (error) {
    toastFailure(error, en.shell.switchFailed);
    return false;
  }
  rememberTenant(tenantId);
  window.location.assign(address);
  return true;
}
