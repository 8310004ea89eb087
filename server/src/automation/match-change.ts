/** Queues match events (opened, repeated, closed) for rules of type Correlation, in the transaction of the change. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../db/db.ts';
import { enqueueAll } from '../jobs/queue.ts';

/** Name of the job that evaluates one match event. */
export const correlateName = 'correlate';

export const matchEvent = z.object({
  eventId: z.uuid(),
  tenantId: z.uuid(),
  /** The time of the event, in epoch milliseconds. */
  at: z.number(),
  subjectIds: z.array(z.uuid()),
  /** Rules whose matches led to this event. They are not evaluated again, so that rules cannot trigger each other forever. */
  path: z.array(z.uuid()),
  /** Hops of the cause, see `Ctx`. */
  hops: z.int().optional(),
});

export type MatchEvent = z.infer<typeof matchEvent>;

export interface MatchChange {
  tenantId: string;
  ruleId: string;
  subjectId: string;
}

const subjectsAtOnce = 200;

/** Call it in a transaction. Queues one job per rule and portion of subjects. */
export function queueMatchChanges(
  db: Db,
  changes: readonly MatchChange[],
  cause: { at: number; path?: readonly string[]; hops?: number; correlationId: string },
): Promise<void> {
  const { at, path = [], hops = 0, correlationId } = cause;
  const subjects = new Map<string, { tenantId: string; ruleId: string; subjectIds: Set<string> }>();
  for (const { tenantId, ruleId, subjectId } of changes) {
    const changed = subjects.get(ruleId);
    if (changed) changed.subjectIds.add(subjectId);
    else subjects.set(ruleId, { tenantId, ruleId, subjectIds: new Set([subjectId]) });
  }
  const events = [...subjects.values()].flatMap(({ tenantId, ruleId, subjectIds }) => {
    const all = [...subjectIds];
    return Array.from({ length: Math.ceil(all.length / subjectsAtOnce) }, (_, i): MatchEvent => ({
      eventId: randomUUID(),
      tenantId,
      at,
      subjectIds: all.slice(i * subjectsAtOnce, (i + 1) * subjectsAtOnce),
      path: [...new Set([...path, ruleId])],
      ...(hops > 0 ? { hops } : {}),
    }));
  });
  return enqueueAll(
    db,
    events.map((event) => ({ name: correlateName, payload: event, tenantId: event.tenantId, correlationId })),
  );
}
