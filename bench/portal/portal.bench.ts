/** Measures the portal in real Chromium: code size, time to rows, panels and search results, scrolling, scores, dashboards. */
import { chromium } from '@playwright/test';
import pg from 'pg';
import { buildPortal } from '../../scripts/build-portal.mjs';
import { chromiumPath, ensureChromium } from '../../scripts/chromium.mjs';
import { serverProcess } from '../../server/src/testing/server-process.ts';
import { benchDashboards } from './dashboard-visits.ts';
import { percentile, type BenchRow } from '../load.ts';
import { addToken, caller, findHome } from '../site.ts';
import { benchVisits, kilobytes, viewport } from './portal-figures.ts';
import { descriptionOf, loadedScripts, openList, openPanels, setPassword, signInToList, titleOf } from './work-unit-page.ts';

const units = 2_000;
/** The number of work units of other tenants and earlier times, so that lists are selected from many rows. */
const olderUnits = Number(process.env['BENCH_WORK_UNITS'] ?? 1_000_000);
const otherTenants = 100;
const warmUps = 3;
const clicks = 60;

async function addWorkUnits(client: pg.Client, url: string): Promise<void> {
  const { tenantId } = await findHome(client);
  const { call, close } = caller(url, await addToken(client, tenantId));
  let createdCount = 0;
  const make = async (): Promise<void> => {
    while (createdCount < units) {
      const title = titleOf((createdCount += 1));
      await call('PUT', '/v1/workunits', {
        workUnitId: -1,
        title,
        description: descriptionOf(title),
        severityId: `Sev${createdCount % 5}`,
        workUnitTypeId: 1,
        tenantId,
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, make));
  close();
  await client.query('analyze');
}

async function addOlderUnits(client: pg.Client): Promise<void> {
  await client.query(
    `with made as (insert into tenant (name) select 'Tenant ' || n from generate_series(1, ${otherTenants}) n returning tenant_id),
     numbered as (select array_agg(tenant_id) as ids from made)
     insert into work_unit (tenant_id, title, description, severity_id, state_id, work_unit_type_id, created, created_by, modified_by, resolved)
     select ids[1 + n % ${otherTenants}], 'Sensor ' || n || ' is out of range', 'Opened by a rule after three packets in a row.', 'Sev' || (n * 7 % 5),
       case when n % 50 = 0 then 'New' when n % 20 = 0 then 'InProgress' else 'Closed' end, 1, now() - n * interval '37 seconds' - interval '1 day', 'bench', 'bench',
       case when n % 50 <> 0 and n % 20 <> 0 then now() - n * interval '37 seconds' end
     from generate_series(1, ${olderUnits}) n, numbered`,
  );
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const missing = buildPortal() ?? ensureChromium();
  if (missing !== undefined) throw new Error(missing);
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    await server.start();
    await client.connect();
    await addOlderUnits(client);
    await addWorkUnits(client, server.url);
    await setPassword(browser, server.link());

    const context = await browser.newContext({ viewport });
    const visit = await loadedScripts(context, 'gzip', (page) => signInToList(page, server.url));
    const storageState = await context.storageState();
    const measured = async (encoding: 'gzip' | 'br') => {
      const fresh = await browser.newContext({ viewport, storageState });
      const loaded = await loadedScripts(fresh, encoding, (page) => openList(page, server.url));
      await fresh.close();
      return loaded;
    };
    const gzip = await measured('gzip');
    const brotli = await measured('br');

    const page = await context.newPage();
    await openList(page, server.url);
    await page.waitForTimeout(1_000);
    await openPanels(page, warmUps);
    const { times, mainThreadMs } = await openPanels(page, clicks);
    return [
      {
        name: 'JavaScript over the wire, first load of the work unit list, empty cache, with what it fetches while nobody waits',
        figures: {
          'gzip kB': kilobytes(gzip.bytes),
          'brotli kB': kilobytes(brotli.bytes),
          files: gzip.files,
          'gzip kB before the rows': kilobytes(gzip.untilRows),
          'gzip kB with sign-in': kilobytes(visit.bytes),
        },
      },
      {
        name: `click on a row to an open panel with its form filled and its history, ${clicks} rows of ${units.toLocaleString('en')}`,
        figures: {
          'p50 ms': percentile(times, 0.5),
          'p95 ms': percentile(times, 0.95),
          'most ms': Math.round(Math.max(...times)),
          'main thread CPU ms, with closing': mainThreadMs,
        },
      },
      ...(await benchVisits(browser, { url: server.url, storageState, units: olderUnits + units })),
      ...(await benchDashboards(() => browser.newContext({ viewport, storageState }), server.url, client)),
    ];
  } finally {
    await browser.close();
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
