/** Creates the demo data in one transaction: all of it or nothing. */
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Db } from '../db/db.ts';
import { notify } from '../db/notify.ts';
import { campaigns } from './campaigns.ts';
import { desk } from './desk.ts';
import { matches, matchPackets } from './incidents.ts';
import { machines } from './machines.ts';
import { organisation } from './organisation.ts';
import { randomFunctions } from './random.ts';
import { readings } from './readings.ts';
import { protocols, reports } from './reports.ts';
import { software } from './software.ts';
import type { Size } from './sizes.ts';

export interface DemoOptions {
  size: Size;
  /** Another seed adds different data. */
  seed: number;
  /** The latest time of the data. */
  at: Date;
  progress?: (line: string) => void;
}

/** Whether the data of this seed exists. */
async function isThere(db: Db): Promise<boolean> {
  const rows = await db.query({ text: `select from tenant where tenant_id = pg_temp.demo_id('tenant', 1)` });
  return rows.length > 0;
}

/** Returns the number of created rows by name; null when the data of this seed exists. */
export function fillDemo(db: Db, { size, seed, at, progress }: DemoOptions): Promise<Record<string, number> | null> {
  return db.transaction(async (tx) => {
    await tx.query({
      text: `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local work_mem = '256MB'; set local gin_pending_list_limit = '1GB';
set local demo.seed = '${Math.trunc(seed)}'; set local demo.at = '${at.toISOString()}'; ${randomFunctions}`,
    });
    if (await isThere(tx)) return null;
    const counts: Record<string, number> = {};
    const steps = [
      ...organisation,
      ...machines,
      ...matches,
      ...protocols,
      ...desk,
      ...reports,
      ...readings(size),
      ...matchPackets,
      ...software,
      ...campaigns,
    ];
    let started = performance.now();
    for (const [n, step] of steps.entries()) {
      const text = step.what ? `with made as (${step.text} returning 1) select count(*)::int as count from made` : step.text;
      const [row] = await tx.query<{ count?: number }>({ text, values: step.values?.(size) ?? [] });
      if (!step.what) continue;
      const sum = (counts[step.what] = (counts[step.what] ?? 0) + (row?.count ?? 0));
      if (steps[n + 1]?.what === step.what) continue;
      progress?.(`${sum.toLocaleString('en')} ${step.what} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
      started = performance.now();
    }
    await tx.query({ text: 'drop table demo_device, demo_person, demo_match, demo_unit' });
    // One change per entity and tenant is enough to refresh the lists that a running server and open pages have.
    await tx.query({
      text: `insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select pg_temp.demo_id('tenant', n), 'create', entity, pg_temp.demo_id('tenant', n)::text, uuidv7()
from generate_series(1, $1::int) n, unnest($2::text[]) entity`,
      values: [size.tenants, resources.map(({ name }) => name)],
    });
    for (const channel of ['rules', 'devices', 'people'] as const) await notify(tx, channel);
    return counts;
  });
}
