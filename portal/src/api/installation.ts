/** The health of the installation. The server answers 403 to people who may not edit the settings of all tenants. */
import { useQuery } from '@tanstack/react-query';
import type { InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { callJson } from './client.ts';

const refreshMs = 15_000;

export function useInstallationHealth(enabled: boolean) {
  return useQuery({
    queryKey: ['installationHealth'],
    queryFn: ({ signal }) => callJson<InstallationHealth>('/v1/installation/health', { signal, quiet: true }),
    enabled,
    retry: false,
    refetchInterval: ({ state }) => (state.error ? false : refreshMs),
  });
}
