import {
  convertConfiguration,
  exportConfiguration,
  importConfiguration,
  nameConfiguration,
  readManaged,
  readManagedResources,
  restoreConfiguration,
} from '@cloudfit/contract/actions/configuration.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { importList as importListCall } from '@cloudfit/contract/configuration/import-list.ts';
import { exportDocument } from './export.ts';
import { importDocument } from './import.ts';
import { importList } from './lists/import-list.ts';
import { managedResources, managedRow } from './managed.ts';
import { convertFiles } from './moving/convert.ts';
import { titlesOf } from './named.ts';
import type { ConfigurationPart } from './part.ts';
import { portableResources } from './portable.ts';
import { restore } from './restore.ts';

function requireTenantInScope(ctx: Ctx, tenantId: string | undefined): void {
  if (tenantId !== undefined) requireTenant(ctx, tenantId);
}

export function configurationActions(parts: readonly ConfigurationPart[]): readonly ImplementedAction[] {
  return [
    implement(exportConfiguration, async (ctx, { tenantId }) => {
      requireTenantInScope(ctx, tenantId);
      const document = await exportDocument(ctx, parts, tenantId);
      // Without a tenant the document covers all tenants of the caller, so the audit of each of them gets an entry.
      for (const exportedTenant of tenantId !== undefined ? [tenantId] : ctx.tenants === 'all' ? [null] : ctx.tenants)
        await recordAudit(ctx.db, {
          actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
          tenantId: exportedTenant,
          verb: 'export',
          entity: 'configuration',
          entityId: exportedTenant ?? 'all',
          correlationId: ctx.correlationId,
          address: ctx.address,
        });
      return document;
    }),
    implement(importConfiguration, (ctx, { dryRun, partly, tenantId, mapping, make, without, note, ...document }) => {
      requireTenantInScope(ctx, tenantId);
      return importDocument(ctx, document, { dryRun, partly, tenantId, mapping, make, without, note, parts });
    }),
    implement(importListCall, (ctx, input) => importList(ctx, input, parts)),
    implement(convertConfiguration, (ctx, { tenantId, files }) => {
      requireTenant(ctx, tenantId);
      return Promise.resolve(convertFiles(files, tenantId, ctx.now().getTime()));
    }),
    implement(restoreConfiguration, (ctx, options) => restore(ctx, options, parts)),
    implement(readManaged, async (ctx, { resource, key }) => ({ managed: await managedRow(ctx, resource, key) })),
    implement(readManagedResources, async (ctx) => ({ resources: await managedResources(ctx) })),
    implement(nameConfiguration, async (ctx, { ids }) => ({ names: await titlesOf(ctx, ids, new Map(), portableResources()) })),
  ];
}
