/** A unit's relations as rows: name, value, date, link and raw entry. */
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import {
  maxRelated,
  useRelatedCommunications,
  useRelatedBlocks,
  useRelatedDevices,
  useRelatedOperations,
  useRelatedMatches,
  useRelatedUnits,
  useRelationLog,
  type RelatedLogEntry,
} from './use-related.ts';
import { useUsedArticles } from './unit-articles.tsx';
import { valueSeen } from '../../../entities/matches/value-seen.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.related;

export interface RelatedEntry {
  relationId: number;
  name: string;
  to?: string;
  value: string;
  date: string | null;
  raw: unknown;
}

type EntryContent = Omit<RelatedEntry, 'relationId'>;

/** People link devices and work units by hand, so these grids show even when they are empty. */
const always: readonly string[] = ['Device', 'WorkUnit'];

const labels: Record<string, string> = {
  RuleMatch: workUnitTexts.ruleMatch,
  Device: workUnitTexts.device,
  DeviceOperation: t.operation,
  Block: t.block,
  WorkUnit: t.workUnit,
  WorkUnitCommunication: t.communication,
  KnowledgeArticle: t.article,
};

export function kindLabel(type: string): string {
  return labels[type] ?? type;
}

interface LogMessage {
  Timestamp?: string;
  Value?: unknown;
  Properties?: { BlockName?: string; DeviceName?: string };
}

function readMessage(entry: RelatedLogEntry | undefined): LogMessage {
  if (!entry) return {};
  try {
    const parsed: unknown = JSON.parse(entry.message);
    return parsed !== null && typeof parsed === 'object' ? parsed : {};
  } catch {
    return {};
  }
}

function matchEntry(
  match: ExpandedRow<typeof ruleMatches, 'rule'> | undefined,
  log: RelatedLogEntry | undefined,
): EntryContent | undefined {
  if (!match && !log) return undefined;
  const logMessage = readMessage(log);
  const about = logMessage.Properties?.BlockName;
  const rule = match ? (match.rule?.name ?? match.label) : undefined;
  const value =
    logMessage.Value === undefined || logMessage.Value === null
      ? match
        ? valueSeen(match) || en.matches.count(match.matchCount)
        : ''
      : String(logMessage.Value);
  return {
    name: [rule, about].filter(Boolean).join(' · ') || (log?.referenceId ?? ''),
    ...(match ? { to: `/${match.tenantId}/rules?id=${match.ruleId}&q=disabled` } : {}),
    value,
    date: logMessage.Timestamp ?? match?.created ?? log?.created ?? null,
    raw: log ? { ...log, message: logMessage } : match,
  };
}

/** Grids in the order in which they are shown, each sorted newest first. */
export function useRelatedGrids(unit: PanelWorkUnit) {
  const parts = [
    useRelatedMatches(unit),
    useRelatedDevices(unit),
    useRelatedOperations(unit),
    useRelatedBlocks(unit),
    useRelatedUnits(unit),
    useRelatedCommunications(unit),
    useRelationLog(unit),
    useUsedArticles(unit),
  ] as const;
  const [matches, devices, operations, blocks, units, communications, log, articles] = parts;
  const contentOf: Record<string, (id: string) => EntryContent | undefined> = {
    RuleMatch: (id) =>
      matchEntry(
        matches.data?.find((match) => match.ruleMatchId === id),
        log.data?.find((reference) => reference.referenceId === id),
      ),
    Device: (id) => {
      const row = devices.data?.find((device) => device.deviceId === id);
      return row && { name: row.name, to: `/${row.tenantId}/devices?id=${id}`, value: row.description ?? '', date: row.modified, raw: row };
    },
    DeviceOperation: (id) => {
      const row = operations.data?.find((operation) => operation.deviceOperationId === id);
      const to = `/${row?.tenantId}/devices?operations=${row?.deviceId}`;
      return row && { name: row.label, to, value: row.device?.name ?? '', date: row.modified, raw: row };
    },
    Block: (id) => {
      const row = blocks.data?.find((block) => block.blockId === id);
      return row && { name: row.name, to: `/${row.tenantId}/blocks?id=${id}`, value: row.description ?? '', date: row.modified, raw: row };
    },
    WorkUnit: (id) => {
      const row = units.data?.find((unit) => String(unit.workUnitId) === id);
      const name = row && `#${row.publicWorkUnitId} ${row.title}`;
      return (
        row && { name: name ?? id, to: `/${row.tenantId}/workunitsv2?workUnitId=${id}`, value: row.stateId, date: row.modified, raw: row }
      );
    },
    KnowledgeArticle: (id) => {
      const row = articles.data?.rows.find((article) => article.knowledgeArticleId === id);
      const relation = unit.relations?.find(({ referenceType, referenceId }) => referenceType === 'KnowledgeArticle' && referenceId === id);
      return row && { name: row.title, to: `/${unit.tenantId}/knowledge/${id}`, value: '', date: relation?.created ?? null, raw: row };
    },
    WorkUnitCommunication: (id) => {
      const row = communications.data?.find((communication) => String(communication.workUnitCommunicationId) === id);
      const number = row?.publicWorkUnitCommunicationId;
      const to = `/${row?.tenantId}/workunitcommunications?publicWuCommId=${number}`;
      return row && { name: `#${number} ${row.title}`, to, value: row.status, date: row.modified, raw: row };
    },
  };
  const relations = unit.relations ?? [];
  const types = [...new Set([...relations.map((relation) => relation.referenceType), ...always])];
  const grids = types.map((type) => ({
    type,
    entries: relations
      .filter((relation) => relation.referenceType === type)
      .map((relation): RelatedEntry => {
        const target = contentOf[type]?.(relation.referenceId);
        const plain = { name: relation.referenceId, value: '', date: relation.created, raw: relation };
        return { relationId: relation.workUnitRelationId, ...(target ?? plain) };
      })
      .toSorted((a, b) => (b.date ?? '').localeCompare(a.date ?? ''))
      .slice(0, maxRelated),
  }));
  return {
    grids,
    isLoading: parts.some((part) => part.isLoading),
    error: parts.find((part) => part.error)?.error ?? null,
    retry: () => parts.forEach((part) => part.error && void part.refetch()),
  };
}
