/** Presence on work units: the times and names that server and portal share. */

/** The server forgets a page that does not report for this long. */
export const presenceLeaseSeconds = 60;

/** How often a visible page reports. */
export const presenceBeatSeconds = 25;

/**
 * Entity name of the live event that a person opens, leaves or begins to edit a work unit; the event's id is the id of the
 * unit.
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
