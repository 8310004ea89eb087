/** For unit tests of evaluation: entities, packets, rules and hits that are in no database. */
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { Entity } from '../run/entity.ts';
import type { RuleHit } from '../run/evaluate-entity.ts';
import type { IncomingPacket } from '../run/packet.ts';

/** A condition that compares an operand with a fixed value. */
export const about = (LeftOperand: number, Operator: number, RightOperand: string, more: Partial<Condition> = {}): Condition => ({
  Type: 'And',
  LeftOperand,
  Operator,
  RightOperand,
  ...more,
});

export const web: Entity = { id: 'web', kind: 'device', tenantId: 't1', name: 'web', enabled: true, device: { id: 'web', name: 'web' } };

/** Returns a rule that hits while Cpu is over 90, and whose matches last a second. */
export function ruleOf(extra: Partial<IngestRule> = {}): IngestRule {
  return {
    ruleId: 'r1',
    name: 'High CPU',
    ruleTypeId: 1,
    tenantId: 't1',
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
    lifetimeMs: 1_000,
    sliding: false,
    matchActions: [],
    expirationActions: [],
    ...extra,
  };
}

export function indexOf(...rules: IngestRule[]): RuleIndex<IngestRule> {
  return buildRuleIndex(rules.map((rule): CompiledRule<IngestRule> => compileRule(rule)));
}

/** A packet of `web`, with its time as its id. */
export function packetAt(timestamp: number, Cpu: number): IncomingPacket {
  const message: PacketMessage = { Metrics: { Cpu } };
  return { index: 0, packetId: `p${timestamp}`, entityId: web.id, timestamp, messageId: undefined, message, json: JSON.stringify(message) };
}

export function hitAt(timestamp: number, rule: IngestRule = ruleOf(), entity: Entity = web): RuleHit {
  const packet = packetAt(timestamp, 95);
  return { rule: compileRule(rule), entity, packet, event: { entity, packet }, before: undefined };
}
