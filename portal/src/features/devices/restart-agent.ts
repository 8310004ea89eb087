import { en } from '@cloudfit/contract/messages/en.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { Device } from './use-device.ts';

const t = deviceTexts.restart;

/** After a confirmation, sets the restart flag of the device, which its agent reads within seconds. */
export async function restartAgent(device: Device): Promise<void> {
  const answer = await confirm({ title: t.action, text: t.question(device.name), yes: t.yes, no: en.common.cancel });
  if (!answer.yes) return;
  try {
    await callJson(`/v1/devices/${device.deviceId}/restartagent?tenantId=${device.tenantId}`, { method: 'POST' });
    toast.success(t.queued(device.name));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.failed);
  }
  await queryClient.invalidateQueries({ queryKey: [devices.name] });
}
