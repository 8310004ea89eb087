import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters, type QueryKey } from '@tanstack/react-query';
import { RequestFailed } from './client.ts';

/**
 * Refreshes what is loading for the first time once more. The library lets such a load go on, which may have read the rows before
 * the change: its answer would be shown as if it were new.
 */
class AnswerCache extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    // Who keeps a running load has another way to read again.
    if (options?.cancelRefetch === false) return super.invalidateQueries(filters, options);
    const loading = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' } as InvalidateQueryFilters)
      .filter(({ state }) => state.data === undefined);
    const later = loading.map(async ({ promise, queryKey }) => {
      await promise;
      await super.invalidateQueries({ queryKey, exact: true }, options);
    });
    await Promise.allSettled([super.invalidateQueries(filters, options), ...later]);
  }
}

/** The cache of server answers. */
export const queryClient: QueryClient = new AnswerCache({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 5 * 60_000,
      retry: (times, error) => times < 2 && !(error instanceof RequestFailed && error.status >= 400 && error.status < 500),
      retryDelay: (times) => Math.min(8_000, 500 * 2 ** times),
      refetchIntervalInBackground: false,
    },
    // Without a network a write fails at once, instead of waiting unsaid for the network.
    mutations: { networkMode: 'always' },
  },
});
