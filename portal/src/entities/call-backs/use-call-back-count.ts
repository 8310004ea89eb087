/** How many customers wait for a call, and until when the first of them was promised one. */
import { callBackCount } from '@cloudfit/contract/calls.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useIdle } from '../../api/when-idle.ts';

// The name alone, because the shell loads no declarations.
const entity: ResourceName = 'callBacks';

/** The number of open call backs; 0 until it has loaded, and for people who may not take them. */
export function useCallBackCount(): { open: number; due: string | null } {
  const mayTake = useMay()('WorkUnits', 'edit');
  const isIdle = useIdle();
  const { data } = useCall(callBackCount, {}, { refreshedBy: entity, enabled: mayTake && isIdle });
  return data ?? { open: 0, due: null };
}
