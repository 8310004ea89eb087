/** The packets of a batch, and the results of the rules for these packets. */
import type { CountPart } from '../rules/run/count-many.ts';
import type { Entity } from '../rules/run/entity.ts';
import type { EntityEvaluation, EvaluationNote, LatestPacketState, RuleHit } from '../rules/run/evaluate-entity.ts';
import type { IncomingPacket } from '../rules/run/packet.ts';

/** A packet that passed the checks, with its entity. */
export interface AcceptedPacket {
  packet: IncomingPacket;
  entity: Entity;
  tenantId: string;
}

export interface BatchEvaluation {
  results: Map<string, EntityEvaluation>;
  hits: RuleHit[];
  notes: EvaluationNote[];
  /** Sums for rules that count packets of many entities. */
  parts: readonly CountPart[];
}

export type LatestOf = (id: string) => LatestPacketState | null | undefined;
