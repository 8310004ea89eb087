/** What uses a protocol: rules and sources that refer to it or open work units with it, and work units. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import type { Ctx } from '../../context/ctx.ts';
import { compile } from '../../db/compile.ts';

/** The condition for rules, in the table alias `t`, that use the protocol. */
export function assignedRules(protocolId: string, t: string): RawBuilder<boolean> {
  const opens = JSON.stringify([{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { ProtocolId: protocolId } }]);
  const column = (name: string) => sql.ref(`${t}.${name}`);
  return sql<boolean>`(${column('protocol_id')} = ${protocolId} or ${column('match_actions')} @> ${opens}::jsonb or ${column('expiration_actions')} @> ${opens}::jsonb)`;
}

/**
 * Returns what uses the protocol, as a sentence; undefined if nothing uses it. Names and counts only rows of tenants that the
 * caller may see.
 */
export async function protocolUses(ctx: Ctx, protocolId: string): Promise<string | undefined> {
  const [uses] = await ctx.db.query<{ rules: string[] | null; sources: string[] | null; units: number }>(
    compile(sql`select
      (select array_agg(name order by name collate natural_order) from (select r.name from rule r where ${assignedRules(protocolId, 'r')} order by r.name collate natural_order limit 10) named) as rules,
      (select array_agg(name order by name collate natural_order) from (select s.name from intake_source s where s.late_protocol_id = ${protocolId} order by s.name collate natural_order limit 10) late) as sources,
      (select count(*)::int from (select 1 from work_unit where protocol_id = ${protocolId} limit 1000) bound) as units`),
  );
  const parts = [
    ...(uses?.rules ? [`the rules ${uses.rules.join(', ')}`] : []),
    ...(uses?.sources ? [`the sources ${uses.sources.join(', ')}`] : []),
    ...(uses?.units ? [uses.units === 1 ? 'one work unit' : `${uses.units} work units`] : []),
  ];
  return parts.length > 0 ? parts.join(' and ') : undefined;
}
