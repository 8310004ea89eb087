/** A change of a work unit, as the automation sees it: queued in the transaction of the change, handled by a job. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '../../context/ctx.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { RowChange } from '../../resources/served.ts';
import type { WorkUnitRow } from './state.rules.ts';

/** Name of the job that handles one event. */
export const workUnitEventName = 'work-unit-event';

const values = z.custom<Partial<WorkUnitRow>>((value) => typeof value === 'object' && value !== null);

export const workUnitEvent = z.object({
  /** Handlers derive ids from it, so that a second run has no effect. */
  eventId: z.uuid(),
  workUnitId: z.int(),
  tenantId: z.uuid(),
  verb: z.enum(['create', 'update']),
  /** When it happened. */
  at: z.iso.datetime(),
  /** Names of the changed fields. */
  changed: z.array(z.string()),
  /** The previous values of the changed fields; null for a new unit. */
  before: values.nullable(),
  /** The unit's fields after this change, without the long texts of `tooLong`. */
  after: values,
  /** Correlation id of the cause, see `Ctx`. */
  hops: z.int().optional(),
});

export type WorkUnitEvent = z.infer<typeof workUnitEvent>;

/** Automation does not read these. */
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

/** Runs in the transaction of the change. */
export async function queueWorkUnitEvent(ctx: Ctx, { verb, before, after, changed }: RowChange<WorkUnitRow>): Promise<void> {
  if (verb === 'delete') return;
  const fields = Object.entries(after).filter(([name]) => !tooLong.has(name));
  const event: WorkUnitEvent = {
    eventId: randomUUID(),
    workUnitId: after.workUnitId,
    tenantId: after.tenantId,
    verb,
    at: ctx.now().toISOString(),
    changed: [...changed],
    before: before ? Object.fromEntries(changed.filter((name) => !tooLong.has(name)).map((name) => [name, before[name]])) : null,
    after: Object.fromEntries(fields),
    ...(ctx.hops ? { hops: ctx.hops } : {}),
  };
  await enqueue(ctx.db, { name: workUnitEventName, payload: event, tenantId: after.tenantId, correlationId: ctx.correlationId });
}
