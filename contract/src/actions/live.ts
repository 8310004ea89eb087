/** Server-sent events of changed rows, so that open pages refresh what they show. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

/** One event's data; ids and tenants of rows that the caller may see, never their content. */
export const changeEvent = z.object({ entity: z.string(), id: z.string(), verb: z.enum(['create', 'update', 'delete']), tenantId: z.string().nullable() });

/** An endless `text/event-stream`; resumes after the `Last-Event-ID` header. */
export const changes = defineAction({ name: 'changes', method: 'GET', path: '/v1/changes', access: 'signed-in', input: z.object({}) });
