/** Who has opened a unit, for people who may view it; and that a person came by the link of a message. */
import { openedLink, workUnitSeen, type UnitVisit } from '@cloudfit/contract/actions/work-units/visits.ts';
import { forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { keepVisit } from './visits.ts';

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const listed = `select s.way, coalesce(p.name, s.address) as name, p.user_name as "userName", ${time('s.first_at')} as first, ${time('s.last_at')} as last
from work_unit_seen s left join person p on p.person_id = s.person_id where s.work_unit_id = $1 and s.tenant_id = $2
order by s.last_at desc, s.way, s.person_id, s.address limit 200`;

export const visitActions: readonly ImplementedAction[] = [
  implement(workUnitSeen, async (ctx, { id }) => {
    const { tenantId } = await get(ctx, servedWorkUnits, id);
    return { value: await ctx.db.query<UnitVisit>({ name: 'seen-by', text: listed, values: [id, tenantId] }) };
  }),
  implement(openedLink, async (ctx, { id, messageId }) => {
    const { actor } = ctx;
    if (actor.kind !== 'person') throw forbidden('Only people open the links of messages.');
    const { tenantId } = await get(ctx, servedWorkUnits, id);
    const [message] = await ctx.db.query({
      name: 'message-of-link',
      text: 'select 1 from action_history where message_id = $1 and tenant_id = $2 and coalesce(work_unit_id, $3) = $3',
      values: [messageId, tenantId, id],
    });
    if (!message) throw notFound('Message');
    await keepVisit(ctx, { workUnitId: id, tenantId, way: 'link', personId: actor.id });
  }),
];
