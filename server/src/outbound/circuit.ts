/** Spares a destination that fails: after four failures in a row it is left alone for a growing while, after forty for good (security, section 3). */

/** The call may not be made, now or later. */
export class OutboundRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefused';
  }
}

/** The call could not be completed; another try may work. */
export class OutboundFailed extends Error {
  /** Known when the destination is being spared. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'OutboundFailed';
    this.retryAfterMs = retryAfterMs;
  }
}

/** What is remembered of destinations that fail, each by itself for each owner. */
export interface Circuit {
  /** Milliseconds until the destination may be tried again for this owner: 0 when it may be now, Infinity when it is disabled. */
  pausedFor(destination: string, owner: string): number | Promise<number>;
  record(destination: string, owner: string, failure: string | undefined): void | Promise<void>;
}

/** Calls each time anew. */
export const neverSpared: Circuit = { pausedFor: () => 0, record: () => undefined };

export const failuresBeforePause = 4;
export const failuresBeforeEnd = 40;
export const firstPauseMs = 60_000;
export const maxPauseMs = 86_400_000;

/**
 * Makes the call unless its destination is spared, and remembers how it went. `call` tells a failure of the destination by the
 * `failure` that it answers, or by throwing what `failureOf` finds one in.
 */
export async function callSparing<T>(
  circuit: Circuit,
  { destination, owner }: { destination: string; owner: string },
  call: () => Promise<{ answer: T; failure: string | undefined }>,
  failureOf: (error: unknown) => string | undefined,
): Promise<T> {
  const paused = await circuit.pausedFor(destination, owner);
  if (paused === Infinity) throw new OutboundRefused(`Calls to ${destination} are disabled because it has failed too often in a row.`);
  if (paused > 0) throw new OutboundFailed('The receiver has failed repeatedly and is being spared.', paused);
  // The call has been made, whether this can be written down or not.
  const note = async (failure: string | undefined): Promise<void> => {
    try {
      await circuit.record(destination, owner, failure);
    } catch {
      // The next call finds the destination as it was.
    }
  };
  try {
    const { answer, failure } = await call();
    await note(failure);
    return answer;
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) await note(failure);
    throw error;
  }
}
