/** How the payloads of one kind of source are read and answered. */
import type { ApiError } from '@cloudfit/contract/errors.ts';
import type { OidNames } from '../features/devices/mibs/oid-names.ts';
import type { GiveTurn } from '../platform/turns.ts';
import type { SourcePlan } from './map.ts';
import type { FormatAnswer, IntakeOutcome, Payload, PayloadReadings } from './readings.ts';
import type { SeriesMemory } from './series/memory.ts';

/** What a format needs beside the payload. */
export interface FormatContext {
  plan: SourcePlan;
  memory: SeriesMemory;
  /** Names of the objects of SNMP, from the MIBs of the tenant. */
  names: () => Promise<OidNames>;
  /** Awaited between the parts of a payload. */
  turn: GiveTurn;
}

/** Reads the payloads of one kind of source. */
export interface Format {
  read: (payload: Payload, context: FormatContext) => PayloadReadings | Promise<PayloadReadings>;
  /** Answers a request that carries nothing to store, such as one that asks whether anybody is there. */
  respond?: (payload: Payload) => FormatAnswer | undefined;
  /** The answer to a payload of which some or all was stored, or that had nothing to store; the usual one without it. */
  answer?: (outcome: IntakeOutcome, payload: Payload) => FormatAnswer;
  /** The answer to a payload that was refused as a whole; the usual form of errors without it. */
  refuse?: (error: ApiError, payload: Payload) => FormatAnswer | undefined;
  /** What the sender expects in place of a refusal before its body was read, and of a fault: 401, 413, 429, 503. */
  fault?: (error: ApiError, contentType: string) => Pick<FormatAnswer, 'body' | 'headers'>;
}
