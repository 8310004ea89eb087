import { sql } from '../../db/sql.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { serve } from '../../resources/served.ts';

/** A promoted pending device has become a device and is listed only as a device. */
export const servedPendingDevices = serve(pendingDevices, 'pending_device', {
  rowsFor: (_ctx, t) => sql<boolean>`${sql.ref(`${t}.device_id`)} is null`,
});
