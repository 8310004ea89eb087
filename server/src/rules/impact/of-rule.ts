/** What a change of a rule touches: the devices that it selects before and after, its open matches, their units and actions. */
import { sql, type RawBuilder } from '../../db/sql.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { ImpactGroup, ImpactKind } from '@cloudfit/contract/impact/calls.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { compiledOrNone, ruleTypeId, type CompiledRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { selects } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { tenantsOfRule } from '../past/rules-of-many.ts';
import { exceptionsByTenant, exceptionsOfRule, type StoredException } from '../run/exceptions.ts';
import { readTenantDevices } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import { groupsOf } from './impact-group.ts';
import { touched, touchedUnits } from './touched.ts';

/** Types of rules that select devices; other rules are about work units and matches. */
const selectsDevices = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history, ruleTypeId.maintenance, ruleTypeId.aggregation]);

/** Ids of the operands of conditions that an operation of a device can satisfy although the device does not. */
const operationOperands = new Set<number>([10, 11, 40, 41, 42]);

const shownFirst = 5;

function devicesGroup(kind: ImpactKind, devices: ReadonlyMap<string, Entity>): ImpactGroup {
  const first = [...devices.values()].slice(0, shownFirst);
  return {
    kind,
    count: devices.size,
    first: first.map((entity) => ({
      id: entity.device?.id ?? entity.id,
      name: entity.device?.name ?? entity.name,
      tenantId: entity.tenantId,
    })),
  };
}

function without(devices: ReadonlyMap<string, Entity>, others: ReadonlyMap<string, Entity>): Map<string, Entity> {
  return new Map([...devices].filter(([id]) => !others.has(id)));
}

interface DevicesOfRule {
  groups: ImpactGroup[];
  /** The devices that the rule selects now and would not select after the change; undefined if that was not determined. */
  lost: readonly string[] | undefined;
}

interface ListVersion {
  stamp: string;
  /** The transactions that the stamp includes. */
  snapshot: string;
  at: number;
}

interface KeptDevices extends ListVersion {
  devices: Promise<Entity[]>;
}

/** The device lists of the tenants whose impact was requested last. */
const latestLists = new Map<string, KeptDevices>();
const keptAtMost = 4;
/** The maximum age of a stored list in milliseconds, far below the hour for which changes are stored. */
const oldestMs = 600_000;

/**
 * Whether the stored list is still current: since it was read, no device, block or operation of the tenant was written. Writes
 * that do not affect the list count too.
 */
async function isUntouched(ctx: Ctx, tenantId: string, { snapshot, at }: ListVersion): Promise<boolean> {
  if (ctx.now().getTime() - at > oldestMs) return false;
  const [row] = await ctx.db.query<{ changed: boolean }>({
    name: 'impact-devices-changed',
    text: `select changed_since('{devices,blocks,deviceOperations,selectionMembers}', array[$1::uuid], $2::pg_snapshot) as changed`,
    values: [tenantId, snapshot],
  });
  return row?.changed === false;
}

/**
 * Reads the version of the device list. Its stamp changes with every device, with every operation if operations are
 * listed, and with the name of a heartbeat block, not with the colour of a block.
 */
async function versionOf(ctx: Ctx, tenantId: string, withOperations: boolean): Promise<ListVersion> {
  const [row] = await ctx.db.query<{ stamp: string; snapshot: string }>({
    name: 'impact-devices-stamp',
    text: `select concat_ws(' ', count(*), sum(version), (select concat_ws(' ', count(*), sum(hashtext(name))) from block where tenant_id = $1 and device_id is not null),
  (select concat_ws(' ', count(*), max(since)) from selection_member where tenant_id = $1),
  case when $2 then (select concat_ws(' ', count(*), sum(version)) from device_operation where tenant_id = $1) end) as stamp, pg_current_snapshot()::text as snapshot
from device where tenant_id = $1`,
    values: [tenantId, withOperations],
  });
  return { stamp: row?.stamp ?? '', snapshot: row?.snapshot ?? '', at: ctx.now().getTime() };
}

