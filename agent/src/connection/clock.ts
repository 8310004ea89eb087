/** The server's time on this machine, whose own clock may be wrong: measured from the `Date` header of each answer. */
export interface Clock {
  /** The server's time, as soon as the difference between the clocks is known; until then this machine's time. */
  now(): Date;
  /** Whether the server has answered since the start. */
  isKnown(): boolean;
  /** Milliseconds to add to a time of this machine's clock to get the server's time. */
  offsetMs(): number;
  /** Measures the difference by `date`, the `Date` header of an answer that has just arrived. */
  noteAnswer(date: string | null): void;
}

/** Milliseconds below which a difference counts as none: the header has whole seconds, and an answer takes time to arrive. */
const noticeableMs = 5_000;

/** `onChange` is called when the difference begins, ends or changes noticeably. */
export function createClock(onChange: (offsetMs: number) => void): Clock {
  let offsetMs = 0;
  let isKnown = false;
  return {
    now: () => new Date(Date.now() + offsetMs),
    isKnown: () => isKnown,
    offsetMs: () => offsetMs,
    noteAnswer(date) {
      isKnown = true;
      const server = date === null ? Number.NaN : Date.parse(date);
      if (Number.isNaN(server)) return;
      const measured = server + 500 - Date.now();
      const next = Math.abs(measured) < noticeableMs ? 0 : measured;
      const isChanged = Math.abs(next - offsetMs) >= noticeableMs;
      // Ignores small changes, which are noise of the measurement.
      if (isChanged || next === 0) offsetMs = next;
      if (isChanged) onChange(offsetMs);
    },
  };
}
