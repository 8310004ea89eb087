/** The impact of a change of an action, protocol, package or custom field: what uses it, and what waits for it. */
import { sql, type RawBuilder } from '../../db/sql.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { ImpactGroup } from '@cloudfit/contract/impact/calls.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { customFieldSlots, tenants } from '@cloudfit/contract/resources/tenants.ts';
import type { Ctx } from '../../context/ctx.ts';
import { protocolsWith, rulesWith } from '../../features/actions/uses.ts';
import { assignedRules } from '../../features/protocols/uses.ts';
import { groupsOf } from './impact-group.ts';
import { touched, touchedUnits, type TouchedRows } from './touched.ts';

const isOpen = sql<boolean>`t.state_id not in ('Resolved', 'Closed', 'Canceled')`;

/** Lists the tenants that use the changed row, if that row belongs to all tenants. */
const tenantsOf = (owner: string | null, ...uses: RawBuilder<unknown>[]): TouchedRows[] =>
  owner === null ? [touched(tenants, { kind: 'tenants', narrow: sql<boolean>`t.tenant_id in (${sql.join(uses, sql` union `)})` })] : [];

/** A row that changes; its tenant is null when it belongs to all tenants. */
interface ChangedRow {
  id: string;
  tenantId: string | null;
}

export function impactOfAction(ctx: Ctx, { id, tenantId }: ChangedRow): Promise<ImpactGroup[]> {
  return groupsOf(ctx, [
    ...tenantsOf(
      tenantId,
      sql`select r.tenant_id from rule r where ${rulesWith(id, 'r')}`,
      sql`select a.tenant_id from protocol_action a where a.action_definition_id = ${id}::uuid`,
    ),
    touched(rules, { kind: 'rules', narrow: rulesWith(id, 't') }),
    touched(protocols, { kind: 'protocols', narrow: protocolsWith(id, 't') }),
    touched(actionHistories, {
      kind: 'executions',
      namedBy: 'tenant',
      orderBy: 'actionProcessed desc',
      narrow: sql<boolean>`t.action_definition_id = ${id}::uuid and t.result_status_id = ${resultStatus.enqueueSuccess}`,
    }),
  ]);
}

export function impactOfProtocol(ctx: Ctx, { id, tenantId }: ChangedRow): Promise<ImpactGroup[]> {
  const follows = sql`u.protocol_id = ${id}::uuid and u.state_id not in ('Resolved', 'Closed', 'Canceled')`;
  return groupsOf(ctx, [
    ...tenantsOf(
      tenantId,
      sql`select u.tenant_id from work_unit u where ${follows}`,
      sql`select r.tenant_id from rule r where ${assignedRules(id, 'r')}`,
    ),
    touched(rules, { kind: 'rules', narrow: assignedRules(id, 't') }),
    touchedUnits('units', sql<boolean>`t.protocol_id = ${id}::uuid and ${isOpen}`),
    touched(plannedSteps, {
      kind: 'waitingSteps',
      orderBy: 'due asc',
      narrow: sql<boolean>`t.ended is null and t.protocol_id = ${id}::uuid`,
    }),
  ]);
}

const touchedInstallations = (narrow: RawBuilder<boolean>): TouchedRows =>
  touched(deviceInstallations, { kind: 'installations', namedBy: 'device', narrow });

export function impactOfPackage(ctx: Ctx, { id, tenantId }: ChangedRow): Promise<ImpactGroup[]> {
  return groupsOf(ctx, [
    ...tenantsOf(tenantId, sql`select i.tenant_id from device_installation i where i.package_id = ${id}::uuid`),
    touchedInstallations(sql<boolean>`t.package_id = ${id}::uuid`),
  ]);
}

export function impactOfVersion(ctx: Ctx, { id, tenantId }: ChangedRow): Promise<ImpactGroup[]> {
  const uses = (t: string) =>
    sql<boolean>`(${sql.ref(`${t}.package_version_id`)} = ${id}::uuid or ${sql.ref(`${t}.installed_version_id`)} = ${id}::uuid)`;
  return groupsOf(ctx, [
    ...tenantsOf(tenantId, sql`select i.tenant_id from device_installation i where ${uses('i')}`),
    touchedInstallations(uses('t')),
  ]);
}

/** Work units that hold a value of the custom fields whose definitions change. */
export function impactOfCustomFields(ctx: Ctx, tenantId: string, fields: readonly string[]): Promise<ImpactGroup[]> {
  const slots = customFieldSlots.filter((n) => fields.includes(`workUnitFieldDef${n}`));
  return groupsOf(
    ctx,
    slots.map((n) => {
      const hasValue = sql<boolean>`t.tenant_id = ${tenantId}::uuid and ${sql.ref(`t.custom_value${n}`)} is not null`;
      return touchedUnits('unitsWithValue', hasValue, `workUnitFieldDef${n}`);
    }),
  );
}
