import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PackageInstall } from '@cloudfit/contract/actions/devices.ts';
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { callJson } from '../../api/client.ts';

export type Install = PackageInstall;

/** The chosen version of each package by the package's id; an empty text stands for no version (INST-007). */
export type Choices = Readonly<Record<string, string>>;

interface Wish {
  packageId: string;
  deviceId: string;
  packageVersionId: string;
  /** Disables the operations that need a package that is removed. */
  disableOperations?: boolean;
}

/** Returns the preselected version: empty for a package that is only available (INST-006). */
export function chosenVersion({ installStatus, packageVersionId }: Install['installPackage']): string {
  return installStatus === 'AvailableForInstall' ? '' : (packageVersionId ?? '');
}

const keyOf = (deviceId: string) => [deviceInstallations.name, 'of', deviceId];

export function useInstallations(deviceId: string) {
  return useQuery({
    queryKey: keyOf(deviceId),
    queryFn: async ({ signal }) => {
      const path = `/v1/devices/GetPackageInstallsWithVersions(deviceId=${deviceId})`;
      return (await callJson<{ value: readonly Install[] }>(path, { signal })).value;
    },
  });
}

export function useSaveInstallations(deviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wishes: readonly Wish[]) =>
      callJson<{ value: readonly Install[] }>(`/v1/deviceInstallations/${deviceId}/packages`, { method: 'POST', body: wishes }),
    onSuccess: ({ value }) => client.setQueryData(keyOf(deviceId), value),
  });
}
