/** Who has opened a work unit, and the links of messages about it. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { guidSchema } from '../../resource.ts';

const id = z.coerce.number().int().positive();

const visit = z.object({
  /** Whether the unit was opened in the portal, or the link of a message about it. */
  way: z.enum(['page', 'link']),
  /** The person; of a link without a person the address that it was sent to, or empty if several people may have got it. */
  name: z.string(),
  userName: z.string().nullable(),
  first: z.string(),
  /** At most an hour older than the last time. */
  last: z.string(),
});
export type UnitVisit = z.infer<typeof visit>;

export const workUnitSeen = defineAction({
  name: 'workUnitSeen',
  method: 'GET',
  path: '/v1/workunits/{id}/seen',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Who has opened the unit or the link of a message about it, the last one first. Each is written at most once an hour; someone whom an administrator impersonates leaves nothing.',
  input: z.object({ id }),
  output: z.object({ value: z.array(visit) }),
});

export const openedLink = defineAction({
  name: 'openedLink',
  method: 'POST',
  path: '/v1/workunits/{id}/openedLink',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Tells that the caller has opened the unit by the link of this message. 404 if there is no such message in the tenant of the unit.',
  input: z.object({ id, messageId: guidSchema }),
});