/**
 * Returns the devices of a tenant. While somebody types, each pause requests the same devices: they are read again only when
 * the version of the list has changed.
 */
export async function devicesOf(ctx: Ctx, tenantId: string, withOperations: boolean): Promise<Entity[]> {
  const key = `${tenantId} ${withOperations}`;
  const before = latestLists.get(key);
  if (before && (await isUntouched(ctx, tenantId, before))) return before.devices;
  const version = await versionOf(ctx, tenantId, withOperations);
  latestLists.delete(key);
  const devices = before?.stamp === version.stamp ? before.devices : readTenantDevices(ctx.db, tenantId, withOperations);
  latestLists.set(key, { ...version, devices });
  if (latestLists.size > keptAtMost) latestLists.delete(latestLists.keys().next().value ?? '');
  devices.catch(() => latestLists.delete(key));
  return devices;
}

/** A rule before and after its change; without a tenant it is for a group of tenants or for all. */
export interface DraftedRule extends Omit<RuleDefinition, 'tenantId'> {
  tenantId?: string | null | undefined;
  tenantGroupId?: string | null | undefined;
}

/** Compiles the rule as one of no tenant; the tenants for which it is are compared apart. */
function compiledForMany(rule: DraftedRule | undefined): CompiledRule | undefined {
  return rule && compiledOrNone({ ...rule, tenantId: '' });
}

/** The tenants of a rule whose devices the caller may view. */
export async function viewedTenants(
  ctx: Ctx,
  { tenantId = null, tenantGroupId = null }: Pick<DraftedRule, 'tenantId' | 'tenantGroupId'>,
): Promise<Set<string>> {
  const all = await tenantsOfRule(ctx, { tenantId, tenantGroupId });
  return new Set(all.filter((id) => may(ctx, 'CloudFit.CFS.Devices:view', id)));
}

/** Whether an exception takes the rule from a device. */
async function switchedOff(ctx: Ctx, ruleId: string, tenantIds: readonly string[]): Promise<(device: Entity) => boolean> {
  const [row] = await ctx.db.query<{ exceptions: StoredException[] | null }>({
    name: 'impact-exceptions',
    text: `select ${exceptionsOfRule} as exceptions from rule r where rule_id = $1`,
    values: [ruleId],
  });
  const exceptions = row?.exceptions ?? [];
  if (!exceptions.some((exception) => exception.isOff)) return () => false;
  const of = exceptionsByTenant(exceptions);
  const choosers = new Map(tenantIds.map((id) => [id, exceptionChooser(of(id))]));
  return (device) => choosers.get(device.tenantId)?.(device)?.isOff ?? false;
}

async function selectedBy(ctx: Ctx, before: DraftedRule, after: DraftedRule | undefined): Promise<DevicesOfRule> {
  const none = { groups: [], lost: undefined };
  if (!selectsDevices.has(before.ruleTypeId) && !(after && selectsDevices.has(after.ruleTypeId))) return none;
  const of = { was: await viewedTenants(ctx, before), willBe: after ? await viewedTenants(ctx, after) : new Set<string>() };
  const tenantIds = [...new Set([...of.was, ...of.willBe])];
  const [was, willBe] = [compiledForMany(before), compiledForMany(after)];
  // A draft that is not complete yet has no impact to show.
  if (tenantIds.length === 0 || !was || (after && !willBe)) return none;
  const isOnOperations = [was, willBe].some((rule) => rule?.conditions.some(({ operand }) => operationOperands.has(operand.id)));
  const devices = (await Promise.all(tenantIds.map((id) => devicesOf(ctx, id, isOnOperations)))).flat();
  const isOff = await switchedOff(ctx, before.ruleId, tenantIds);
  const isSelected = (rule: CompiledRule, tenants: ReadonlySet<string>, device: Entity) =>
    tenants.has(device.tenantId) && selects({ ...rule, tenantId: device.tenantId }, device) && !isOff(device);
  const selectedNow = (rule: CompiledRule | undefined, tenants: ReadonlySet<string>) =>
    new Map(
      (rule ? devices.filter((device) => isSelected(rule, tenants, device)) : []).map((device) => [device.device?.id ?? device.id, device]),
    );
  const [present, next] = [selectedNow(was, of.was), selectedNow(willBe, of.willBe)];
  const [gained, lost] = [without(next, present), without(present, next)];
  return {
    groups: [
      devicesGroup('devicesBefore', present),
      devicesGroup('devicesAfter', next),
      ...(gained.size > 0 ? [devicesGroup('devicesGained', gained)] : []),
      ...(lost.size > 0 ? [devicesGroup('devicesLost', lost)] : []),
    ],
    lost: [...lost.keys()],
  };
}

