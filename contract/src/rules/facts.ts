/** What a rule sees when something happens: the entity, its packet and when the one before it came. */
import type { PacketMessage } from '../resources/packets.ts';

/** Text, number or truth as conditions compare it. `undefined`: the packet or the entity says nothing about it. */
export type Fact = string | number | boolean | null | undefined;

type Maybe<T> = T | null | undefined;

export type EntityKind = 'device' | 'operation' | 'block' | 'workUnit' | 'subscription';

/** Who reports, or what else a rule is about. A device operation or a block over a device carries its `device` too. */
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
  }>;
  operation?: Maybe<{ name?: Maybe<string>; label?: Maybe<string>; packageName?: Maybe<string> }>;
  block?: Maybe<{ id: string; name?: Maybe<string>; blockTypeId?: Maybe<number> }>;
}

/**
 * What happened. `tick`: time has passed, so that silence can match; `match`: a match about the entity opened, repeated
 * or closed; `count`: what many entities did is counted; `workUnit`: a work unit was created or changed.
 */
export type EventKind = 'packet' | 'tick' | 'match' | 'count' | 'workUnit';

/** A time in which the installation took no packets: silence within it says nothing. Epoch milliseconds. */
export interface Gap {
  from: number;
  until: number;
}

/** A match that is open, or was hit lately. */
export interface MatchFact {
  ruleId: string;
  /** Whose packets it is about. */
  entity: RuleEntity;
  open: boolean;
  lastMatch: number;
}

/** What packets of many entities came to. */
export interface Totals {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Something happening to an entity. Times are epoch milliseconds; an entity's events come in the order of time. */
export interface RuleEvent {
  /** A packet when left out. */
  kind?: EventKind | undefined;
  entity: RuleEntity;
  /** When it happened, and what was reported: nothing but for packets. */
  packet: { timestamp: number; message: PacketMessage };
  /** The entity's latest packet before this one, when there is one. */
  previous?: { timestamp: number } | undefined;
  /** For a tick: those since `previous`, in the order of time. */
  gaps?: readonly Gap[] | undefined;
  /** For `match`: those about the entity; for `count`: those of all entities of the subscription. */
  matches?: readonly MatchFact[] | undefined;
  /** For `count`: by `ruleId key` of the condition that counts. */
  totals?: Readonly<Record<string, Totals | undefined>> | undefined;
  /** For `workUnit`: its fields. */
  workUnit?: Readonly<Record<string, unknown>> | undefined;
}

/** The longest stretch since the latest packet in which the installation would have taken one; undefined when there was none. */
export function silenceMs({ packet, previous, gaps }: RuleEvent): number | undefined {
  if (!previous) return undefined;
  let from = previous.timestamp;
  let longest = 0;
  for (const gap of gaps ?? []) {
    if (gap.until <= from || gap.from >= packet.timestamp) continue;
    longest = Math.max(longest, gap.from - from);
    from = gap.until;
  }
  return Math.max(longest, packet.timestamp - from);
}
