/** Cuts a device off, admits it again or has its key replaced, after a confirmation that says what happens. */
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { Device } from './use-device.ts';

const t = deviceTexts.access;

export async function changeAccess(device: Device, change: 'cutOff' | 'admit' | 'replaceKey'): Promise<void> {
  const { action, question, done } = t[change];
  const { yes } = await confirm({
    title: action,
    text: question(device.name),
    yes: action,
    no: en.common.cancel,
    danger: change === 'cutOff',
  });
  if (!yes) return;
  try {
    await callJson(`/v1/devices/${device.deviceId}/${change}`, { method: 'POST' });
    toast.success(done(device.name));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.failed);
  }
  await queryClient.invalidateQueries({ queryKey: [devices.name] });
}
