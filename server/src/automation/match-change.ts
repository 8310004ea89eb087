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
  /** Hops of the match, see `Ctx`. */
  hops: number;
  correlationId: string;
}

const subjectsAtOnce = 200;

/** Call it in a transaction. Queues one job per tenant, rule and portion of subjects: a rule for several tenants has matches in each. */
export function queueMatchChanges(
  db: Db,
  changes: readonly MatchChange[],
  { at, path = [] }: { at: number; path?: readonly string[] },
): Promise<void> {
  const ofRules = Map.groupBy(changes, ({ tenantId, ruleId }) => `${tenantId} ${ruleId}`);
  return enqueueAll(
    db,
    [...ofRules.values()].flatMap((ofRule) => {
      const [{ tenantId, ruleId, correlationId }] = ofRule as [MatchChange, ...MatchChange[]];
      const hops = Math.max(...ofRule.map((change) => change.hops));
      const all = [...new Set(ofRule.map(({ subjectId }) => subjectId))];
      return Array.from({ length: Math.ceil(all.length / subjectsAtOnce) }, (_, i) => {
        const payload: MatchEvent = {
          eventId: randomUUID(),
          tenantId,
          at,
          subjectIds: all.slice(i * subjectsAtOnce, (i + 1) * subjectsAtOnce),
          path: [...new Set([...path, ruleId])],
          ...(hops > 0 ? { hops } : {}),
        };
        return { name: correlateName, payload, tenantId, correlationId };
      });
    }),
  );
}
