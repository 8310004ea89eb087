/**
 * The circuit breaker of tenants' destinations. All workers share its state, which is in the database and survives a restart.
 */
import { destinations, mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { resumeCalls } from '../jobs/queue.ts';
import {
  failuresToDisable,
  failuresToOpen,
  msToDisable,
  openMs,
  type CircuitBreaker,
  type CircuitState,
} from '../outbound/circuit-breaker.ts';
import { mailResponsible } from './notify/mail-responsible.ts';

interface FailingDestination {
  destination_id: string;
  failures: number;
  disabled: boolean;
  is_probe: boolean;
  paused_ms: number;
}

const pause = `now() + ${openMs} * interval '1 millisecond'`;

// Lets one call probe an open circuit when the probe is due: the update moves the time of the next probe, so that other callers
// do not probe too.
const enter = `with entered as (
  update destination set paused_until = ${pause} where tenant_id = $1 and origin = $2 and disabled is null and paused_until <= now() returning tenant_id, destination_id
), changed as (${changed(destinations, 'update', 'entered', 'uuidv7()')})
select destination_id, failures, disabled is not null as disabled, exists (select from entered) as is_probe,
  greatest(0, extract(epoch from paused_until - now()) * 1000)::float8 as paused_ms
from destination where tenant_id = $1 and origin = $2`;

// Calls that were running when the circuit opened do not count. The next probe is due a minute after the last one began,
// however long that probe took.
const countFailure = `with failed as (
  insert into destination as d (tenant_id, origin, last_error) values ($1, $2, $3)
  on conflict (tenant_id, origin) do update set failures = d.failures + 1, last_error = excluded.last_error, modified = now(), version = d.version + 1,
    paused_until = case when d.failures + 1 >= ${failuresToOpen} then coalesce(case when $4 then d.paused_until end, ${pause}) end,
    disabled = case when d.failures + 1 >= ${failuresToDisable} and d.created < now() - ${msToDisable} * interval '1 millisecond' then now() end
  where d.disabled is null and ($4 or d.paused_until is null)
  returning destination_id, tenant_id, failures, disabled is not null as disabled
), changed as (${changed(destinations, 'update', 'failed', 'uuidv7()')})
select destination_id, failures, disabled from failed`;

const close = `with closed as (
  delete from destination where tenant_id = $1 and origin = $2 and disabled is null returning destination_id, tenant_id
)
${changed(destinations, 'delete', 'closed', 'uuidv7()')}`;

/** Writes the audit, and mails those who are responsible for the tenant. */
async function notifyDisabled(db: Db, tenantId: string, origin: string, destinationId: string, error: string): Promise<void> {
  await db.defer({
    text: `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, after, correlation_id)
      values ($1, 'system', 'Automation', 'disable', 'destinations', $2, $3, uuidv7())`,
    values: [tenantId, destinationId, JSON.stringify({ origin, lastError: error })],
  });
  // A mail about the mail server would not arrive.
  if (origin === mailDestination) return;
  await mailResponsible(db, {
    tenantId,
    causeId: destinationId,
    write: ({ destination }) => ({ subject: destination.subject(origin), text: destination.text(origin, error) }),
  });
}

/** Returns the circuit breaker. `db` must see all tenants. */
export function destinationBreaker(db: Db): CircuitBreaker {
  return {
    async enter(origin, tenantId): Promise<CircuitState> {
      const [destination] = await db.query<FailingDestination>({ name: 'destination-enter', text: enter, values: [tenantId, origin] });
      if (!destination) return { state: 'closed', failures: 0 };
      const { failures, disabled, is_probe: isProbe, paused_ms: retryAfterMs } = destination;
      if (disabled) return { state: 'disabled' };
      if (isProbe) return { state: 'halfOpen', failures };
      return failures < failuresToOpen ? { state: 'closed', failures } : { state: 'open', retryAfterMs };
    },
    async recordSuccess(origin, tenantId) {
      await db.transaction(async (tx) => {
        await tx.query({ name: 'destination-forget', text: close, values: [tenantId, origin] });
        await resumeCalls(tx, tenantId, origin);
      });
    },
    async recordFailure(origin, tenantId, failure, entered) {
      const error = failure.slice(0, 2_000);
      await db.transaction(async (tx) => {
        const [failed] = await tx.query<Omit<FailingDestination, 'is_probe' | 'paused_ms'>>({
          name: 'destination-fail',
          text: countFailure,
          values: [tenantId, origin, error, entered === 'halfOpen'],
        });
        if (failed?.disabled) await notifyDisabled(tx, tenantId, origin, failed.destination_id, error);
      });
    },
  };
}
