/** The person's requests, their notes and actions. Read every minute: the resolution center follows no stream of changes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { experienceScores } from '@cloudfit/contract/enums.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { externalNotes } from '@cloudfit/contract/resources/external-notes.ts';
import { resolutionCenterWorkUnits } from '@cloudfit/contract/resources/resolution-center-work-units.ts';
import { resolutionCenterEn as t } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { callJson, useFormId } from '../../api/client.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { fetchPage } from '../../rows/use-rows.ts';

export type CustomerRequest = Row<typeof resolutionCenterWorkUnits>;
export type Note = Row<typeof externalNotes>;
export type Score = (typeof experienceScores)[number];

export const pollMs = 60_000;

/** The resource with the path of the list of requests (API-142). */
export const requests = { ...resolutionCenterWorkUnits, name: 'workunits/rc' };

/** One request; null if the person has no request with this id. */
export function useRequest(id: string, listed: CustomerRequest | undefined) {
  return useQuery({
    queryKey: [requests.name, 'one', id],
    queryFn: async ({ signal }) => (await fetchPage(requests, { filter: eq(requests, 'workUnitId', id), top: 1 }, signal)).rows[0] ?? null,
    enabled: /^\d{1,15}$/.test(id),
    refetchInterval: pollMs,
    ...(listed ? { placeholderData: listed } : {}),
  });
}

export function useNotes(id: number) {
  return useQuery({
    queryKey: [requests.name, 'notes', id],
    queryFn: async ({ signal }) =>
      (
        await callJson<{ value: Note[] }>(
          `/v1/workunits/${id}/externalNotes${queryString<typeof externalNotes>({ orderBy: 'created desc' })}`,
          { signal },
        )
      ).value,
    refetchInterval: pollMs,
  });
}

/** Requests a call, and reports the result. */
export function useCallMe() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => callJson<{ message: string; notified: boolean }>(`/v1/workunitnotes/callme/${id}`, { method: 'POST' }),
    onSuccess: ({ message, notified }) => {
      if (notified) toast.success(t.callMe.done);
      else toast.warning(message);
      return client.invalidateQueries({ queryKey: [requests.name, 'notes'] });
    },
    onError: (error) => toastFailure(error, t.callMe.failed),
  });
}

export function useFeedback(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (stakeHolderExperienceScore: Score) =>
      callJson<CustomerRequest>(`/v1/workunits/rc/${id}/feedback`, { method: 'POST', body: { stakeHolderExperienceScore } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [requests.name] }),
    onError: (error) => toastFailure(error, t.feedback.failed),
  });
}

export function useCreateRequest() {
  const client = useQueryClient();
  const form = useFormId();
  return useMutation({
    mutationFn: (body: Record<string, unknown>) => callJson<CustomerRequest>('/api/v1/rc/workunits', { method: 'PUT', body, form }),
    onSuccess: () => client.invalidateQueries({ queryKey: [requests.name] }),
  });
}

/** Returns the address if a browser may follow it (http or https), else undefined. Other texts are shown without a link. */
export function webAddress(text: string | null): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  return ['http:', 'https:'].includes(new URL(text).protocol) ? text : undefined;
}
