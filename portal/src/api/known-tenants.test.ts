import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../testing/browser.ts';
import { beforeEach, expect, it, vi } from 'vitest';
import { byUse, favoriteTenants, recentTenants, rememberTenant, toggleFavorite } from './known-tenants.ts';

beforeEach(() => localStorage.clear());

it('[SET-012] keeps the five used last, with their times', async () => {
  const clock = vi.spyOn(Date, 'now');
  for (const [at, tenantId] of ['a', 'b', 'c', 'd', 'e', 'f', 'b'].entries()) {
    clock.mockReturnValue(1_000 + at);
    rememberTenant(tenantId);
  }
  clock.mockRestore();
  await proves('[INTK-014] five, the last first', () =>
    expect(recentTenants.get().map((tenant) => tenant.tenantId)).toEqual(['b', 'f', 'e', 'd', 'c']),
  );
  await proves('[INTK-012] with the time', () =>
    expect(JSON.parse(localStorage.getItem('cloudfit.tenants.recent') ?? '')[0]).toEqual({ tenantId: 'b', at: 1_006 }),
  );
});

it('[INTK-013] [SET-013] keeps favorites', () => {
  toggleFavorite('a');
  toggleFavorite('b');
  toggleFavorite('a');
  expect(favoriteTenants.get()).toEqual(['b']);
  expect(localStorage.getItem('cloudfit.tenants.favorite')).toBe('["b"]');
});

it('orders favorites first, then by last use, then as they come', () => {
  const tenants = ['a', 'b', 'c', 'd'].map((tenantId) => ({ tenantId }));
  const recent = [
    { tenantId: 'd', at: 2 },
    { tenantId: 'b', at: 1 },
  ];
  expect(byUse(tenants, ['c'], recent).map((tenant) => tenant.tenantId)).toEqual(['c', 'd', 'b', 'a']);
});

it('makes nothing of what it cannot read', () => {
  localStorage.setItem('cloudfit.tenants.recent', '[1, {"tenantId": "a"}]');
  localStorage.setItem('cloudfit.tenants.favorite', 'x');
  expect([recentTenants.get(), favoriteTenants.get()]).toEqual([[], []]);
});
