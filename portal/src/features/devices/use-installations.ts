import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PackageInstall } from '@cloudfit/contract/actions/devices.ts';
import { packageInstalls, saveInstallations } from '@cloudfit/contract/calls.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { call, callQuery, useCall } from '../../api/call.ts';

export type Install = PackageInstall;

/** The chosen version of each package by the package's id; an empty text stands for no version (INST-007). */
export type Choices = Readonly<Record<string, string>>;

/** Returns the preselected version: empty for a package that is only available (INST-006). */
export function chosenVersion({ installStatus, packageVersionId }: Install['installPackage']): string {
  return installStatus === 'AvailableForInstall' ? '' : (packageVersionId ?? '');
}

const reading = { refreshedBy: deviceInstallations.name, quiet: false };

export const useInstallations = (deviceId: string) => useCall(packageInstalls, { deviceId }, reading);

export function useSaveInstallations(deviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (items: CallInput<typeof saveInstallations>['items']) => call(saveInstallations, { deviceId, items }),
    onSuccess: (answer) => client.setQueryData(callQuery(packageInstalls, { deviceId }, reading).queryKey, answer),
  });
}
