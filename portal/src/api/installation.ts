/** The health of the installation. The server answers 403 to people who may not edit the settings of all tenants. */
import { installationHealth } from '@cloudfit/contract/calls.ts';
import { useCall } from './call.ts';

const refreshMs = 15_000;

export function useInstallationHealth(enabled: boolean) {
  return useCall(
    installationHealth,
    {},
    {
      enabled,
      retry: false,
      refetchInterval: ({ state }) => (state.error ? false : refreshMs),
    },
  );
}
