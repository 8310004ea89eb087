/** Sources and their tokens. The value of a token is shown only once, when it is made. */
import { openStates } from '@cloudfit/contract/enums.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { kindDefaults, sourceTokenPrefix } from '@cloudfit/contract/sources/kinds.ts';
import { parseMapping } from '@cloudfit/contract/sources/mapping.ts';
import { parseTemplate } from '@cloudfit/contract/sources/template.ts';
import { escalationFaults } from '../../auth/escalation-faults.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createFromBody } from '../../resources/create.ts';
import { list } from '../../resources/list.ts';
import { update } from '../../resources/update.ts';
import { serve, servedOf, type FieldError, type RowChange, type Served } from '../../resources/served.ts';
import { makeReadyRules } from './ready-rules.ts';

type SourceRow = Row<typeof sources>;

/** Creates a source; returns the new row with its token, of which the database stores only the hash. */
export async function createSource(ctx: Ctx, body: unknown): Promise<SourceRow & { generatedToken: string }> {
  const { hash, hint, token } = createIntegrationToken(sourceTokenPrefix);
  const row = await createFromBody(ctx, servedSources, body, { columns: { token_hash: hash, token_hint: hint } });
  return { ...row, generatedToken: token };
}

function fieldErrors({ deviceName, blockName, mapping, unknownEntities, reportWithin }: SourceRow): FieldError[] {
  const errors: FieldError[] = [];
  for (const [target, text] of [
    ['deviceName', deviceName],
    ['blockName', blockName],
  ] as const) {
    const parsed = text ? parseTemplate(text) : [];
    if (typeof parsed === 'string') errors.push({ target, message: parsed });
  }
  const parsed = mapping ? parseMapping(mapping) : undefined;
  if (typeof parsed === 'string') errors.push({ target: 'mapping', message: parsed });
  if (!deviceName && !blockName)
    errors.push({ target: 'deviceName', message: 'Say how the device or the block is named, for instance {host}.' });
  if (blockName && unknownEntities === 'Wait')
    errors.push({ target: 'unknownEntities', message: 'Only devices wait to be promoted. Blocks are made at once, or refused.' });
  if (reportWithin && reportWithin < '00:01:00')
    errors.push({ target: 'reportWithin', message: 'Must report within is at least one minute (00:01:00).' });
  return errors;
}

/** What a source does by itself, so that nobody gets by it what they may not do. */
function deedsOf({ unknownEntities, blockName }: SourceRow): Permission[] {
  if (unknownEntities === 'Refuse') return [permission('Packets', 'create')];
  if (unknownEntities === 'Wait') return [permission('Packets', 'create'), permission('PendingDevices', 'create')];
  return [permission('Packets', 'create'), permission(blockName ? 'Blocks' : 'Devices', 'create')];
}

function faultsOf(ctx: Ctx, { verb, after, changed }: RowChange<SourceRow>): FieldError[] {
  if (verb === 'delete') return [];
  const errors = fieldErrors(after);
  if (ctx.actor.kind === 'system') return errors;
  if (changed.includes('unknownEntities') || changed.includes('blockName'))
    errors.push(...escalationFaults(ctx, after.tenantId, deedsOf(after), 'unknownEntities'));
  if (changed.includes('reportWithin') && after.reportWithin)
    errors.push(...escalationFaults(ctx, after.tenantId, [permission('WorkUnits', 'create')], 'reportWithin'));
  if (verb === 'create' && opensUnits(after))
    errors.push(...escalationFaults(ctx, after.tenantId, [permission('Rules', 'create')], 'opensUnits'));
  return errors;
}

/** Resolves the unit that says that the source is late: nobody would look at it again. */
async function endDelay(ctx: Ctx, { name, tenantId, lateWorkUnitId }: SourceRow): Promise<void> {
  if (!lateWorkUnitId) return;
  const system: Ctx = {
    ...ctx,
    actor: { kind: 'system', id: null, name: 'Automation' },
    permissions: new Map([[tenantId, new Set([permission('WorkUnits', 'view'), permission('WorkUnits', 'edit')])]]),
  };
  const filter = eq(workUnits, 'workUnitId', lateWorkUnitId);
  const { value } = await list(system, servedOf(workUnits), queryText({ filter, top: 1 }));
  if (value[0] && openStates.includes(value[0].stateId))
    await update(system, servedOf(workUnits), lateWorkUnitId, { stateId: 'Resolved', resolution: `The source ${name} was deleted.` });
}

const opensUnits = ({ kind, opensUnits }: SourceRow): boolean => opensUnits && kindDefaults[kind].alerts;

export const servedSources: Served<typeof sources> = serve(sources, 'intake_source', {
  fill: (ctx, { verb, before, after }) => {
    // The time to report begins when it is set, and when the source is enabled.
    const isWatched = after.enabled && Boolean(after.reportWithin);
    const begins = isWatched && !(before?.enabled && before.reportWithin);
    const watched = begins ? { reportWatchedSince: ctx.now().toISOString() } : {};
    if (verb !== 'create') return watched;
    const { alerts, deviceName, blockName } = kindDefaults[after.kind] ?? kindDefaults.Webhook;
    return {
      ...watched,
      ...(after.deviceName || after.blockName ? {} : { deviceName, blockName }),
      opensUnits: after.opensUnits && alerts,
    };
  },
  check: faultsOf,
  after: async (ctx, { verb, after }) => {
    if (verb === 'create' && opensUnits(after)) await makeReadyRules(ctx, after);
    if (verb === 'delete') await endDelay(ctx, after);
    await invalidateTokens(ctx.db);
  },
});
