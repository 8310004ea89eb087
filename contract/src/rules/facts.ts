/** The input of rules: events, with their entity and the facts that conditions compare. */
import type { CountBy } from '../enums.ts';
import type { PacketMessage } from '../resources/packets.ts';
import type { Baseline } from './schema.ts';

/** A value that conditions compare. `undefined`: the event does not have the value. */
export type Fact = string | number | boolean | null | undefined;

type Maybe<T> = T | null | undefined;

export type EntityKind = 'device' | 'operation' | 'block' | 'workUnit' | 'subscription' | 'group';

/** The subject of an event. A device operation has its `device` too; a device may have its heartbeat `block`. */
export interface RuleEntity {
  id: string;
  kind: EntityKind;
  tenantId: string;
  subscriptionId?: Maybe<string>;
  device?: Maybe<{
    id: string;
    name?: Maybe<string>;
    tags?: Maybe<string>;
    deviceTypeId?: Maybe<number>;
    operatingSystemId?: Maybe<number>;
    locationId?: Maybe<string>;
    /** The device that this device depends on. */
    parentId?: Maybe<string>;
    /** The ids of the selections that the device is in. */
    selections?: Maybe<readonly string[]>;
    /** When the device came into each of them, in epoch milliseconds. */
    selectedSince?: Maybe<readonly number[]>;
    /** The values of the device with which rules can compare, by name. */
    values?: Maybe<Readonly<Record<string, string>>>;
  }>;
  operation?: Maybe<{ name?: Maybe<string>; label?: Maybe<string>; packageName?: Maybe<string> }>;
  /**
   * For a group of devices over which a rule counts: the value that these devices share. `subscriptionIds` is absent if the
   * subscriptions of the devices are unknown.
   */
  group?: Maybe<{ by: Exclude<CountBy, 'Subscription'>; key: string; subscriptionIds?: readonly string[] }>;
  block?: Maybe<{ id: string; name?: Maybe<string>; blockTypeId?: Maybe<number> }>;
}

/**
 * The kind of event. `tick`: time passed, so that silence can match; `match`: a match of the entity opened, repeated or closed;
 * `count`: the packets of many entities were counted; `workUnit`: a work unit was created or changed.
 */
export type EventKind = 'packet' | 'tick' | 'match' | 'count' | 'workUnit';

/** A period in which the installation accepted no packets; it does not count as silence. Epoch milliseconds. */
export interface Gap {
  from: number;
  until: number;
  /** Whether another server of the installation accepted packets meanwhile. */
  partial?: boolean;
}

/** A match that is open or had a recent hit. */
export interface MatchFact {
  ruleId: string;
  /** The entity that the match is about. */
  entity: RuleEntity;
  open: boolean;
  lastMatch: number;
}

/**
 * Where a rule about packets looks for matches of another rule: at the device, location or subscription of its entity, or at
 * the device that the entity's device depends on.
 */
export type StatePlace = 'device' | 'location' | 'subscription' | 'parent';

/** Sums over packets of many entities. */
export interface Totals {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** The usual value of a metric: statistics over its readings at the baseline's hours of past weeks. */
export interface UsualValue {
  /** The number of past weeks that had readings in this hour. */
  weeks: number;
  readings: number;
  mean: number;
  deviation: number;
}

/** An event of an entity. Times are epoch milliseconds. The events of one entity come in order of time. */
export interface RuleEvent {
  /** Default: packet. */
  kind?: EventKind | undefined;
  entity: RuleEntity;
  /** The time of the event, and the message of a packet; other events have an empty message. */
  packet: { timestamp: number; message: PacketMessage };
  /** The entity's latest packet before the event, if any. */
  previous?: { timestamp: number } | undefined;
  /** The gaps of the last days, in order of time. */
  gaps?: readonly Gap[] | undefined;
  /** For `packet` and `tick`: how long the entity has to report after a gap, which does not count as silence either. */
  graceMs?: number | undefined;
  /** For `match`: matches of the entity. For `count`: matches of all entities of the subscription or group. */
  matches?: readonly MatchFact[] | undefined;
  /**
   * For `packet` and `tick`: whether a rule matches, at the time of the event, at the given place. Without this
   * function, conditions on other rules do not hold.
   */
  matching?: ((place: StatePlace, ruleId: string) => boolean) | undefined;
  /**
   * For `packet`: the usual value of a metric of the entity at the time of the event. Without this function, conditions on
   * baselines do not hold.
   */
  usual?: ((metric: string, baseline: Baseline) => UsualValue | undefined) | undefined;
  /** For `count`: sums by the id of the rule and the key of the counting condition, separated by a space. */
  totals?: Readonly<Record<string, Totals | undefined>> | undefined;
  /** For `workUnit`: the fields of the unit. */
  workUnit?: Readonly<Record<string, unknown>> | undefined;
}

/** The maximum number of graces in one silence, so that an installation that is often away for a moment still notices it. */
const maxGraces = 10;

/**
 * Returns the time since the previous packet, without gaps and without the grace after each of them that ended since; undefined
 * without a previous packet.
 */
export function silenceMs({ packet, previous, gaps, graceMs = 0 }: RuleEvent): number | undefined {
  if (!previous) return undefined;
  const [from, to] = [previous.timestamp, packet.timestamp];
  let [outages, outagesUntil] = [0, from];
  let [excused, excusedUntil] = [0, from];
  for (const gap of gaps ?? []) {
    if (gap.until <= from || gap.from >= to) continue;
    const [until, graceUntil] = [Math.min(gap.until, to), Math.min(gap.until + graceMs, to)];
    outages += Math.max(0, until - Math.max(gap.from, outagesUntil));
    excused += Math.max(0, graceUntil - Math.max(gap.from, excusedUntil));
    outagesUntil = Math.max(outagesUntil, until);
    excusedUntil = Math.max(excusedUntil, graceUntil);
  }
  return to - from - outages - Math.min(excused - outages, maxGraces * graceMs);
}

/**
 * Returns the time from which on a window holds all packets: `since`, or the end of the last gap if the gaps within the window
 * are together longer than one of its steps.
 */
export function watchedSince({ packet, gaps }: RuleEvent, since: number, window: { ms: number; stepMs: number }): number {
  const [from, to] = [packet.timestamp - window.ms, packet.timestamp];
  let [missed, last] = [0, since];
  for (const gap of gaps ?? []) {
    if (gap.until <= from || gap.from >= to) continue;
    missed += Math.min(gap.until, to) - Math.max(gap.from, from);
    last = Math.max(last, Math.min(gap.until, to));
  }
  return missed > window.stepMs ? last : since;
}
