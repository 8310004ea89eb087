/** The sight of this tab: an administrator sees the portal as another person (`seeAsPerson`). It ends with the tab. */
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';

export interface Sight {
  seeAsId: string;
  name: string;
  expires: string;
}

const key = 'seeAs';

/** Returns the sight of this tab; undefined without a sight, or after its expiry. */
export function currentSight(): Sight | undefined {
  try {
    const sight = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Sight | null;
    return sight && Date.parse(sight.expires) > Date.now() ? sight : undefined;
  } catch {
    return undefined;
  }
}

/** The permissions that decide what a person can do. In a sight, only those to view, because nothing can be changed. */
export function usable(permissions: ReadonlySet<string>): ReadonlySet<string> {
  return currentSight() ? new Set([...permissions].filter((one) => /:(view|mine)$/.test(one))) : permissions;
}

/** The header of requests in a sight. */
export function sightHeaders(): Record<string, string> {
  const sight = currentSight();
  return sight ? { [seeAsHeader]: sight.seeAsId } : {};
}

/** Stores the sight and reloads the portal, because the loaded data is the administrator's. */
export function beginSight({ seeAsId, name, expires }: Sight): void {
  sessionStorage.setItem(key, JSON.stringify({ seeAsId, name, expires }));
  window.location.assign('/');
}

export function endSight(): void {
  sessionStorage.removeItem(key);
  window.location.assign('/');
}
