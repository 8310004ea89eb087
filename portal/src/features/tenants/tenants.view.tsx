import type { ReactNode } from 'react';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { fieldColumn } from '../../resource/cells.tsx';
import type { AnyRow } from '../../resource/row.ts';
import type { View, ViewColumn } from '../../resource/view.ts';
import { FavoriteStar } from './favorite-star.tsx';
import { TenantPanel } from './tenant-panel.tsx';
import { TenantStatus } from './tenant-status.tsx';
import { toggleTenant } from './toggle-tenant.ts';
import { tenantResource as resource } from './use-tenant-editing.ts';

const countOf = (row: AnyRow) => (row['subscriptions'] as readonly unknown[] | undefined)?.length ?? 0;
/** `a, b`, however they were typed. */
function groupsOf(row: AnyRow): ReactNode {
  const groups = String(row['assignmentGroups'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter(Boolean);
  return groups.length > 0 ? groups.join(', ') : <span className="faint">{en.common.none}</span>;
}
const isEnabled = (row: AnyRow) => row['enabled'] === true;

interface Offers {
  openSubscriptions: (tenantId: string) => void;
  maySeeSubscriptions: boolean;
}

export function tenantsView({ openSubscriptions, maySeeSubscriptions }: Offers): View {
  const show = (row: AnyRow) => openSubscriptions(String(row['tenantId']));
  const subscriptions: ViewColumn<AnyRow> = {
    id: 'subscriptions',
    header: t.subscriptions,
    width: 112,
    below: 'sm',
    cell: (row) => (
      <button
        type="button"
        className="link num"
        aria-label={`${countOf(row)} ${t.openSubscriptions(String(row['name']))}`}
        title={t.openSubscriptions(String(row['name']))}
        onClick={() => show(row)}
      >
        {countOf(row)}
      </button>
    ),
    text: (row) => String(countOf(row)),
  };
  return {
    resource,
    icon: 'tenants',
    texts: { title: en.shell.items.tenants, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(resource, 'name'), after: (row) => <FavoriteStar tenant={row} /> },
      {
        ...fieldColumn(resource, 'enabled'),
        header: t.status,
        width: 104,
        cell: (row) => <TenantStatus enabled={isEnabled(row)} />,
        text: (row) => (isEnabled(row) ? t.enabled : t.disabled),
      },
      ...(maySeeSubscriptions ? [subscriptions] : []),
      { ...fieldColumn(resource, 'assignmentGroups'), width: 200, tone: 'soft', below: 'md', cell: groupsOf },
      { ...fieldColumn(resource, 'internalNotificationEmailAddress'), width: 210, tone: 'soft', below: 'md' },
      { ...fieldColumn(resource, 'created'), width: 96, below: 'md' },
    ],
    phoneLine: (row) => (
      <>
        <TenantStatus enabled={isEnabled(row)} />
        {maySeeSubscriptions && <span className="num">{t.subscriptionCount(countOf(row))}</span>}
      </>
    ),
    ...(maySeeSubscriptions ? { expand: 'subscriptions($select=subscriptionId)' } : {}),
    actions: (row, { may }) => [
      ...(maySeeSubscriptions ? [{ id: 'subscriptions', label: t.subscriptions, icon: 'tenants' as const, run: () => show(row) }] : []),
      ...(may('edit')
        ? [
            {
              id: 'toggle',
              label: isEnabled(row) ? t.disable : t.enable,
              icon: 'lock' as const,
              danger: isEnabled(row),
              run: () => void toggleTenant(row),
            },
          ]
        : []),
    ],
    panel: TenantPanel,
  };
}
