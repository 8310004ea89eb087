/** The impersonation of this tab: an administrator sees the portal as another person (`seeAsPerson`). It ends with the tab. */
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';

export interface Impersonation {
  seeAsId: string;
  name: string;
  expires: string;
}

const key = 'seeAs';

/** Returns the impersonation of this tab; undefined without an impersonation, or after its expiry. */
export function currentImpersonation(): Impersonation | undefined {
  try {
    const impersonation = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Impersonation | null;
    return impersonation && Date.parse(impersonation.expires) > Date.now() ? impersonation : undefined;
  } catch {
    return undefined;
  }
}

/** The permissions that decide what a person can do. During an impersonation, only those to view, because nothing can be changed. */
export function usable(permissions: ReadonlySet<string>): ReadonlySet<string> {
  return currentImpersonation() ? new Set([...permissions].filter((permission) => /:(view|mine)$/.test(permission))) : permissions;
}

/** The header of requests during an impersonation. */
export function impersonationHeaders(): Record<string, string> {
  const impersonation = currentImpersonation();
  return impersonation ? { [seeAsHeader]: impersonation.seeAsId } : {};
}

/** Stores the impersonation and reloads the portal, because the loaded data is the administrator's. */
export function beginImpersonation({ seeAsId, name, expires }: Impersonation): void {
  sessionStorage.setItem(key, JSON.stringify({ seeAsId, name, expires }));
  window.location.assign('/');
}

export function endImpersonation(): void {
  sessionStorage.removeItem(key);
  window.location.assign('/');
}
