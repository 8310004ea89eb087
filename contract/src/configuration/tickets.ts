/** A ticket of another program with its history, as an import takes it. */
import { z } from 'zod';
import { severities, workUnitStates } from '../enums.ts';

const text = (max: number) => z.optional(z.string().max(max));
const instant = z.iso.datetime({ offset: true });

const ticketNote = z.object({
  at: instant,
  /** Who wrote it there, by name or address. */
  author: z.string().max(320),
  text: z.string().min(1).max(1_000_000),
  /** Whether the customer could read it. */
  isExternal: z.boolean(),
  isFromCustomer: z.boolean(),
});
export type TicketNote = z.infer<typeof ticketNote>;

export const ticketSchema = z.object({
  tenantId: z.guid(),
  /** The program, such as Zammad. With the number it is what a ticket is recognized by. */
  source: z.string().min(1).max(100),
  number: z.string().min(1).max(200),
  title: z.string().max(100_000),
  description: text(1_000_000),
  stateId: z.enum(workUnitStates),
  severityId: z.enum(severities),
  created: instant,
  closed: z.optional(instant),
  updated: z.optional(instant),
  requester: text(200),
  requesterEmail: text(320),
  requesterPhone: text(60),
  assignee: text(320),
  group: text(200),
  category: text(200),
  resolution: text(1_000_000),
  url: text(2_000),
  notes: z.array(ticketNote).max(5_000),
});
export type Ticket = z.infer<typeof ticketSchema>;
