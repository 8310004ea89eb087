/**
 * The readings of a demo device or operation: always the same for the same device or operation and time, with a daily rhythm
 * and occasional incidents.
 */
import { createHash } from 'node:crypto';
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

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** In each hour, one in this many devices has an incident of ten minutes. */
const incidentEvery = 60;

export function isIncident(deviceId: string, at: Date): boolean {
  const hour = Math.floor(at.getTime() / (60 * minuteMs));
  const start = Math.floor(shareOf(deviceId, hour, 'start') * 50);
  const minute = at.getUTCMinutes();
  return shareOf(deviceId, hour, 'incident') < 1 / incidentEvery && minute >= start && minute < start + 10;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
const between = (low: number, value: number, high: number): number => Math.max(low, Math.min(high, value));

export function readingOf({ deviceId, name, last }: LiveDevice, at: Date): Record<string, unknown> {
  const role = roles.find(({ prefix }) => name.startsWith(`${prefix}-`));
  const [cpu, memory] = [role?.cpu ?? 20, role?.memory ?? 50];
  const minute = Math.floor(at.getTime() / minuteMs);
  const noise = shareOf(deviceId, minute, 'noise');
  const hours = at.getUTCHours() + at.getUTCMinutes() / 60;
  const load = cpu * (0.7 + 0.5 * Math.sin(((hours - 8) * Math.PI) / 12)) + 12 * (noise - 0.4);
  const hasIncident = isIncident(deviceId, at);
  return {
    Metrics: {
      Cpu: tenth(hasIncident ? 94 + 5 * noise : between(1, load, 88)),
      Memory: tenth(between(5, memory + 6 * Math.sin((hours * Math.PI) / 6) + 4 * noise, 93)),
      // Fills by up to a third of a percent a day.
      Disk: tenth(between(5, last.disk + (shareOf(deviceId, 'disk') * (at.getTime() - last.at.getTime())) / (3 * dayMs), 92)),
      Uptime: last.uptimeSeconds + Math.round((at.getTime() - last.at.getTime()) / 1_000),
    },
    States: { Health: hasIncident ? 'Degraded' : 'Healthy' },
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
