/** The length of a time window, in steps with fixed boundaries. */

const maxSteps = 30;

/**
 * A window of at most thirty steps with fixed boundaries (multiples of the step since 1970). At a time it contains every packet
 * of the current step and of the whole steps before it.
 */
export interface WindowLength {
  stepMs: number;
  steps: number;
}

export function windowLength(seconds: number): WindowLength {
  const stepMs = Math.max(1_000, Math.ceil((seconds * 1_000) / maxSteps));
  return { stepMs, steps: Math.ceil((seconds * 1_000) / stepMs) };
}

/** Number of the step that a time is in. */
export function stepOf(at: number, { stepMs }: WindowLength): number {
  return Math.floor(at / stepMs);
}
