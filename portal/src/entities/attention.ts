/** Conditions that several screens share, so that a number on one screen agrees with the list on another. */
import { and, eq, oneOf, or, path, related } from '@cloudfit/contract/query/build.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';

export const isOpen = oneOf(workUnits, 'stateId', openStates);

/** A filter of work units that wait for the person's decision as first or second approver. */
export function waitsFor(userName: string): string | undefined {
  return or(
    ...([1, 2] as const).map((slot) =>
      and(eq(workUnits, `approver${slot}`, userName), eq(workUnits, `approved${slot}By`, null), eq(workUnits, `declined${slot}By`, null)),
    ),
  );
}

/** `isSilent` is a filter of devices whose latest packet is older than five minutes, or that have no packet. */
const lastPacket = related(devices, 'packet', packets);
export const isSilent = `(${path(lastPacket, 'timestamp')} lt now() sub duration'PT5M' or ${eq(lastPacket, 'timestamp', null)})`;

/** A filter of devices that are not silent. */
export const isReporting = `${path(lastPacket, 'timestamp')} ge now() sub duration'PT5M'`;

/** A filter of work units that nobody has snoozed. */
export const isAwake = eq(workUnits, 'snoozedUntil', null);

/** A filter of work units of which a clock has warned, or is over. */
export const isBreaching = `clockWarn le now()`;

/** A filter of rules, and of devices, with an open match. */
export const hasOpenMatch = `ruleMatches/any(m:m/${eq(ruleMatches, 'closed', null)})`;

/** An entity is silent after this long without a packet. */
export const silentAfterMs = 5 * 60_000;
