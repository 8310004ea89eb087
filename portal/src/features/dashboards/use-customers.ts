import { customersNow } from '@cloudfit/contract/calls.ts';
import { useCall } from '../../api/call.ts';

const pollMs = 15_000;

/** The state of all customers, and when it came by the clock of this browser. */
export function useCustomers() {
  const { data, error, dataUpdatedAt: readAt } = useCall(customersNow, {}, { refetchInterval: pollMs, refetchIntervalInBackground: true });
  return { data, error, readAt };
}
