/** The tenants that the person used recently, and the favorites; stored in this browser only. */
import { browserStore } from './browser-store.ts';

export interface RecentTenant {
  tenantId: string;
  /** When the tenant was last used, in milliseconds. */
  at: number;
}

/** How many recent tenants are stored (INTK-014). */
const maxRecent = 5;

const isRecent = (tenant: unknown): tenant is RecentTenant =>
  typeof tenant === 'object' &&
  tenant !== null &&
  'tenantId' in tenant &&
  typeof tenant.tenantId === 'string' &&
  'at' in tenant &&
  typeof tenant.at === 'number';

/** The most recently used tenants, the latest first. */
export const recentTenants = browserStore('cloudfit.tenants.recent', (stored): readonly RecentTenant[] =>
  Array.isArray(stored) ? stored.filter(isRecent).slice(0, maxRecent) : [],
);

export const favoriteTenants = browserStore('cloudfit.tenants.favorite', (stored): readonly string[] =>
  Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [],
);

export function rememberTenant(tenantId: string): void {
  const others = recentTenants.get().filter((tenant) => tenant.tenantId !== tenantId);
  recentTenants.set([{ tenantId, at: Date.now() }, ...others].slice(0, maxRecent));
}

export function toggleFavorite(tenantId: string): void {
  const now = favoriteTenants.get();
  favoriteTenants.set(now.includes(tenantId) ? now.filter((item) => item !== tenantId) : [...now, tenantId]);
}

/** Sorts tenants: favorites first, then recently used tenants (the latest first), then the rest. Otherwise keeps the order. */
export function byUse<T extends { tenantId: string }>(
  tenants: readonly T[],
  favorites: readonly string[],
  recent: readonly RecentTenant[],
): readonly T[] {
  const rank = ({ tenantId }: T) => {
    if (favorites.includes(tenantId)) return -1;
    const at = recent.findIndex((tenant) => tenant.tenantId === tenantId);
    return at < 0 ? recent.length : at;
  };
  return tenants.toSorted((a, b) => rank(a) - rank(b));
}
