/** Reads who is on call and the shifts of a schedule, and takes over a shift. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import type { onCallNow, onCallShifts } from '@cloudfit/contract/on-call/calls.ts';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { callJson, createOnce, failureText } from '../../api/client.ts';
import { useCurrentUser } from '../../api/lookups.ts';
import { toast } from '../../components/toasts.tsx';
import { zoneTime } from '../../entities/on-call/zone-time.ts';

type AnswerOf<A extends { output?: unknown }> = z.infer<Extract<NonNullable<A['output']>, z.core.$ZodType>>;
export type Shifts = AnswerOf<typeof onCallShifts>;
export type Duty = AnswerOf<typeof onCallNow>['value'][number];

export async function readOnCallNow(tenantId: string | null, signal?: AbortSignal): Promise<readonly Duty[]> {
  const path = `/v1/onCall${tenantId ? `?tenantId=${tenantId}` : ''}`;
  return (await callJson<{ value: Duty[] }>(path, { signal, quiet: true })).value;
}

/** Reads who is on call. The key begins with the name of the schedules, which a new or removed override invalidates. */
export function useOnCallNow(tenantId: string | null) {
  return useQuery({
    queryKey: ['onCallSchedules', 'now', tenantId],
    queryFn: ({ signal }) => readOnCallNow(tenantId, signal),
    refetchInterval: 60_000,
  });
}

/** The shifts of a saved schedule. */
export function useShifts(id: string | undefined) {
  return useQuery({
    enabled: id !== undefined,
    queryKey: ['onCallSchedules', 'shifts', id],
    queryFn: ({ signal }) => callJson<Shifts>(`/v1/onCallSchedules/${id}/shifts?days=14`, { signal, quiet: true }),
    refetchInterval: 60_000,
  });
}

/** Puts the signed-in person on call from now until `until`, by an override. */
export function useTakeOver(id: string): (until: Date) => Promise<void> {
  const client = useQueryClient();
  const { data: me } = useCurrentUser();
  return async (until) => {
    try {
      const body = { onCallScheduleId: id, personId: me?.personId, startsAt: new Date().toISOString(), endsAt: until.toISOString() };
      // Without the times, which differ between two clicks.
      await createOnce(`take over ${id}`, (idempotencyKey) => callJson('/v1/onCallOverrides', { method: 'PUT', body, idempotencyKey }));
      toast.success(t.tookOver(zoneTime(until.getTime())));
    } catch (error) {
      toast.error(failureText(error));
    }
    await client.invalidateQueries({ queryKey: ['onCallSchedules'] });
  };
}

export function useRemoveOverride(): (id: string) => Promise<void> {
  const client = useQueryClient();
  return async (id) => {
    try {
      await callJson(`/v1/onCallOverrides/${id}`, { method: 'DELETE' });
      toast.success(t.removed);
    } catch (error) {
      toast.error(failureText(error));
    }
    await client.invalidateQueries({ queryKey: ['onCallSchedules'] });
  };
}
