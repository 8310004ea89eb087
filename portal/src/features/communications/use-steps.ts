/** Steps of a communication, and the work units linked to it. */
import { useQuery } from '@tanstack/react-query';
import { linkWorkUnits, unlinkWorkUnit } from '@cloudfit/contract/calls.ts';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { call } from '../../api/call.ts';
import { command, useCommand } from '../../calls/command.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';
import type { LinkedUnit } from './communication.rules.ts';

const t = communicationsEn.workUnits;

const maxSteps = 1_000;
const pollMs = 60_000;

export function useSteps(id: number) {
  const filter = eq(workUnitCommunicationActivities, 'workUnitCommunicationId', id);
  return useList(workUnitCommunicationActivities, { filter, orderBy: 'created desc', top: maxSteps }, { pollMs });
}

export function useLinkedUnits(id: number, enabled: boolean) {
  const filter = eq(communicationWorkUnits, 'workUnitCommunicationId', id);
  return useQuery({
    queryKey: [communicationWorkUnits.name, 'of', id],
    queryFn: async ({ signal }) =>
      (await fetchPage(communicationWorkUnits, { filter, orderBy: 'linked desc', top: maxSteps }, signal)).rows,
    enabled,
    refetchInterval: pollMs,
  });
}

const refreshes = [communicationWorkUnits.name, workUnitCommunications.name];

/** Links work units to a communication. */
export const useLink = (id: number) =>
  useCommand((unit: number) => call(linkWorkUnits, { wucommId: id, workunitIds: [unit] }), { failed: t.linkFailed, refreshes });

export const unlink = command(
  ({ id, unit }: { id: number; unit: LinkedUnit }) => call(unlinkWorkUnit, { wucommId: id, workunitId: unit.workUnitId }),
  { failed: t.unlinkFailed, refreshes },
);
