/**
 * A circuit breaker: opens after four failures in a row; then one call a minute probes whether the destination answers again.
 * After a day with nothing but failures, at least forty, the destination is disabled.
 */

/** Thrown when a call may never be made, neither now nor later. */
export class OutboundRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefused';
  }
}

/** Thrown when a call failed or the circuit is open; a retry may succeed. */
export class OutboundFailed extends Error {
  /** Set while the circuit is open. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'OutboundFailed';
    this.retryAfterMs = retryAfterMs;
  }
}

/** `halfOpen`: this call is the probe. `failures` counts failures in a row. */
export type CircuitState =
  | { state: 'closed' | 'halfOpen'; failures: number }
  | { state: 'open'; retryAfterMs: number }
  | { state: 'disabled' };

/** The stored state of failing destinations, per destination and owner. */
export interface CircuitBreaker {
  /** Whether a call may be made now. When a probe of an open circuit is due, only one of several callers gets `halfOpen`. */
  enter(destination: string, owner: string): CircuitState | Promise<CircuitState>;
  /** `entered` is the state that `enter` returned before the call. */
  recordFailure(destination: string, owner: string, failure: string, entered: 'closed' | 'halfOpen'): void | Promise<void>;
  /** Closes the circuit. */
  recordSuccess(destination: string, owner: string): void | Promise<void>;
}

/** Lets every call through. */
export const alwaysClosed: CircuitBreaker = {
  enter: () => ({ state: 'closed', failures: 0 }),
  recordFailure: () => undefined,
  recordSuccess: () => undefined,
};

export const failuresToOpen = 4;
export const failuresToDisable = 40;
export const msToDisable = 86_400_000;
/** While a circuit is open, one call per this time is let through as a probe. */
export const openMs = 60_000;

/**
 * Makes the call unless the circuit is open or disabled, and records the result. With `isClosed` the caller says that it is neither. `call` reports a failure of the destination by
 * returning a `failure`, or by throwing an error in which `failureOf` finds one.
 */
export async function callThroughBreaker<T>(
  breaker: CircuitBreaker,
  { destination, owner, isClosed = false }: { destination: string; owner: string; isClosed?: boolean },
  call: () => Promise<{ answer: T; failure: string | undefined }>,
  failureOf: (error: unknown) => string | undefined,
): Promise<T> {
  const circuit: CircuitState = isClosed ? { state: 'closed', failures: 0 } : await breaker.enter(destination, owner);
  if (circuit.state === 'disabled')
    throw new OutboundRefused(`Calls to ${destination} are disabled because it has failed too often in a row.`);
  if (circuit.state === 'open')
    throw new OutboundFailed('The receiver has failed repeatedly. The call waits until it may be tried again.', circuit.retryAfterMs);
  const record = async (failure: string | undefined): Promise<void> => {
    try {
      if (failure !== undefined) await breaker.recordFailure(destination, owner, failure, circuit.state);
      else if (circuit.failures > 0) await breaker.recordSuccess(destination, owner);
    } catch {
      // An error of the breaker is ignored, because the call has already been made.
    }
  };
  try {
    const { answer, failure } = await call();
    await record(failure);
    return answer;
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) await record(failure);
    throw error;
  }
}
