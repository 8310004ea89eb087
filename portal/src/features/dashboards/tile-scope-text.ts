/** What a tile is about, in words. */
import type { TileAnswer } from '@cloudfit/contract/walls/calls.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';

const t = dashboardTexts.scope;

/** The names of what limits the tile, or how many customers it is about; empty when it is refused. */
export function scopeText({ scope, tenants, state }: Pick<TileAnswer, 'scope' | 'tenants' | 'state'>): string {
  if (state === 'Denied') return '';
  const names = scope.map(({ kind, name }) => (kind === 'tag' ? t.tag(name) : name));
  const isOne = scope.some(({ kind }) => kind === 'tenant');
  return [...names, ...(isOne ? [] : [t.customers(tenants)])].join(' · ');
}
