import type { ReactNode } from 'react';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenants as resource } from '@cloudfit/contract/resources/tenants.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { FavoriteStar } from './favorite-star.tsx';
import { TenantPanel } from './tenant-panel.tsx';
import { TenantStatus } from './tenant-status.tsx';
import { toggleTenant, type Tenant } from './toggle-tenant.ts';

const countOf = (row: Tenant) => row.subscriptions?.length ?? 0;
/** Returns the assignment groups as `a, b`, however they were typed. */
function groupsOf(row: Tenant): ReactNode {
  const groups = (row.assignmentGroups ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter(Boolean);
  return groups.length > 0 ? groups.join(', ') : <span className="faint">{en.common.none}</span>;
}

interface SubscriptionsLink {
  openSubscriptions: (tenantId: string) => void;
  maySeeSubscriptions: boolean;
}

export function tenantsView({ openSubscriptions, maySeeSubscriptions }: SubscriptionsLink) {
  const show = (row: Tenant) => openSubscriptions(row.tenantId);
  const subscriptions: ViewColumn<Tenant> = {
    id: 'subscriptions',
    header: t.subscriptions,
    width: 112,
    below: 'sm',
    cell: (row) => (
      <button
        type="button"
        className="link num"
        aria-label={`${countOf(row)} ${t.openSubscriptions(row.name)}`}
        title={t.openSubscriptions(row.name)}
        onClick={() => show(row)}
      >
        {countOf(row)}
      </button>
    ),
    text: (row) => String(countOf(row)),
  };
  return defineView({
    resource,
    icon: 'tenants',
    texts: { title: en.shell.items.tenants, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(resource, 'name'), after: (row) => <FavoriteStar tenant={row} /> },
      {
        ...fieldColumn(resource, 'enabled'),
        header: t.status,
        width: 104,
        cell: (row) => <TenantStatus enabled={row.enabled} />,
        text: (row) => (row.enabled ? t.enabled : t.disabled),
      },
      ...(maySeeSubscriptions ? [subscriptions] : []),
      { ...fieldColumn(resource, 'assignmentGroups'), width: 200, tone: 'soft', below: 'md', cell: groupsOf },
      { ...fieldColumn(resource, 'internalNotificationEmailAddress'), width: 210, tone: 'soft', below: 'md' },
      { ...fieldColumn(resource, 'created'), width: 96, below: 'md' },
    ],
    phoneLine: (row) => (
      <>
        <TenantStatus enabled={row.enabled} />
        {maySeeSubscriptions && <span className="num">{t.subscriptionCount(countOf(row))}</span>}
      </>
    ),
    expand: maySeeSubscriptions ? ['subscriptions($select=subscriptionId)'] : [],
    actions: (row, { may }) => [
      ...(maySeeSubscriptions ? [{ id: 'subscriptions', label: t.subscriptions, icon: 'tenants' as const, run: () => show(row) }] : []),
      ...(may('edit')
        ? [
            {
              id: 'toggle',
              label: row.enabled ? t.disable : t.enable,
              icon: 'lock' as const,
              danger: row.enabled,
              run: () => void toggleTenant(row),
            },
          ]
        : []),
    ],
    panel: { Component: TenantPanel },
  });
}
