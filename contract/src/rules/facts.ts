/** What a rule sees when something happens: the entity, its packet and when the one before it came. */
import type { PacketMessage } from '../resources/packets.ts';

/** Text, number or truth as conditions compare it. `undefined`: the packet or the entity says nothing about it. */
export type Fact = string | number | boolean | null | undefined;

type Maybe<T> = T | null | undefined;

export type EntityKind = 'device' | 'operation' | 'block';

/** Who reports. A device operation or a block over a device carries its `device` too. */
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

/** A packet arriving. Times are epoch milliseconds; an entity's events come in the order of time. */
export interface RuleEvent {
  entity: RuleEntity;
  packet: { timestamp: number; message: PacketMessage };
  /** The entity's latest packet before this one, when there is one. */
  previous?: { timestamp: number } | undefined;
}
