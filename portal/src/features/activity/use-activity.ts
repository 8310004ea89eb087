import { ledger } from '@cloudfit/contract/calls.ts';
import type { LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { useCall } from '../../api/call.ts';

/** Poll interval of the ledger in milliseconds. It is polled because most of its rows publish no live change. */
const refreshMs = 10_000;
export const maxOfKind = 200;

/** Whether the entry is a job that runs an execution and is no dead letter. The execution has its own entry, with buttons. */
const isJobOfExecution = ({ kind, subject, isDead }: LedgerEntry) => kind === 'job' && subject === 'run-action' && !isDead;

/** The ledger of a tenant, refreshed by live changes of executions. */
export function useActivity(tenantId: string, hours: number) {
  const input = { tenantId, hours, top: maxOfKind, waiting: 'true' as const };
  const { data, error, refetch } = useCall(ledger, input, { refreshedBy: actionHistories.name, quiet: false, refetchInterval: refreshMs });
  return { data: data?.value.filter((entry) => !isJobOfExecution(entry)), error, refetch };
}
