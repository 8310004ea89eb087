/** Presence on work units: the times and names that server and portal share. */

/** The seconds after which the server forgets a page that has not reported again. */
export const presenceLeaseSeconds = 60;

/** The seconds between two reports of a visible page. */
export const presenceBeatSeconds = 25;

/**
 * The entity name of the live events that say that the presence on a work unit has changed; the event's id is the id of the
 * work unit.
 */
export const presenceEntity = 'workUnitPresence';

export const presenceStates = ['looking', 'editing'] as const;
export type PresenceState = (typeof presenceStates)[number];

export interface Presence {
  name: string;
  userName: string;
  state: PresenceState;
  since: string;
}
