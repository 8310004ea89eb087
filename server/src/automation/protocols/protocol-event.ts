/** An event of a work unit, and the name of the job that runs the steps of its protocol. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';

/** Name of the job that starts the next step of one event. */
export const protocolStepsName = 'protocol-steps';

/** An event of a work unit, for the protocol that the unit has at that moment. */
export interface ProtocolEvent {
  /** Derived from the cause, so that a repeated event has the same id and adds nothing. */
  eventId: string;
  tenantId: string;
  workUnitId: number;
  protocolId: string;
  eventTypeId: number;
  correlationId: string;
  hops: number;
  detail: Readonly<Record<string, unknown>>;
  /** When the event happened; default: now. */
  at?: string;
  /** The unit's state at the event; default: its state now. */
  stateId?: WorkUnitState;
}
