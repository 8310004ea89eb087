/** Calls about public status pages. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { guidSchema } from '../../resource.ts';

export const getStatusServices = defineAction({
  name: 'getStatusServices',
  method: 'GET',
  path: '/v1/tenants/{id}/statusServices',
  access: { area: 'WorkUnitCommunications', verb: 'view' },
  about: 'The names of the components of all status pages of a tenant: what the impacted services of a communication can name.',
  input: z.object({ id: guidSchema }),
  output: z.array(z.string()),
});

export const previewStatusPage = defineAction({
  name: 'previewStatusPage',
  method: 'GET',
  path: '/v1/statusPages/preview/{id}',
  access: { area: 'Settings', verb: 'view' },
  about:
    'The page as the public sees it, or would see it if it were enabled. It links to `/status/page.css`. Without a mail server visitors cannot subscribe.',
  input: z.object({ id: guidSchema }),
  output: z.object({ html: z.string(), takesSubscribers: z.boolean() }),
});
