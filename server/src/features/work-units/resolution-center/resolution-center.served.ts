import { sql } from '../../../db/sql.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { externalNotes } from '@cloudfit/contract/resources/external-notes.ts';
import { resolutionCenterWorkUnits } from '@cloudfit/contract/resources/resolution-center-work-units.ts';
import { tenantScopeWith } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';
import { ownRequests } from './own-requests.ts';

/** Only the caller's own requests, whatever else the caller may view elsewhere. */
export const servedResolutionCenterWorkUnits = serve(resolutionCenterWorkUnits, 'resolution_center_work_unit', {
  rowsFor: ownRequests,
});

/**
 * Limits external notes: in tenants whose work units the caller may view, all; in others, those of the caller's own requests.
 */
export const servedExternalNotes = serve(externalNotes, 'external_note', {
  rowsFor: (ctx, t) => {
    const all = tenantScopeWith(ctx, [permission('WorkUnits', 'view')]);
    if (all === 'all') return undefined;
    const isOwnRequest = sql`exists (select from work_unit w where w.work_unit_id = ${sql.ref(`${t}.work_unit_id`)} and ${ownRequests(ctx, 'w')})`;
    return sql<boolean>`(${sql.ref(`${t}.tenant_id`)} = any(${[...all]}::uuid[]) or ${isOwnRequest})`;
  },
});
