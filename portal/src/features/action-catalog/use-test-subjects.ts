/** The rows from which a test can take the values of placeholders, and what it would send. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { previewAction } from '@cloudfit/contract/calls.ts';
import { and, contains, eq } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useCall } from '../../api/call.ts';
import type { ComboChoice } from '../../components/combo-box.tsx';
import { exactTime } from '../../theme/times.ts';
import { searchUnits } from '../../entities/work-units/search-units.ts';
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

async function unitChoices(tenantId: string, search: string, signal: AbortSignal): Promise<ComboChoice[]> {
  const units = await searchUnits(eq(workUnits, 'tenantId', tenantId), search, signal);
  return units.map((row) => ({ value: row.workUnitId, label: row.title, hint: `#${row.publicWorkUnitId} · ${row.stateId}` }));
}

async function matchChoices(tenantId: string, search: string, signal: AbortSignal): Promise<ComboChoice[]> {
  const named = guid.test(search) ? eq(ruleMatches, 'ruleMatchId', search) : contains(ruleMatches, 'label', search);
  const filter = and(search === '' ? undefined : named, eq(ruleMatches, 'tenantId', tenantId));
  const { rows } = await fetchPage(ruleMatches, { filter, orderBy: 'created desc', top: maxOffered }, signal);
  return rows.map((row) => ({ value: row.ruleMatchId, label: row.label, hint: exactTime(row.lastMatch) }));
}

/** Returns the tenant's latest work units or matches, or the ones that a search finds by number, id or text. */
export function useTestSubjects(kind: SubjectKind, tenantId: string | null, search: string) {
  return useQuery({
    queryKey: [kind === 'match' ? ruleMatches.name : workUnits.name, 'ofTest', tenantId, search],
    queryFn: ({ signal }) => (kind === 'match' ? matchChoices : unitChoices)(tenantId ?? '', search, signal),
    enabled: kind !== 'example' && tenantId !== null,
    staleTime: 30_000,
  });
}

interface TestSubject {
  tenantId?: string;
  forWorkUnitId?: number;
  forRuleMatchId?: string;
}

/** What a test and its preview are about; undefined while the subject is not chosen. */
export function subjectOf(tenantId: string | null, { kind, choice }: TestSubjectChoice): TestSubject | undefined {
  const tenant = tenantId ? { tenantId } : {};
  if (kind === 'example') return tenant;
  if (!choice) return undefined;
  return { ...tenant, ...(kind === 'match' ? { forRuleMatchId: String(choice.value) } : { forWorkUnitId: Number(choice.value) }) };
}

export type TestPreview = CallOutput<typeof previewAction>;

export function useTestPreview(id: string, subject: TestSubject | undefined, values: ParameterValues, enabled: boolean) {
  return useCall(
    previewAction,
    { ...subject, ...values, id },
    { enabled: enabled && subject !== undefined, placeholderData: keepPreviousData, gcTime: 0, retry: false },
  );
}
