import { directoryTexts as t } from '@cloudfit/contract/messages/directories.en.ts';
import type { directories } from '@cloudfit/contract/resources/directories.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { decimalText } from '../../../theme/times.ts';

export type Directory = Row<typeof directories>;

/** Whether people of a directory can sign in, as its list says it. */
export function stateOf({ enabled, kind, secretSetOn }: Directory): { text: string; tone: 'ok' | 'warn' | 'unknown' } {
  if (!enabled) return { text: t.off, tone: 'unknown' };
  return kind !== 'None' && !secretSetOn ? { text: t.noSecret, tone: 'warn' } : { text: t.enabled, tone: 'ok' };
}

export function tenantsText({ allTenants, tenantIds }: Directory): string {
  if (allTenants) return t.everyTenant;
  return tenantIds.length === 1 ? t.oneTenant : t.tenantCount(decimalText(tenantIds.length, 0));
}
