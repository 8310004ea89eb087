/** Cuts a device off, admits it again or has its key replaced, after a confirmation that says what happens. */
import { admitDevice, cutOffDevice, requestDeviceKey, uninstallDevice } from '@cloudfit/contract/calls.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { call } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import type { Device } from './use-device.ts';

const t = deviceTexts.access;

const calls = { cutOff: cutOffDevice, admit: admitDevice, replaceKey: requestDeviceKey };

const changing = (change: keyof typeof calls) => {
  const { action, question, done } = t[change];
  return command(({ deviceId: id }: Device) => call(calls[change], { id }), {
    confirm: ({ name }) => ({ title: action, text: question(name), yes: action, danger: change === 'cutOff' }),
    done: (_row, { name }) => done(name),
    failed: t.failed,
    refreshes: [devices.name],
  });
};

const { action, question, done } = t.uninstall;

/** The question names the device, as the call wants it. */
const uninstall = command(({ deviceId: id, name }: Device) => call(uninstallDevice, { id, name }), {
  confirm: ({ name }) => ({ title: action, text: question(name), yes: action, danger: true }),
  done: (_row, { name }) => done(name),
  failed: t.failed,
  refreshes: [devices.name],
});

export const changeAccess = { uninstall, cutOff: changing('cutOff'), admit: changing('admit'), replaceKey: changing('replaceKey') };
