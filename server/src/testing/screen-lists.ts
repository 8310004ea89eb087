/** The list calls of screens, with their default sorts, typical searches and counts: benches time them, and tests read their plans. */
import { searchFilter } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Db } from '../db/db.ts';

export interface SampleNames {
  tenantId: string;
  deviceName: string;
  deviceIds: readonly string[];
  person: string;
  workUnitId: number;
  publicWorkUnitId: number;
  ruleId: string;
}

/** Returns sample values for the lists below: an assigned work unit of the demo data with a device, and rows of its tenant. */
export async function findSampleNames(db: Db): Promise<SampleNames> {
  const [row] = await db.query<SampleNames>({
    text: `select w.tenant_id as "tenantId", w.work_unit_id as "workUnitId", w.public_work_unit_id as "publicWorkUnitId", w.assigned_to as person,
    d.name as "deviceName", (select rule_id from rule where tenant_id = w.tenant_id limit 1) as "ruleId",
    (select array_agg(device_id::text) from (select device_id from device where tenant_id = w.tenant_id limit 20) x) as "deviceIds"
    from work_unit w join work_unit_relation r on r.work_unit_id = w.work_unit_id join device d on d.device_id = r.reference_id::uuid
    where w.assigned_to is not null and r.reference_type = 'Device' order by w.work_unit_id limit 1`,
  });
  if (!row) throw new Error('The world has no work unit about a device.');
  return row;
}

export interface ScreenList {
  screen: string;
  set: string;
  query: string;
  /** Whether the caller reads the list in all tenants, not only in the sample's tenant. */
  all?: boolean;
}

const unitSearch = (text: string) => searchFilter(workUnits, text, false, ['tenant/name', 'workUnitId', 'publicWorkUnitId']) ?? '';
const open = "stateId in ('New','Acknowledged','InProgress','OnHold','Mitigated')";
const unitOrder = '$orderby=severityId,created desc&$top=10&$count=true&$expand=tenant($select=name),workUnitType';

