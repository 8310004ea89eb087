/** The rows from which a test can take the values of placeholders, and what it would send. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { previewAction } from '@cloudfit/contract/actions/automation.ts';
import { and, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../api/client.ts';
import type { ComboChoice } from '../../components/combo-box.tsx';
import { exactTime } from '../../components/relative-time.tsx';
import type { ParameterValues } from '../../entities/executions/action-parameters.ts';
import { fetchPage } from '../../rows/use-rows.ts';

export type SubjectKind = 'example' | 'workUnit' | 'match';

/** Where the values come from; `choice` is null for an example, and while no row is chosen. */
export interface TestSubjectChoice {
  kind: SubjectKind;
  choice: ComboChoice | null;
}

const maxOffered = 10;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function searchUnits(tenantId: string, search: string, signal: AbortSignal): Promise<ComboChoice[]> {
  const number = /^#?(\d{1,15})$/.exec(search)?.[1];
  const filters = [
    ...(number ? [or(eq(workUnits, 'workUnitId', number), eq(workUnits, 'publicWorkUnitId', number))] : []),
    search === '' ? undefined : contains(workUnits, 'title', search),
  ];
  // A number is searched by a query of its own, so that each query uses an index.
  const pages = await Promise.all(
    filters.map((filter) =>
      fetchPage(workUnits, { filter: and(filter, eq(workUnits, 'tenantId', tenantId)), orderBy: 'created desc', top: maxOffered }, signal),
    ),
  );
  const rows = [...new Map(pages.flatMap((page) => page.rows).map((row) => [row.workUnitId, row])).values()];
  return rows
    .slice(0, maxOffered)
    .map((row) => ({ value: row.workUnitId, label: row.title, hint: `#${row.publicWorkUnitId} · ${row.stateId}` }));
}

async function searchMatches(tenantId: string, search: string, signal: AbortSignal): Promise<ComboChoice[]> {
  const named = guid.test(search) ? eq(ruleMatches, 'ruleMatchId', search) : contains(ruleMatches, 'label', search);
  const filter = and(search === '' ? undefined : named, eq(ruleMatches, 'tenantId', tenantId));
  const { rows } = await fetchPage(ruleMatches, { filter, orderBy: 'created desc', top: maxOffered }, signal);
  return rows.map((row) => ({ value: row.ruleMatchId, label: row.label, hint: exactTime(row.lastMatch) }));
}

/** Returns the tenant's latest work units or matches, or the ones that a search finds by number, id or text. */
export function useTestSubjects(kind: SubjectKind, tenantId: string | null, search: string) {
  return useQuery({
    queryKey: [kind === 'match' ? ruleMatches.name : workUnits.name, 'ofTest', tenantId, search],
    queryFn: ({ signal }) => (kind === 'match' ? searchMatches : searchUnits)(tenantId ?? '', search, signal),
    enabled: kind !== 'example' && tenantId !== null,
    staleTime: 30_000,
  });
}

/** The query of a test and of its preview; undefined while the subject is not chosen. */
export function testQuery(tenantId: string | null, { kind, choice }: TestSubjectChoice): string | undefined {
  const query = new URLSearchParams();
  if (tenantId) query.set('tenantId', tenantId);
  if (kind !== 'example') {
    if (!choice) return undefined;
    query.set(kind === 'match' ? 'forRuleMatchId' : 'forWorkUnitId', String(choice.value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export type TestPreview = ReturnType<NonNullable<typeof previewAction.output>['parse']>;

export function useTestPreview(actionDefinitionId: string, query: string | undefined, body: ParameterValues, enabled: boolean) {
  return useQuery({
    queryKey: ['actionPreview', actionDefinitionId, query, body],
    queryFn: ({ signal }) =>
      callJson<TestPreview>(`/v1/actionDefinitions/${actionDefinitionId}/preview${query}`, { method: 'POST', body, signal, quiet: true }),
    enabled: enabled && query !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}
