/** The actions that tell somebody: mails and calls of endpoints. */
import { builtInAction, builtInActionTypes } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../db/db.ts';

/** SQL: whether the action `d` tells somebody. */
export const tells = (d: string): string =>
  `(${d}.action_definition_id = '${builtInAction.email}' or ${d}.action_definition_type_id not in (${builtInActionTypes.join(', ')}))`;

/** Returns the mails and calls among the actions of a rule. */
export async function messagesAmong(db: Db, calls: readonly ActionCall[]): Promise<ActionCall[]> {
  const rows = await db.query<{ id: string }>({
    name: 'messages-among',
    text: `select d.action_definition_id as id from action_definition d where d.action_definition_id = any($1::uuid[]) and ${tells('d')}`,
    values: [calls.map((call) => call.ActionDefinitionId)],
  });
  const messages = new Set(rows.map(({ id }) => id));
  return calls.filter((call) => messages.has(call.ActionDefinitionId));
}
