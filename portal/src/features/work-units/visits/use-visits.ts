/** Who has opened a unit and the links of messages about it. */
import { workUnitSeen } from '@cloudfit/contract/calls.ts';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import { callQuery, useCall } from '../../../api/call.ts';

// Read again when somebody comes or goes, as presence is.
const readOf = (id: number) => ({ refreshedBy: [presenceEntity, String(id)], together: true }) as const;

export const visitsQuery = (id: number) => callQuery(workUnitSeen, { id }, readOf(id));

export const useVisits = (id: number) => useCall(workUnitSeen, { id }, readOf(id)).data?.value ?? [];
