/**
 * The resources to which fields refer, with the properties that a list or a form needs. Screens use these instead of the full
 * declarations, which they would otherwise load for all entities; `references.test.ts` compares the two.
 */
import type { Area } from '../permissions.ts';
import type { Kind } from '../resource.ts';

export interface ReferencedResource {
  /** Name of the resource. */
  name: string;
  area: Area;
  key: string;
  /** The field by which people recognise a row; lists can be sorted by it. */
  title: string;
  /** The fields that conditions may name. */
  fields: Readonly<Record<string, { kind: Kind; nullable: boolean }>>;
  /** Whether rows of this resource limit the scope of other rows: a row that refers to none of them is global. */
  scopesRows: boolean;
}

const required = { tenantId: { kind: 'guid', nullable: false } } as const;
const orGlobal = { tenantId: { kind: 'guid', nullable: true } } as const;

const to = (
  name: string,
  area: Area,
  key: string,
  title: string,
  tenant: ReferencedResource['fields'] = {},
  kind: Kind = 'guid',
): ReferencedResource => ({
  name,
  area,
  key,
  title,
  fields: { [title]: { kind: 'text', nullable: false }, ...tenant, [key]: { kind, nullable: false } },
  scopesRows: key === 'tenantId',
});

export const references: readonly ReferencedResource[] = [
  to('actionDefinitions', 'ActionDefinitions', 'actionDefinitionId', 'name', orGlobal),
  to('actionHistories', 'ActionDefinitions', 'actionHistoryId', 'actionHistoryId', required, 'bigint'),
  to('blocks', 'Blocks', 'blockId', 'name', required),
  to('campaigns', 'Devices', 'campaignId', 'title', orGlobal),
  to('controlSets', 'Compliance', 'id', 'name'),
  to('controlStatuses', 'Compliance', 'id', 'notes', required),
  to('controls', 'Compliance', 'id', 'name'),
  to('dashboards', 'Visualizations', 'dashboardId', 'name', required),
  to('deviceOperations', 'Devices', 'deviceOperationId', 'label', required),
  to('deviceSelections', 'Devices', 'deviceSelectionId', 'name', orGlobal),
  to('devices', 'Devices', 'deviceId', 'name', required),
  to('directories', 'People', 'directoryId', 'name'),
  to('knowledgeArticleUses', 'Articles', 'knowledgeArticleId', 'knowledgeArticleId', orGlobal),
  to('knowledgeArticles', 'Articles', 'knowledgeArticleId', 'title', orGlobal),
  to('locations', 'Locations', 'locationId', 'name', orGlobal),
  to('onCallSchedules', 'OnCall', 'onCallScheduleId', 'name', required),
  to('operations', 'Packages', 'operationId', 'name', orGlobal),
  to('packageVersions', 'Packages', 'packageVersionId', 'version', orGlobal),
  to('packages', 'Packages', 'packageId', 'name', orGlobal),
  to('packetInfos', 'Packets', 'entityId', 'entityId', required),
  to('packets', 'Packets', 'entityId', 'entityId', required),
  to('people', 'People', 'personId', 'name'),
  to('permissionSets', 'People', 'permissionSetId', 'name', orGlobal),
  to('policies', 'Devices', 'policyId', 'name', orGlobal),
  to('protocols', 'WorkUnits.Protocols', 'protocolId', 'name', orGlobal),
  to('rules', 'Rules', 'ruleId', 'name', orGlobal),
  to('statusPages', 'Settings', 'statusPageId', 'title', required),
  to('subscriptions', 'Subscriptions', 'subscriptionId', 'name', required),
  // Parameters of operations refer to a secret by its name.
  to('tenantSecrets', 'Tenants', 'id', 'name', required),
  to('tenantGroups', 'Tenants', 'tenantGroupId', 'name'),
  to('tenants', 'Tenants', 'tenantId', 'name'),
  to('tokens', 'Tokens', 'tokenGrantId', 'name', orGlobal),
  to('workUnitCategories', 'WorkUnits.Categories', 'workUnitCategoryId', 'name', required),
  to('workUnitCommunications', 'WorkUnitCommunications', 'workUnitCommunicationId', 'title', required, 'bigint'),
  to('workUnitSubcategories', 'WorkUnits.Subcategories', 'workUnitSubcategoryId', 'name', required),
  to('workUnitTypes', 'WorkUnits.Types', 'workUnitTypeId', 'name', {}, 'bigint'),
  to('workUnits', 'WorkUnits', 'workUnitId', 'title', required, 'bigint'),
  to('workingCalendars', 'WorkUnits.ServiceLevels', 'workingCalendarId', 'name', orGlobal),
];

const byName = new Map(references.map((reference) => [reference.name, reference]));

/** Returns the referenced resource of this name; throws if this list does not have it. */
export function referenceTo(name: string): ReferencedResource {
  const resource = byName.get(name);
  if (!resource) throw new Error(`${name} is missing among the references.`);
  return resource;
}
