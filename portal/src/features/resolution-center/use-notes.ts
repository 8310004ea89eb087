import { externalNotesOf } from '@cloudfit/contract/calls.ts';
import { useCall } from '../../api/call.ts';
import { pollMs, requests } from './requests.ts';

/** The notes of both sides of a request, newest first. */
export function useNotes(workUnitId: number) {
  const input = { workUnitId, query: { orderBy: 'created desc' as const } };
  return useCall(externalNotesOf, input, { refreshedBy: requests.name, quiet: false, refetchInterval: pollMs });
}
