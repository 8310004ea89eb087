/** The rows that a unit's relations point to, by kind; kinds that the person may not see are not read. */
import { useQuery } from '@tanstack/react-query';
import type { Area } from '@cloudfit/contract/permissions.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { relationLogEntries } from '@cloudfit/contract/calls.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** The maximum number of linked rows of one kind that are read (WU-075). */
export const maxRelated = 100;

const isNumber = (id: string) => /^\d{1,15}$/.test(id);
const isGuid = (id: string) => guidSchema.safeParse(id).success;
const numberedTypes: readonly string[] = ['WorkUnit', 'WorkUnitCommunication'];

/** Ids of one kind that a unit points to; values that are no ids are skipped. */
export function relatedIds(unit: PanelWorkUnit, type: string): string[] {
  const isId = numberedTypes.includes(type) ? isNumber : isGuid;
  return (unit.relations ?? [])
    .filter((relation) => relation.referenceType === type && isId(relation.referenceId))
    .map((relation) => relation.referenceId)
    .slice(0, maxRelated);
}

function useRelated<T>(area: Area, name: string, ids: readonly string[], read: (signal: AbortSignal) => Promise<readonly T[]>) {
  const mayView = useMay()(area, 'view');
  return useQuery({ queryKey: [name, 'related', ids], queryFn: ({ signal }) => read(signal), enabled: mayView && ids.length > 0 });
}

export type RelatedMatch = ExpandedRow<typeof ruleMatches, 'rule'> & Partial<ExpandedRow<typeof ruleMatches, 'device'>>;

/** The matches with their rules, and with their devices for people who may view these; the newest first. */
export function useRelatedMatches(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'RuleMatch');
  const expand = useMay()('Devices', 'view') ? (['rule', 'device'] as const) : (['rule'] as const);
  const query = { filter: oneOf(ruleMatches, 'ruleMatchId', ids), expand, orderBy: 'created desc', top: maxRelated } as const;
  return useRelated<RelatedMatch>(
    'Rules',
    ruleMatches.name,
    ids,
    async (signal) => (await fetchPage(ruleMatches, query, signal, true)).rows,
  );
}

export function useRelatedDevices(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'Device');
  const query = { filter: oneOf(devices, 'deviceId', ids), top: maxRelated };
  return useRelated('Devices', devices.name, ids, async (signal) => (await fetchPage(devices, query, signal)).rows);
}

export function useRelatedOperations(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'DeviceOperation');
  const query = { filter: oneOf(deviceOperations, 'deviceOperationId', ids), expand: ['device'], top: maxRelated } as const;
  return useRelated('Devices', deviceOperations.name, ids, async (signal) => (await fetchPage(deviceOperations, query, signal)).rows);
}

export function useRelatedBlocks(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'Block');
  const query = { filter: oneOf(blocks, 'blockId', ids), top: maxRelated };
  return useRelated('Blocks', blocks.name, ids, async (signal) => (await fetchPage(blocks, query, signal)).rows);
}

export function useRelatedUnits(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'WorkUnit');
  const query = { filter: oneOf(workUnits, 'workUnitId', ids), top: maxRelated };
  return useRelated('WorkUnits', workUnits.name, ids, async (signal) => (await fetchPage(workUnits, query, signal)).rows);
}

export function useRelatedCommunications(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'WorkUnitCommunication');
  const query = { filter: oneOf(workUnitCommunications, 'workUnitCommunicationId', ids), top: maxRelated };
  return useRelated(
    'WorkUnitCommunications',
    workUnitCommunications.name,
    ids,
    async (signal) => (await fetchPage(workUnitCommunications, query, signal)).rows,
  );
}

/** The packet of a rule match: `message` is JSON with EntityId, Timestamp, Properties with BlockName, Value (WU-093). */
export type RelatedLogEntry = CallOutput<typeof relationLogEntries>['value'][number];

export function useRelationLog(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'RuleMatch');
  return useRelated(
    'Rules',
    'relationLog',
    ids,
    async (signal) => (await call(relationLogEntries, { referenceIds: ids.join(',') }, { signal, quiet: true })).value,
  );
}
