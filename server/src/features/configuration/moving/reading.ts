/** Reads values of documents of other products, whose fields may be absent or of another type. */
import { isTimeZone, offsetAt, zoneOf } from '@cloudfit/contract/rules/time-window.ts';
import type { MovingReason } from '@cloudfit/contract/configuration/moving.ts';

export type ForeignItem = Readonly<Record<string, unknown>>;

export const isItem = (value: unknown): value is ForeignItem => typeof value === 'object' && value !== null && !Array.isArray(value);
export const itemOf = (value: unknown): ForeignItem => (isItem(value) ? value : {});
export const itemsOf = (value: unknown): ForeignItem[] => (Array.isArray(value) ? value.filter(isItem) : []);
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';

/** The number, also of a text of digits; `otherwise` for anything else. */
export function numberOf(value: unknown, otherwise: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : otherwise;
}

/** Why a part of a document has no counterpart here. */
export class NoCounterpart extends Error {
  readonly reason: MovingReason;
  readonly detail: string;

  constructor(reason: MovingReason, detail = '') {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}

/** A time with its offset, in epoch milliseconds. */
export function instantIn(value: unknown): number {
  const at = Date.parse(textOf(value));
  if (Number.isNaN(at)) throw new NoCounterpart('unreadable-time', textOf(value));
  return at;
}

/** A local time, as if it were UTC. */
export function localIn(value: unknown): number {
  const at = Date.parse(`${textOf(value).slice(0, 19)}Z`);
  if (Number.isNaN(at)) throw new NoCounterpart('unreadable-time', textOf(value));
  return at;
}

/** The time zone, if it is one of the IANA database. */
export function zoneIn(value: unknown): string {
  const zone = textOf(value);
  if (zone === '' || !isTimeZone(zone)) throw new NoCounterpart('unreadable-zone', zone);
  return zone;
}

/** What clocks of the zone show at an instant, as if it were UTC. */
export const localAt = (zone: string, at: number): number => at + offsetAt(zoneOf(zone), at);

/** Within the years of four digits. */
const latest = Date.parse('9999-01-01T00:00:00Z');

/** A local time as layers have it; they have no seconds. */
export function localText(local: number): string {
  if (!(Math.abs(local) < latest)) throw new NoCounterpart('unreadable-time', String(local));
  if (local % 60_000 !== 0) throw new NoCounterpart('seconds', new Date(local).toISOString().slice(0, 19));
  return new Date(local).toISOString().slice(0, 16);
}
