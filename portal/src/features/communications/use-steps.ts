/** Steps of a communication, and the work units linked to it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { linkWorkUnits, unlinkWorkUnit } from '@cloudfit/contract/calls.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../calls/command.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';

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

/** Links and unlinks work units, and reloads the lists that show them. */
export function useLinks(id: number) {
  const onSettled = () => refresh([communicationWorkUnits.name, workUnitCommunications.name]);
  return {
    link: useMutation({ mutationFn: (unit: number) => call(linkWorkUnits, { wucommId: id, workunitIds: [unit] }), onSettled }),
    unlink: useMutation({ mutationFn: (unit: number) => call(unlinkWorkUnit, { wucommId: id, workunitId: unit }), onSettled }),
  };
}
