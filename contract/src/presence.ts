/** Who else looks at or edits a work unit right now: times and names that both sides go by. */

/** A page that is not heard of for so long is gone. */
export const presenceLeaseSeconds = 60;

/** How often a visible page tells that it is still there. */
export const presenceBeatSeconds = 25;

/** Entity of the stream's event when somebody comes, goes or begins to edit; its id is the unit's. */
export const presenceEntity = 'workUnitPresence';

export const presenceStates = ['looking', 'editing'] as const;
export type PresenceState = (typeof presenceStates)[number];

export interface Presence {
  name: string;
  userName: string;
  state: PresenceState;
  since: string;
}
