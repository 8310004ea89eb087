/** Server-sent events of changed rows, so that open pages refresh what they show. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

/** The data of one event: ids and tenants of rows that the caller may see, never their content. */
export interface ChangeEvent {
  /** Name of the resource; `*` if missed changes cannot be listed, or if the caller has other permissions than before. `packets` has no id: entities of the tenant reported. */
  entity: string;
  /** Empty for a row of many tenants, such as a rule for all, whose reader sees some tenants only: it may be of a group of others. */
  id: string;
  verb: string;
  tenantId: string | null;
  /** For presence: the id of the page that came or left, so that this page can ignore the event. */
  page?: string;
}

export const changes = defineAction({
  name: 'changes',
  method: 'GET',
  path: '/v1/changes',
  access: 'signed-in',
  about:
    'What changed, as an endless `text/event-stream` of entities and ids; resumes after the `Last-Event-ID` header. Without one it ' +
    'begins with what changed in the last `seconds`, or now.',
  input: z.object({ seconds: z.coerce.number().int().min(1).optional() }),
  content: 'text/event-stream',
});
