/** What uses an action definition: rules in one of their lists, protocols in one of their actions. */
import { sql, type RawBuilder } from '../../db/sql.ts';
import type { Ctx } from '../../context/ctx.ts';
import { compile } from '../../db/compile.ts';

/** The condition for rules, in the table alias `t`, that run the action. */
export function rulesWith(actionDefinitionId: string, t: string): RawBuilder<boolean> {
  const call = JSON.stringify([{ ActionDefinitionId: actionDefinitionId }]);
  return sql<boolean>`(${sql.ref(`${t}.match_actions`)} @> ${call}::jsonb or ${sql.ref(`${t}.expiration_actions`)} @> ${call}::jsonb)`;
}

/** The condition for protocols, in the table alias `t`, that run the action. */
export function protocolsWith(actionDefinitionId: string, t: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from protocol_action a where a.protocol_id = ${sql.ref(`${t}.protocol_id`)} and a.action_definition_id = ${actionDefinitionId})`;
}

/** What uses the action, as a sentence; undefined when nothing uses it. Names only rows of tenants that the caller may see. */
export async function actionUses(ctx: Ctx, actionDefinitionId: string): Promise<string | undefined> {
  const names = (from: RawBuilder<unknown>) =>
    sql`(select array_agg(name order by name collate natural_order) from (${from} order by name collate natural_order limit 10) named)`;
  const [uses] = await ctx.db.query<{ protocols: string[] | null; rules: string[] | null }>(
    compile(sql`select
      ${names(sql`select p.name from protocol p where ${protocolsWith(actionDefinitionId, 'p')}`)} as protocols,
      ${names(sql`select r.name from rule r where ${rulesWith(actionDefinitionId, 'r')}`)} as rules`),
  );
  const parts = [
    ...(uses?.protocols ? [`the protocols ${uses.protocols.join(', ')}`] : []),
    ...(uses?.rules ? [`the rules ${uses.rules.join(', ')}`] : []),
  ];
  return parts.length > 0 ? parts.join(' and ') : undefined;
}

/** Returns the parameters with secrets that rules and protocols pass to the action, by tenant. */
export function parametersOfUses(ctx: Ctx, actionDefinitionId: string): Promise<{ tenantId: string | null; texts: string[] }[]> {
  return ctx.db.query(
    compile(sql`select tenant_id as "tenantId", array_agg(text) as texts from (
        select r.tenant_id, p.value as text from rule r, jsonb_array_elements(r.match_actions || r.expiration_actions) c,
          jsonb_each_text(c -> 'Parameters') p
        where ${rulesWith(actionDefinitionId, 'r')} and c ->> 'ActionDefinitionId' = ${actionDefinitionId}
        union all
        select a.tenant_id, a.parameters from protocol_action a where a.action_definition_id = ${actionDefinitionId}
      ) used where text ilike '%{secret:%' group by tenant_id`),
  );
}
