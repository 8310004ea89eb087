import type { Action } from '@cloudfit/contract/action.ts';
import { explainAccess, explainOwnAccess } from '@cloudfit/contract/actions/people.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedPeople } from './people.served.ts';
import { explainPerson } from './why.ts';

/** `others` are the other actions of the server: people can ask who may call them. */
export function whyActions(database: Database, others: readonly ImplementedAction[]): readonly ImplementedAction[] {
  const actions: readonly Action[] = others.map(({ action }) => action);
  return [
    implement(explainAccess, async (ctx, { id, ...input }) => {
      const { personId } = await get(ctx, servedPeople, id);
      const view = permission('People', 'view');
      return explainPerson(ctx, database, personId, input, actions, (tenantId) => tenantId === null || may(ctx, view, tenantId));
    }),
    implement(explainOwnAccess, (ctx, input) => {
      if (ctx.actor.kind !== 'person') throw forbidden('Only people can ask this; the permissions of a token are in the list of tokens.');
      return explainPerson(ctx, database, ctx.actor.id, input, actions, () => true);
    }),
  ];
}