export function screenLists({
  tenantId,
  deviceName,
  deviceIds,
  person,
  workUnitId,
  publicWorkUnitId,
  ruleId,
}: SampleNames): readonly ScreenList[] {
  const tenant = `tenantId eq ${tenantId}`;
  const [device = ''] = deviceIds;
  return [
    { screen: 'work units: new ones', set: 'workUnits', query: `$filter=${tenant} and stateId eq 'New'&${unitOrder}` },
    { screen: 'work units: open ones', set: 'workUnits', query: `$filter=${tenant} and ${open}&${unitOrder}` },
    { screen: 'work units: new ones of all tenants', set: 'workUnits', query: `$filter=stateId eq 'New'&${unitOrder}`, all: true },
    { screen: 'work units: all states', set: 'workUnits', query: `$filter=${tenant}&${unitOrder}` },
    { screen: 'work units: mine', set: 'workUnits', query: `$filter=assignedTo eq '${person}' and ${open}&${unitOrder}`, all: true },
    {
      screen: 'work units: my approvals',
      set: 'workUnits',
      query: `$filter=(approver1 eq '${person}' or approver2 eq '${person}') and ${open}&${unitOrder}`,
      all: true,
    },
    { screen: 'work units: search', set: 'workUnits', query: `$filter=${tenant} and (${unitSearch(deviceName)})&${unitOrder}` },
    {
      screen: 'work units: search in all tenants',
      set: 'workUnits',
      query: `$filter=${unitSearch(`firmware of ${deviceName}`)}&${unitOrder}`,
      all: true,
    },
    {
      screen: 'work unit by number',
      set: 'workUnits',
      query: `$filter=publicWorkUnitId eq ${publicWorkUnitId}&$expand=tenant,workUnitType,notes`,
      all: true,
    },
    {
      screen: 'work unit: history',
      set: 'workUnitNotes',
      query: `$filter=workUnitId eq ${workUnitId}&$orderby=created desc&$top=100&$count=true`,
    },
    { screen: 'work units: tenants to choose', set: 'workUnits', query: '$apply=groupby((tenant/name))', all: true },
    { screen: 'work units: people to choose', set: 'workUnits', query: '$apply=groupby((assignedTo))', all: true },
    { screen: 'devices', set: 'devices', query: `$filter=${tenant}&$orderby=name&$top=10&$count=true&$expand=location` },
    { screen: 'devices of all tenants', set: 'devices', query: '$orderby=name&$top=10&$count=true&$expand=location', all: true },
    {
      screen: 'devices: search',
      set: 'devices',
      query: `$filter=${tenant} and (${searchFilter(devices, deviceName) ?? ''})&$orderby=name&$top=10&$count=true`,
    },
    { screen: 'devices: latest packets', set: 'packets', query: `$filter=entityId in (${deviceIds.join(',')})` },
    {
      screen: 'device: rule matches',
      set: 'ruleMatches',
      query: `$filter=subjectId eq ${device}&$orderby=created desc&$top=100&$count=true&$expand=rule`,
    },
    { screen: 'rule matches', set: 'ruleMatches', query: `$filter=${tenant}&$orderby=created desc&$top=50&$count=true` },
    {
      screen: 'rules',
      set: 'rules',
      query: `$filter=${tenant} and enabled eq true&$orderby=name&$top=10&$count=true&$expand=tenant,subscription`,
    },
    { screen: 'rule: matches', set: 'ruleMatches', query: `$filter=ruleId eq ${ruleId}&$orderby=created desc&$top=50&$count=true` },
    { screen: 'blocks', set: 'blocks', query: `$filter=subscription/tenantId eq ${tenantId}&$orderby=name&$top=100` },
    {
      screen: 'blocks of a subscription',
      set: 'blocks',
      query: `$filter=subscription/tenantId eq ${tenantId} and subscription/name eq 'Production'&$expand=packet`,
    },
    { screen: 'block: log', set: 'blockLogs', query: `$filter=blockId eq ${device}&$orderby=created desc&$top=100` },
    { screen: 'action catalog', set: 'actionDefinitions', query: '$orderby=name&$top=10&$count=true&$expand=tenant', all: true },
    { screen: 'protocols', set: 'protocols', query: '$orderby=name&$top=10&$count=true&$expand=tenant', all: true },
    { screen: 'protocol: actions', set: 'protocolActions', query: `$filter=protocolId eq ${ruleId}&$expand=actionDefinition` },
    { screen: 'action histories', set: 'actionHistories', query: '$top=10&$expand=actionDefinition', all: true },
    {
      screen: 'rule match: action histories',
      set: 'actionHistories',
      query: `$filter=correlationId eq ${device}&$expand=actionDefinition`,
    },
    {
      screen: 'work unit: action histories',
      set: 'actionHistories',
      query: `$filter=referenceId eq '${workUnitId}'&$expand=actionDefinition`,
    },
    { screen: 'action: histories', set: 'actionHistories', query: `$filter=actionDefinitionId eq ${ruleId}&$top=10` },
    { screen: 'protocol action: histories', set: 'actionHistories', query: `$filter=contains(inputParameters,'${ruleId}')`, all: true },
    {
      screen: 'compliance: controls with the statuses of a week',
      set: 'controlSets',
      query: `$expand=controls($expand=controlStatuses($filter=tenantId eq ${tenantId} and checkDate eq 2026-11-16T00:00:00Z);$top=1000)&$top=1000`,
    },
    { screen: 'communications', set: 'workUnitCommunications', query: `$filter=${tenant}&$orderby=created desc&$top=10&$count=true` },
    { screen: 'locations', set: 'locations', query: '$orderby=name&$top=10&$count=true&$expand=tenant', all: true },
    { screen: 'tenants', set: 'tenants', query: '$orderby=name&$top=10&$count=true', all: true },
    { screen: 'audit', set: 'audit', query: '$top=50', all: true },
  ];
}
