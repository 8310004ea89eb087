import { alsoNow } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callQuery } from '../../../api/call.ts';

/** The other open units around one. */
export const alsoNowQuery = (id: number) => callQuery(alsoNow, { id }, { refreshedBy: workUnits.name, together: true });
