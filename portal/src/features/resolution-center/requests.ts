/** The person's requests, their notes and actions. Read every minute: the resolution center follows no stream of changes. */
import { useQuery } from '@tanstack/react-query';
import type { experienceScores } from '@cloudfit/contract/enums.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { resolutionCenterWorkUnits } from '@cloudfit/contract/resources/resolution-center-work-units.ts';
import { fetchPage } from '../../rows/use-rows.ts';

export type CustomerRequest = Row<typeof resolutionCenterWorkUnits>;
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

/** Returns the address if a browser may follow it (http or https), else undefined. Other texts are shown without a link. */
export function webAddress(text: string | null): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  return ['http:', 'https:'].includes(new URL(text).protocol) ? text : undefined;
}
