import { sql } from 'kysely';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { serve } from '../../resources/served.ts';

/** A promoted one has become a device and is listed as a device only. */
export const servedPendingDevices = serve(pendingDevices, 'pending_device', {
  rowsFor: (_ctx, t) => sql<boolean>`${sql.ref(`${t}.device_id`)} is null`,
});
