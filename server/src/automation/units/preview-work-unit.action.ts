/** Returns the work unit that a rule would open: for its latest match, else for the latest packet that could match it. */
import { previewWorkUnit } from '@cloudfit/contract/actions/automation.ts';
import { defaultSeverity } from '@cloudfit/contract/enums.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { operandId, operandOf } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { isGuid } from '../../auth/guid.ts';
import { englishWords } from '../../platform/rule-words.ts';
import { requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { filledParameters } from '../action-context.ts';
import { matchFacts, subjectColumns, subjectJoins, type MatchedPacket, type MatchSubject } from '../match-facts.ts';

interface LatestPacket {
  subjectId: string;
  at: string;
  message: PacketMessage;
}

const ofLatestMatch = `select m.subject_id as "subjectId", coalesce(m.rule_packet ->> 'Timestamp', to_json(m.first_match) #>> '{}') as at, m.rule_packet as message
from rule_match m join rule r on r.rule_id = m.rule_id where m.rule_id = $1 and m.tenant_id = $2 order by m.created desc limit 1`;

// The newest of 500 packets, so that not all entities of a large tenant are read.
const ofLatestPacket = `select entity_id as "subjectId", to_json(timestamp) #>> '{}' as at, message from (
  select p.entity_id, p.timestamp, p.message from latest_packet p
  left join device_operation o on o.device_operation_id = p.entity_id
  left join device d on d.device_id = coalesce(o.device_id, p.entity_id)
  left join block b on b.block_id = p.entity_id
  where p.tenant_id = $1 and ($2::uuid is null or coalesce(d.subscription_id, b.subscription_id) = $2)
    and (cardinality($3::uuid[]) = 0 or p.entity_id = any($3) or o.device_id = any($3))
    and (cardinality($4::text[]) = 0 or exists (select from unnest($4::text[], $5::text[]) as f (part, name)
      where case when f.part = 'Value' then p.message ? 'Value' else p.message -> f.part ? f.name end))
  limit 500
) recent order by timestamp desc limit 1`;

const entities: readonly number[] = [operandId.entity, operandId.device];

async function latestOf(
  ctx: Ctx,
  rule: { ruleId: string | null; tenantId: string; subscriptionId: string | null; conditions: readonly Condition[] },
): Promise<LatestPacket | undefined> {
  const { ruleId, tenantId, subscriptionId, conditions } = rule;
  if (ruleId) {
    const [matched] = await ctx.db.query<LatestPacket>({ name: 'preview-match', text: ofLatestMatch, values: [ruleId, tenantId] });
    if (matched) return matched;
  }
  const ids = conditions.flatMap(({ LeftOperand, Operator, RightOperand }) =>
    entities.includes(LeftOperand) && Operator === operatorId.equals && RightOperand && isGuid(RightOperand) ? [RightOperand] : [],
  );
  const readings = conditions.flatMap(({ LeftOperand, LeftOperandFieldName }) => {
    const operand = operandOf(LeftOperand);
    const part = operand?.reading ?? (operand?.measure && operand.needsFieldName ? 'Metrics' : undefined);
    return part ? [{ part, name: LeftOperandFieldName ?? '' }] : [];
  });
  const [latest] = await ctx.db.query<LatestPacket>({
    name: 'preview-packet',
    text: ofLatestPacket,
    values: [tenantId, subscriptionId, ids, readings.map(({ part }) => part), readings.map(({ name }) => name)],
  });
  return latest;
}

const named = `select ${subjectColumns('p.id', '0')} as subject, t.name as "tenantName",
  coalesce(so.label || ' on ' || sd.name, sb.name || coalesce(' on ' || sd.name, ''), sd.name, ss.name) as name
from (select $1::uuid as id) p join tenant t on t.tenant_id = $2 ${subjectJoins('p.id')}`;

/** `publicUrl` is the base address of links. */
export function previewWorkUnitAction(publicUrl: string): ImplementedAction {
  return implement(previewWorkUnit, async (ctx, input) => {
    const { ruleId = null, tenantId, subscriptionId = null, name, description = null, conditions, parameters } = input;
    requirePermission(ctx, 'Rules', 'view', tenantId);
    requirePermission(ctx, 'Packets', 'view', tenantId);
    const latest = await latestOf(ctx, { ruleId, tenantId, subscriptionId, conditions });
    const [of] = await ctx.db.query<{ subject: MatchSubject; tenantName: string; name: string | null }>({
      name: 'preview-subject',
      text: named,
      values: [latest?.subjectId ?? null, tenantId],
    });
    const at = latest ? new Date(latest.at).toISOString() : null;
    const label = [name, of?.name].filter(Boolean).join(': ');
    const facts =
      latest && of
        ? matchFacts({
            tenantId,
            publicUrl,
            subject: of.subject,
            rule: { ruleId: ruleId ?? '', name, description, conditions, ruleNames: null, runbook: null },
            packet: { ...(latest.message as MatchedPacket), Timestamp: at ?? '' },
            trace: undefined,
            firstMatch: at ?? '',
            // As the unit will have it, which several people read.
            words: englishWords,
          })
        : {};
    const context = { ...facts, RuleName: name, Label: label, TenantId: tenantId, TenantName: of?.tenantName };
    // Without a packet no placeholder has a value, and empty texts would say nothing.
    const filled = latest ? filledParameters(parameters, context) : parameters;
    const text = (key: string, otherwise: unknown) => String(filled[key] || (otherwise ?? ''));
    return {
      subject: of?.name ?? null,
      at,
      title: text('Title', label),
      description: text('Description', facts['Facts']),
      severityId: text('SeverityId', defaultSeverity),
    };
  });
}
