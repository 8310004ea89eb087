/** Parts of the configuration that are exported in their own form instead of as rows. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { exportControlSets, importControlSet } from '../features/compliance/import.ts';
import type { ConfigurationPart } from '../features/configuration/part.ts';
import { moveTicket } from '../features/work-units/moved/move-ticket.ts';
import { takeBackTicket } from '../features/work-units/moved/take-back-ticket.ts';
import { may } from '../context/ctx.ts';

/** Whole control sets with their controls; the import also accepts a NIST OSCAL catalog. */
const controlSets: ConfigurationPart = {
  name: 'controlSets',
  export: async (ctx) => (may(ctx, permission('Compliance', 'view')) ? exportControlSets(ctx) : undefined),
  import: async (ctx, document) => {
    const { name, isNew, described, created, updated, removed, kept } = await importControlSet(ctx, document);
    const lists = { described: described ? [name] : [], created, updated, removed };
    const fields = Object.entries(lists).flatMap(([field, names]) => (names.length > 0 ? [{ field, before: null, after: names }] : []));
    if (!isNew && fields.length === 0) return undefined;
    const stays = kept.length > 0 ? [{ field: 'kept', before: null, after: kept }] : [];
    return { resource: 'controlSets', verb: isNew ? 'add' : 'change', name, key: name, fields: [...fields, ...stays] };
  },
};

/** Tickets of another program: an import takes them as work units, and an export leaves them out. */
const tickets: ConfigurationPart = {
  name: 'tickets',
  export: () => Promise.resolve(undefined),
  import: async (ctx, document) => {
    const change = await moveTicket(ctx, document);
    return change && { resource: 'workUnits', ...change };
  },
  added: { entity: 'workUnits', below: ['workUnitNotes'], takeBack: takeBackTicket },
};

export const configurationParts: readonly ConfigurationPart[] = [controlSets, tickets];
