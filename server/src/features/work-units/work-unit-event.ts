/** A change of a work unit for the automation: queued in the transaction of the change, handled by a job. */
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { z } from 'zod';
import type { Ctx } from '../../context/ctx.ts';
import { enqueue, enqueueAlong } from '../../jobs/queue.ts';
import type { RowChange } from '../../resources/served.ts';
import type { WorkUnitRow } from './state.rules.ts';

/** Name of the job that handles one event. */
export const workUnitEventName = 'work-unit-event';

const values = z.custom<Partial<WorkUnitRow>>((value) => typeof value === 'object' && value !== null);

export const workUnitEvent = z.object({
  /** Handlers derive the ids of new rows from this id, so that a second run of the job has no effect. */
  eventId: z.uuid(),
  workUnitId: z.int(),
  tenantId: z.uuid(),
  verb: z.enum(['create', 'update']),
  /** When the change happened. */
  at: z.iso.datetime(),
  /** Names of the changed fields. */
  changed: z.array(z.string()),
  /** The previous values of the changed fields; null for a new unit. */
  before: values.nullable(),
  /** The unit's fields after this change that have a value, without those of `tooLong`. */
  after: values,
  /** The number of outbound calls and automatic changes that led to this change, see `hops` of `Ctx`. */
  hops: z.int().optional(),
});

export type WorkUnitEvent = z.infer<typeof workUnitEvent>;

/** Fields with long values that automation does not read; the event leaves them out. */
const tooLong: ReadonlySet<string> = new Set([
  'properties',
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'securityConsiderations',
  'userImpact',
  'costImpact',
  'expectedCFSAlerts',
  'affectedDevices',
  'expectedRules',
]);

/** Returns the event of a change, without the ids of the unit and `after`. */
function eventOf(ctx: Ctx, { verb, before, changed }: RowChange<WorkUnitRow>): Omit<WorkUnitEvent, 'workUnitId' | 'tenantId' | 'after'> {
  return {
    eventId: randomUUID(),
    verb: verb === 'create' ? verb : 'update',
    at: ctx.now().toISOString(),
    changed: [...changed],
    before: before ? Object.fromEntries(changed.filter((name) => !tooLong.has(name)).map((name) => [name, before[name]])) : null,
    ...(ctx.hops ? { hops: ctx.hops } : {}),
  };
}

/** Queues the event of a change in the transaction of the change. */
export async function queueWorkUnitEvent(ctx: Ctx, change: RowChange<WorkUnitRow>): Promise<void> {
  const { workUnitId, tenantId } = change.after;
  const fields = Object.entries(change.after).filter(([name, value]) => value !== null && !tooLong.has(name));
  const event: WorkUnitEvent = { ...eventOf(ctx, change), workUnitId, tenantId, after: Object.fromEntries(fields) };
  await enqueue(ctx.db, { name: workUnitEventName, payload: event, tenantId, correlationId: ctx.correlationId });
}

/** Returns the statement part that queues the event of a new unit together with the unit's row, see `along` of `Served`. */
export function newUnitAlong(ctx: Ctx, change: RowChange<WorkUnitRow>): Promise<RawBuilder<unknown>> {
  const payload = sql`${JSON.stringify(eventOf(ctx, change))}::jsonb
    || jsonb_build_object('workUnitId', entity_id::bigint, 'tenantId', tenant_id, 'after', after - ${[...tooLong]}::text[])`;
  return enqueueAlong(ctx.db, workUnitEventName, payload, ctx.correlationId);
}
