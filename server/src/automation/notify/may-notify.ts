/** Decides whether people may be notified now, and by which channels. All limits of messages belong here. */
import { alwaysUrgent, channels, quietUntil, stepsFor, type PersonChannel, type Severity } from '@cloudfit/contract/on-call/preferences.ts';
import type { Db } from '../../db/db.ts';
import { moreUrgentThan, takeTurns } from './message-turns.ts';
import { withRights } from './recipients.ts';
import {
  addressesOf,
  channelsOfPeople,
  preferencesOf,
  type ChannelAddress,
  type PersonChannelsRow,
} from '../../executions/channel-addresses.ts';

/** One of a person's channels. It is used `afterMs` after the first message, unless the unit is acknowledged by then. */
export interface ChannelTurn {
  channel: PersonChannel;
  afterMs: number;
  targets: readonly ChannelAddress[];
}

/** Why a message waits. All waiting messages of a person go out in one summary. */
export type HeldBecause = 'QuietHours' | 'Pause';

export type NotifyDecision =
  | { when: 'now'; turns: readonly ChannelTurn[] }
  /** `unless`: severities that end the wait when the unit gets one of them. */
  | { when: 'held'; until: Date; because: HeldBecause; unless: readonly Severity[] }
  | { when: 'never'; problem: string };

export interface MessageToPermit {
  tenantId: string;
  severityId: string;
  at: Date;
  /** The message that takes the turn of the person; `pauseMs` is the minimum time between two turns, by default none. */
  messageId: string;
  pauseMs?: number;
}

/** What a person who has left is, since a message for them was decided on or began to wait. */
export const hasLeft = 'disabled, or has no rights in this tenant any more';

const withRightsText = `select p.person_id as id from person p where p.person_id = any($2::uuid[]) and ${withRights('$1')}`;

function permit(row: PersonChannelsRow | undefined, { severityId, at }: MessageToPermit): NotifyDecision {
  const targets = row && addressesOf(row);
  const usable = new Set(channels.filter((channel) => targets && targets[channel].length > 0));
  if (!row || !targets || usable.size === 0) return { when: 'never', problem: 'no email address, browser or phone' };
  const preferences = preferencesOf(row);
  const until = quietUntil(preferences, severityId, at.getTime());
  if (until !== undefined)
    return { when: 'held', until: new Date(until), because: 'QuietHours', unless: [...new Set([...alwaysUrgent, ...preferences.urgent])] };
  return { when: 'now', turns: stepsFor(preferences, severityId, usable).map((step) => ({ ...step, targets: targets[step.channel] })) };
}

/** Decides for each person. Call it in the transaction that writes the messages. */
export async function mayNotify(db: Db, message: MessageToPermit, personIds: readonly string[]): Promise<Map<string, NotifyDecision>> {
  const rows = await channelsOfPeople(db, message.tenantId, personIds);
  const present = await db.query<{ id: string }>({ name: 'notify-rights', text: withRightsText, values: [message.tenantId, personIds] });
  const mayBeNotified = new Set(present.map(({ id }) => id));
  const decisions = new Map<string, NotifyDecision>(
    personIds.map((id) => [id, mayBeNotified.has(id) ? permit(rows.get(id), message) : { when: 'never', problem: hasLeft }]),
  );
  const { messageId, pauseMs = 0, at, severityId } = message;
  // A waiting message is sent by itself if its unit becomes more urgent.
  const unless = moreUrgentThan(severityId);
  // The key of a turn is the mail address, so that messages to the person and mails of rules to the address share the turn.
  const keys = new Map(
    [...decisions].flatMap(([id, { when }]) => (when === 'now' ? [[rows.get(id)?.email?.toLowerCase() ?? id, id]] : [])),
  );
  for (const [key, ms] of await takeTurns(db, [...keys.keys()], messageId, { pauseMs, severityId }))
    decisions.set(keys.get(key) ?? '', { when: 'held', until: new Date(at.getTime() + ms), because: 'Pause', unless });
  return decisions;
}