/** Returns the open matches of devices that the rule no longer selects. They are in tenants whose devices the caller may view. */
async function endingMatches(ctx: Ctx, { ruleId }: DraftedRule, lostIds: ReadonlySet<string>): Promise<ImpactGroup | undefined> {
  const open = await ctx.db.query<{ id: string; name: string; tenantId: string; deviceId: string }>({
    name: 'impact-open-matches',
    text: `select m.rule_match_id as id, m.label as name, m.tenant_id as "tenantId", coalesce(o.device_id, m.subject_id) as "deviceId"
from rule_match m left join device_operation o on o.device_operation_id = m.subject_id
where m.rule_id = $1 and m.closed is null order by m.created desc, m.rule_match_id`,
    values: [ruleId],
  });
  const ending = open.filter(({ deviceId }) => lostIds.has(deviceId));
  if (ending.length === 0) return undefined;
  const first = ending.slice(0, shownFirst).map(({ id, name, tenantId }) => ({ id, name, tenantId }));
  return { kind: 'endingMatches', count: ending.length, first };
}

async function ofDevices(
  ctx: Ctx,
  before: DraftedRule,
  after: DraftedRule | undefined,
): Promise<{ groups: ImpactGroup[]; ending: ImpactGroup | undefined }> {
  const { groups, lost } = await selectedBy(ctx, before, after);
  return { groups, ending: after && lost && lost.length > 0 ? await endingMatches(ctx, before, new Set(lost)) : undefined };
}

/** Returns what a change of a rule touches. `after`: undefined when the rule is deleted or disabled. */
export async function impactOfRule(ctx: Ctx, before: DraftedRule, after: DraftedRule | undefined): Promise<ImpactGroup[]> {
  const id = before.ruleId;
  const isOpen = sql`m.rule_id = ${id}::uuid and m.closed is null`;
  const openMatches = (kind: ImpactKind, narrow: RawBuilder<boolean>) => touched(ruleMatches, { kind, orderBy: 'created desc', narrow });
  const onRecord = groupsOf(ctx, [
    openMatches('openMatches', sql<boolean>`t.rule_id = ${id}::uuid and t.closed is null`),
    openMatches('heldMatches', sql<boolean>`t.rule_id = ${id}::uuid and t.held_since is not null and t.held_until is null`),
    touched(rules, {
      kind: 'rules',
      narrow: sql<boolean>`t.rule_id <> ${id}::uuid and t.rule_id in (select rules_that_name(${before.tenantId ?? null}::uuid, ${id}::uuid))`,
    }),
    touchedUnits('units', sql<boolean>`t.rule_id = ${id}::uuid and t.state_id not in ('Resolved', 'Closed', 'Canceled')`),
    touched(actionHistories, {
      kind: 'executions',
      namedBy: 'actionDefinition',
      orderBy: 'actionProcessed desc',
      narrow: sql<boolean>`t.result_status_id = ${resultStatus.enqueueSuccess} and t.reference_id in (select m.rule_match_id::text from rule_match m where ${isOpen})`,
    }),
  ]);
  const [{ groups, ending }, others] = await Promise.all([ofDevices(ctx, before, after), onRecord]);
  return [...groups, ...(ending ? [ending] : []), ...others];
}
