import { useQuery } from '@tanstack/react-query';
import { fetchPage } from '../../resource/use-rows.ts';
import type { Counter } from './counters.ts';

const pollMs = 60_000;

/** How many rows; follows live changes of their set. */
export function useCount(counter: Counter) {
  return useQuery({
    queryKey: [counter.set, 'count', counter.id, counter.to],
    queryFn: async ({ signal }) =>
      (await fetchPage({ name: counter.set }, { filter: counter.filter(), top: 0, count: true }, signal)).count ?? 0,
    refetchInterval: pollMs,
  });
}
