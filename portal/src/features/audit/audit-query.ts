/** The search of the audit page, kept in the address, the query of one page, and the differences of an entry. */
import { and, compare, eq, or } from '@cloudfit/contract/query/build.ts';
import { audit } from '@cloudfit/contract/resources/audit.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import { instantAt } from '../../theme/times.ts';

export type AuditRow = ExpandedRow<typeof audit>;

/** Names of the search parameters in the page's address. */
export const searchNames = ['who', 'entity', 'row', 'verb', 'from', 'until', 'where', 'request'] as const;
export type AuditSearch = Partial<Record<(typeof searchNames)[number], string>>;

export const pageSize = 50;

export function searchIn(params: URLSearchParams): AuditSearch {
  return Object.fromEntries(searchNames.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []))) as AuditSearch;
}

const timeOf = (local: string | undefined) => (local && !Number.isNaN(Date.parse(local)) ? instantAt(local).toISOString() : undefined);

/**
 * Returns the filter of a search. The history of a row or of a request includes entries of all tenants; any other search is
 * limited to the current tenant, if any, or to entries without a tenant (`where` is `installation`).
 */
export function auditFilter({ who, entity, row, verb, from, until, where, request }: AuditSearch, tenantId: string | null) {
  const is = (name: FieldName<typeof audit>, value: string | undefined) => (value === undefined ? undefined : eq(audit, name, value));
  const [first, last] = [timeOf(from), timeOf(until)];
  return and(
    row !== undefined || request !== undefined
      ? undefined
      : where === 'installation'
        ? eq(audit, 'tenantId', null)
        : tenantId
          ? eq(audit, 'tenantId', tenantId)
          : undefined,
    is('actorName', who),
    is('entity', entity),
    is('entityId', row),
    is('verb', verb),
    is('correlationId', request),
    first && compare(audit, 'at', 'ge', first),
    last && compare(audit, 'at', 'le', last),
  );
}

/**
 * Returns the filter for the entries that follow `last` in the list (keyset pagination), which an index finds however many
 * entries precede them. Entries of the same moment are ordered by number.
 */
export function olderThan(last: Pick<AuditRow, 'at' | 'auditId'> | undefined): string | undefined {
  if (!last) return undefined;
  return and(compare(audit, 'at', 'le', last.at), or(compare(audit, 'at', 'lt', last.at), compare(audit, 'auditId', 'lt', last.auditId)));
}

export const auditOrder = ['at desc', 'auditId desc'] as const;

export interface FieldDifference {
  name: string;
  before: unknown;
  after: unknown;
  isChanged: boolean;
}

const asText = (value: unknown) => JSON.stringify(value ?? null);

/** The fields of both rows; changed ones first, each group in the order of the rows. */
export function differencesOf({ before, after }: Pick<AuditRow, 'before' | 'after'>): FieldDifference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const all = names.map((name) => {
    const [old, next] = [before?.[name], after?.[name]];
    return { name, before: old, after: next, isChanged: asText(old) !== asText(next) };
  });
  return [...all.filter(({ isChanged }) => isChanged), ...all.filter(({ isChanged }) => !isChanged)];
}

/** A value as lines `path: value`, so that a reader sees what differs within a list or an object. Positions begin with 1. */
export function linesOf(value: unknown, path = ''): readonly string[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object') return [path === '' ? String(value) : `${path}: ${String(value)}`];
  const parts = Array.isArray(value) ? value.map((item, at) => [String(at + 1), item] as const) : Object.entries(value);
  return parts.flatMap(([name, one]) => linesOf(one, path === '' ? name : `${path} ${name}`));
}
