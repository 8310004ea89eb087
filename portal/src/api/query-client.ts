import { QueryClient } from '@tanstack/react-query';
import { RequestFailed } from './client.ts';

/** The cache of server answers. */
export const queryClient = new QueryClient({
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
