import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { sql } from '../../../db/sql.ts';
import { serve } from '../../../resources/served.ts';

/** Only the caller's own items, and of these only items of tenants whose work units the caller may view. */
export const servedInboxItems = serve(inboxItems, 'inbox_item', {
  rowsFor: ({ actor }, t) => {
    if (actor.kind === 'system') return undefined;
    if (actor.kind !== 'person') return sql<boolean>`false`;
    return sql<boolean>`${sql.ref(`${t}.person_id`)} = (select person_id from person where lower(user_name) = lower(${actor.userName}))`;
  },
});
