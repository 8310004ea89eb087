import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { jobs } from '@cloudfit/contract/resources/outbox.ts';
import { callJson } from '../../api/client.ts';

/** Poll interval of the ledger in milliseconds. It is polled because most of its rows publish no live change. */
const refreshMs = 10_000;
export const maxOfKind = 200;

/** Whether the entry is a job that runs an execution and is no dead letter. The execution has its own entry, with buttons. */
const isJobOfExecution = ({ kind, subject, isDead }: LedgerEntry) => kind === 'job' && subject === 'run-action' && !isDead;

/** The ledger of a tenant. The query's key begins with the name of the executions, so that their live changes refresh it. */
export function useActivity(tenantId: string, hours: number) {
  return useQuery({
    queryKey: [actionHistories.name, 'activity', tenantId, hours],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ tenantId, hours: String(hours), top: String(maxOfKind), waiting: 'true' });
      const { value } = await callJson<{ value: LedgerEntry[] }>(`/v1/ledger?${query}`, { signal });
      return value.filter((entry) => !isJobOfExecution(entry));
    },
    refetchInterval: refreshMs,
  });
}

/** Gives a dead letter all its attempts again. */
export function useReviveJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (jobId: string) => callJson(`/v1/jobs/${jobId}/replay`, { method: 'POST' }),
    onSettled: () => Promise.all([actionHistories, jobs].map((one) => client.invalidateQueries({ queryKey: [one.name] }))),
  });
}
