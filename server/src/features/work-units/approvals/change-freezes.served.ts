import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { actorName } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';

export const servedChangeFreezes = serve(changeFreezes, 'change_freeze', {
  fill: (ctx, { verb }) => ({ ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}), modifiedBy: actorName(ctx) }),
  check: (_ctx, { verb, after, changed }) =>
    verb !== 'delete' &&
    (changed.includes('startsAt') || changed.includes('endsAt')) &&
    Date.parse(after.endsAt) <= Date.parse(after.startsAt)
      ? [{ target: 'endsAt', message: 'A freeze ends after its start.' }]
      : [],
});
