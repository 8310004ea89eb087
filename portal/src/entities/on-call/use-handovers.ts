/** Reads handovers of on-call shifts, writes their notes, and records that a note was read. */
import { useQuery } from '@tanstack/react-query';
import type { Handover, HandoverFacts } from '@cloudfit/contract/on-call/handover.calls.ts';
import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

export type { Handover, HandoverFacts };

/** The query key. It begins with the name of the schedules, because handovers are announced as changes of their schedule. */
const key = [onCallSchedules.name, 'handovers'] as const;

/** The handovers of a schedule; without one, those that the person has to write or to read. */
export function useHandovers(onCallScheduleId?: string) {
  return useQuery({
    queryKey: [...key, onCallScheduleId ?? 'mine'],
    queryFn: ({ signal }) =>
      callJson<{ value: Handover[] }>(`/v1/onCallHandovers${onCallScheduleId ? `?onCallScheduleId=${onCallScheduleId}` : ''}`, {
        signal,
        quiet: true,
      }),
    enabled: useMay()(onCallSchedules.area, 'view'),
    refetchInterval: 60_000,
  });
}

export function useHandoverFacts(id: string) {
  return useQuery({
    queryKey: [...key, 'facts', id],
    queryFn: ({ signal }) => callJson<HandoverFacts>(`/v1/onCallHandovers/${id}/facts`, { signal, quiet: true }),
    staleTime: 30_000,
  });
}

async function doing(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done) toast.success(done);
    return true;
  } catch (error) {
    toastFailure(error);
    return false;
  } finally {
    await queryClient.invalidateQueries({ queryKey: key });
  }
}

export const writeNote = ({ onCallHandoverId: id, completed }: Handover, note: string): Promise<boolean> =>
  doing(() => callJson(`/v1/onCallHandovers/${id}/note`, { method: 'POST', body: { note } }), completed === null ? t.saved : t.savedLate);

export const markRead = ({ onCallHandoverId: id }: Handover): Promise<boolean> =>
  doing(() => callJson(`/v1/onCallHandovers/${id}/read`, { method: 'POST' }));
