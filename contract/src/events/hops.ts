/** The extension of CloudEvents that counts through how many installations the cause of an event has gone. */
export const hopAttribute = 'cloudfithops';

/** With so many, an event goes round: two installations that report to each other would open work units without end. */
export const maxHops = 5;

/** The count in an attribute, which anybody may have written; 0 if it is none. */
export function hopsOf(written: string | undefined): number {
  return written !== undefined && /^\d{1,6}$/.test(written) ? Number(written) : 0;
}
