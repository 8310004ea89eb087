/** Which entities are in maintenance now, and why: the windows and rules that hold their matches. */
import { maintenanceNow, type MaintenanceHolder } from '@cloudfit/contract/maintenance/calls.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import { implement } from '../../../resources/action.ts';
import type { CompiledRules } from '../compiled-rules.ts';
import { readEntities } from '../entities.ts';
import type { Entity } from '../entity.ts';
import { memberSince, type MaintenanceWindow } from './maintenance-windows.ts';
import { holdingRules, maintenanceOf, type Maintenance } from './maintenance.ts';

/** A device that is named, or at the location, is in the maintenance from its start; one of its selection since it is in that. */
function becauseOf(
  { from, deviceIds, locationId, selection }: MaintenanceWindow,
  entity: Entity,
): Pick<MaintenanceHolder, 'since' | 'selection'> {
  const device = entity.device;
  const isThere = device && (deviceIds.includes(device.id) || (locationId !== null && locationId === device.locationId));
  const member = selection && !isThere ? memberSince(entity, selection.deviceSelectionId) : undefined;
  return { since: new Date(Math.max(from, member ?? 0)).toISOString(), selection: member === undefined ? null : selection };
}

function holdersOf({ rules, windows }: Maintenance, entity: Entity, at: number): MaintenanceHolder[] {
  const ofWindows = windows.concerning(entity, at).map((item): MaintenanceHolder => ({
    ...becauseOf(item, entity),
    kind: item.isChange ? 'change' : 'window',
    id: item.maintenanceWindowId,
    name: item.reason,
    until: new Date(item.until).toISOString(),
    workUnitId: item.workUnitId,
    publicWorkUnitId: item.publicWorkUnitId,
    expectedOnly: item.ruleIds !== null,
  }));
  const ofRules = holdingRules(rules, entity, at).map((holdingRule): MaintenanceHolder => ({
    kind: 'rule',
    id: holdingRule.ruleId,
    name: holdingRule.rule.name,
    until: null,
    workUnitId: null,
    publicWorkUnitId: null,
    expectedOnly: false,
    since: null,
    selection: null,
  }));
  return [...ofWindows, ...ofRules];
}

const mayView = (ctx: Ctx, { tenantId }: Entity): boolean => may(ctx, 'CloudFit.CFS.Devices:view', tenantId);

export const maintenanceNowAction = (compiled: () => Promise<CompiledRules>) =>
  implement(maintenanceNow, async (ctx, { entityIds }) => {
    const by = maintenanceOf(await compiled());
    const at = ctx.now().getTime();
    if (by.rules.size === 0 && !by.windows.isAnyAt(at)) return { value: [] };
    const entities = (await readEntities(ctx.db, entityIds)).filter((entity) => mayView(ctx, entity));
    return {
      value: entities.flatMap((entity) => {
        const holders = holdersOf(by, entity, at);
        return holders.length > 0 ? [{ entityId: entity.id, by: holders }] : [];
      }),
    };
  });
