/** The health of a device, which is never green for a device that does not report, and the version of its agent. */
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { silentAfterMs } from '../../entities/attention.ts';
import { span } from '../../components/relative-time.tsx';
import type { Device } from './use-device.ts';

const t = deviceTexts.health;

export function agentVersion(message: PacketMessage | undefined): string | undefined {
  const version = message?.Properties?.['AgentVersion'];
  return version ? String(version) : undefined;
}

export interface Health {
  state: 'reporting' | 'silent' | 'never' | 'disabled' | 'cutOff' | 'unknown';
  tone: 'ok' | 'danger' | 'plain';
  text: string;
}

interface LatestReport {
  /** Time of the latest packet; undefined if the device has never reported. */
  last: string | undefined;
  /** Whether the latest packet is known: false while it loads, and for people who may not view packets. */
  isKnown: boolean;
  now: number;
}

export function healthOf(device: Pick<Device, 'enabled' | 'cutOffOn'>, { last, isKnown, now }: LatestReport): Health {
  if (device.cutOffOn) return { state: 'cutOff', tone: 'danger', text: t.cutOff };
  if (device.enabled === false) return { state: 'disabled', tone: 'plain', text: t.disabled };
  if (!isKnown) return { state: 'unknown', tone: 'plain', text: t.unknown };
  if (last === undefined) return { state: 'never', tone: 'danger', text: t.never };
  const silence = now - Date.parse(last);
  if (silence > silentAfterMs) return { state: 'silent', tone: 'danger', text: t.silentFor(span(silence)) };
  return { state: 'reporting', tone: 'ok', text: t.reporting };
}
