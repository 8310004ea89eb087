/** What the live columns of devices show, for an export. */
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { meterText } from '../../components/chips.tsx';
import { exactTime } from '../../theme/times.ts';
import type { Packet } from '../../entities/packets/packet-details.tsx';
import { agentVersion, healthOf } from './health.rules.ts';
import type { Device } from './use-device.ts';
import { latestPackets } from './use-packet.ts';

type LiveTexts = (devices: readonly Device[]) => Promise<(device: Device) => string>;

/** Returns texts from the latest packets. `write` gets null for a device that has never reported. */
const fromPackets =
  (write: (packet: Packet | null) => string): LiveTexts =>
  async (devices) => {
    const packets = await latestPackets(devices.map((device) => device.deviceId));
    return (device) => (packets ? write(packets.get(device.deviceId) ?? null) : '');
  };

export const metricTexts = (metric: 'Cpu' | 'Memory'): LiveTexts =>
  fromPackets((packet) => {
    const value = packet?.message.Metrics?.[metric];
    return value === undefined ? '' : meterText(value);
  });

export const ageTexts = fromPackets((packet) => (packet ? exactTime(packet.timestamp) : t.never));

export const agentTexts = fromPackets((packet) => agentVersion(packet?.message) ?? '');

export const healthTexts: LiveTexts = async (devices) => {
  const packets = await latestPackets(devices.map((device) => device.deviceId));
  const now = Date.now();
  return (device) => healthOf(device, { last: packets?.get(device.deviceId)?.timestamp, isKnown: packets !== undefined, now }).text;
};
