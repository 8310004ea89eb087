/** What the functions for each kind of thing take and return. */
import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';

export type Device = Row<typeof devices>;

/** What one thing on a device came to. */
export interface Applied {
  /** Whether the device did not have it as it should. */
  isChanged: boolean;
  /** What the device had before the policy; undefined if that is stored already. */
  had?: unknown;
  deviceOperationId?: string;
}
