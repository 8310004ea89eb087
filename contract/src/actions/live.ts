/** Server-sent events of changed rows, so that open pages refresh what they show. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

/** One event's data; ids and tenants of rows that the caller may see, never their content. */
export interface ChangeEvent {
  /** Name of the resource; `*` stands for all, after too long an absence; `packets` comes without an id: some of this tenant's entities reported. */
  entity: string;
  id: string;
  verb: string;
  tenantId: string | null;
  /** Of presence: the page that came or went, which knows. */
  page?: string;
}

/** An endless `text/event-stream`; resumes after the `Last-Event-ID` header. */
export const changes = defineAction({ name: 'changes', method: 'GET', path: '/v1/changes', access: 'signed-in', input: z.object({}) });
