/** Measures reports over a million work units, compared with the sums of the same rows without medians. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type pg from 'pg';
import type { Db } from '../../server/src/db/db.ts';
import { countUnitDays } from '../../server/src/features/work-units/reports/count-days.ts';
import { percentile, type BenchRow } from '../load.ts';
import { caller } from '../site.ts';

const calls = 20;

/** Milliseconds of each call, one after another, after two that warm up. */
async function times(run: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let n = -2; n < calls; n += 1) {
    const started = performance.now();
    await run();
    if (n >= 0) durations.push(performance.now() - started);
  }
  return durations;
}

/** Reports of all tenants and of the large one, for periods up to a year with the year before. */
export async function reportsOverHttp(
  { port, bearer }: { port: number; bearer: string },
  client: pg.Client,
  db: Db,
  tenant: string,
): Promise<BenchRow> {
  const started = performance.now();
  await countUnitDays(db);
  const countSeconds = Math.round((performance.now() - started) / 1_000);
  await client.query('vacuum analyze work_unit_day');
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  const { call, close } = caller(`http://127.0.0.1:${port}`, bearer);
  const figures: Record<string, number> = {};
  for (const days of [30, 365])
    for (const by of ['tenant', 'severity', 'person'])
      for (const [scope, query] of Object.entries({ all: '', one: `&tenantId=${tenant}` }))
        figures[`${scope} by ${by}, ${days} days p95 ms`] = percentile(
          await times(() => call('GET', `/v1/workUnits/report?from=${day(days - 1)}&to=${day(0)}&by=${by}${query}`)),
          0.95,
        );
  close();
  const slowest = Math.max(...Object.values(figures));
  const bare = percentile(
    await times(() =>
      client.query({
        name: 'bare-report',
        text: `select key, day < $1::date as is_before, sum(opened), sum(open), sum(resolve_met), sum(octet_length(resolve_seconds)) from work_unit_day
          where dimension = 'person' and day between $2::date and $3::date group by 1, 2`,
        values: [day(364), day(729), day(0)],
      }),
    ),
    0.95,
  );
  return {
    name: 'reports over HTTP of all tenants and of one of 100,000 units, one client',
    figures: { 'slowest p95 ms': slowest, 'bare SQL p95 ms': bare, 's to count all days': countSeconds, ...figures },
    ratio: { of: 'slowest p95 over sums of a year without medians (at most)', value: Math.round((slowest / bare) * 100) / 100 },
  };
}
