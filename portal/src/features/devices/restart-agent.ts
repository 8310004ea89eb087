import { restartAgent as restart } from '@cloudfit/contract/calls.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { call } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import type { Device } from './use-device.ts';

const t = deviceTexts.restart;

/** After a confirmation, sets the restart flag of the device, which its agent reads within seconds. */
export const restartAgent = command(({ deviceId: id, tenantId }: Device) => call(restart, { id, tenantId }), {
  confirm: ({ name }) => ({ title: t.action, text: t.question(name), yes: t.yes }),
  done: (_row, { name }) => t.queued(name),
  failed: t.failed,
  refreshes: [devices.name],
});
