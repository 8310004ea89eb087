/**
 * The readings of a demo device or operation: always the same for the same device or operation and time, with a daily rhythm;
 * and the incidents of a run.
 */
import { createHash } from 'node:crypto';
import { minuteMs, dayMs } from '@cloudfit/contract/durations.ts';
import { roles } from './vocabulary.ts';

export interface LiveDevice {
  deviceId: string;
  name: string;
  /** What the device reported last; its disk usage and uptime continue from there. */
  last: { at: Date; disk: number; uptimeSeconds: number };
}

/** A number of at least 0 and below 1 that depends only on the arguments. */
export function shareOf(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join(' ')).digest().readUInt32BE() / 2 ** 32;
}

/** Returns the id that the SQL function `demo_id` returns for the same arguments. */
export function demoId(seed: number, name: string, n: number): string {
  const hex = createHash('md5').update(`${seed} ${name} ${n}`).digest('hex');
  const id = `${hex.slice(0, 12)}5${hex.slice(13, 16)}a${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
const slotMs = 10 * minuteMs;
const incidentMs = 6 * minuteMs;

/** What a device reports during an incident, which one of the demo rules matches. */
export type DemoIncident = 'Disk' | 'Cpu' | 'Memory';
/** The rule on disks matches at its first packet, so that the first incident can be seen at once. */
const kinds: readonly DemoIncident[] = ['Disk', 'Cpu', 'Memory'];

/**
 * Returns the devices with an incident. Every ten minutes since `started` one in 200 devices, at least one and at most five, has
 * an incident of six minutes, of another kind each time.
 */
export function incidentsAt(deviceIds: readonly string[], started: Date, at: Date): ReadonlyMap<string, DemoIncident> {
  const since = at.getTime() - started.getTime();
  if (since < 0 || since % slotMs >= incidentMs) return new Map();
  const slot = Math.floor(since / slotMs);
  const incidents = new Map<string, DemoIncident>();
  for (let n = 0; n < between(1, Math.round(deviceIds.length / 200), 5); n++) {
    const deviceId = deviceIds[Math.floor(shareOf(started.getTime(), slot, n) * deviceIds.length)];
    if (deviceId !== undefined) incidents.set(deviceId, kinds[(slot + n) % kinds.length] ?? 'Cpu');
  }
  return incidents;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
const between = (low: number, value: number, high: number): number => Math.max(low, Math.min(high, value));

export function readingOf({ deviceId, name, last }: LiveDevice, at: Date, incident?: DemoIncident): Record<string, unknown> {
  const role = roles.find(({ prefix }) => name.startsWith(`${prefix}-`));
  const [cpu, memory] = [role?.cpu ?? 20, role?.memory ?? 50];
  const minute = Math.floor(at.getTime() / minuteMs);
  const noise = shareOf(deviceId, minute, 'noise');
  const hours = at.getUTCHours() + at.getUTCMinutes() / 60;
  const load = cpu * (0.7 + 0.5 * Math.sin(((hours - 8) * Math.PI) / 12)) + 12 * (noise - 0.4);
  const metrics: Record<DemoIncident, number> = {
    Cpu: between(1, load, 88),
    Memory: between(5, memory + 6 * Math.sin((hours * Math.PI) / 6) + 4 * noise, 93),
    // Fills by up to a third of a percent a day.
    Disk: between(5, last.disk + (shareOf(deviceId, 'disk') * (at.getTime() - last.at.getTime())) / (3 * dayMs), 92),
  };
  if (incident) metrics[incident] = 98.2 + 1.5 * noise;
  const { Cpu, Memory, Disk } = metrics;
  return {
    Metrics: {
      Cpu: tenth(Cpu),
      Memory: tenth(Memory),
      Disk: tenth(Disk),
      Uptime: last.uptimeSeconds + Math.round((at.getTime() - last.at.getTime()) / 1_000),
    },
    States: { Health: incident ? 'Degraded' : 'Healthy' },
  };
}

export interface LiveOperation {
  deviceOperationId: string;
  packageName: string;
}

/** The result of an operation: the hours since a backup at night, or a number that follows the load of the day. */
export function operationReadingOf({ deviceOperationId, packageName }: LiveOperation, at: Date): Record<string, unknown> {
  const hours = at.getUTCHours() + at.getUTCMinutes() / 60;
  const share = shareOf(deviceOperationId, 'usual');
  const value = packageName === 'Backup age' ? tenth(hours + 3 * share) : Math.round(2_000 + 900 * Math.sin(hours / 4) + 400 * share);
  return { Value: value, States: { Result: 'Success' } };
}
