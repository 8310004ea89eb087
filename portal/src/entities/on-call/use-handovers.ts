/** Reads handovers of on-call shifts, writes their notes, and records that a note was read. */
import { onCallHandoverFacts, onCallHandovers, readHandover, writeHandover } from '@cloudfit/contract/calls.ts';
import type { Handover, HandoverFacts } from '@cloudfit/contract/on-call/handover.calls.ts';
import { handoverTexts as t } from '@cloudfit/contract/messages/handover.en.ts';
import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { call, useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';

export type { Handover, HandoverFacts };

/** Handovers are announced as changes of their schedule. */
const refreshes = [onCallSchedules.name];

/** The handovers of a schedule; without one, those that the person has to write or to read. */
export function useHandovers(onCallScheduleId?: string) {
  return useCall(
    onCallHandovers,
    { onCallScheduleId },
    {
      refreshedBy: onCallSchedules.name,
      enabled: useMay()(onCallSchedules.area, 'view'),
      refetchInterval: 60_000,
    },
  );
}

export const useHandoverFacts = (id: string) =>
  useCall(onCallHandoverFacts, { id }, { refreshedBy: onCallSchedules.name, staleTime: 30_000 });

export const writeNote = command(({ onCallHandoverId: id, note }: Handover & { note: string }) => call(writeHandover, { id, note }), {
  done: (_answer, { completed }) => (completed === null ? t.saved : t.savedLate),
  refreshes,
});

export const markRead = command(({ onCallHandoverId: id }: Handover) => call(readHandover, { id }), { refreshes });
