import { sql } from '../../db/sql.ts';
import { listSubscriptions } from '@cloudfit/contract/actions/subscriptions.ts';
import { implementList } from '../../resources/action.ts';

export const listSubscriptionsAction = implementList(listSubscriptions, (_ctx, { tenantId }, t) =>
  tenantId === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(`${t}.tenant_id`)} = ${tenantId}::uuid`,
);
