import { customersNow } from '@cloudfit/contract/calls.ts';
import { useCall } from '../../api/call.ts';
import { usePace } from './use-pace.ts';

const entities = ['workUnits', 'tenants', 'packets'];

/** The state of all customers, and when it came by the clock of this browser. */
export function useCustomers() {
  const { data, error, dataUpdatedAt: readAt, errorUpdatedAt, refetch } = useCall(customersNow, {});
  usePace({ read: () => void refetch(), endedAt: Math.max(readAt, errorUpdatedAt), entities });
  return { data, error, readAt };
}
