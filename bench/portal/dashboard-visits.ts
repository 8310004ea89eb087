/**
 * Measures a dashboard of thirty numbers with lines in the browser, compared with an empty one: the time until it is rendered,
 * and a minute of live updates.
 */
import type { BrowserContext, Page } from '@playwright/test';
import type pg from 'pg';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { percentile, type BenchRow } from '../load.ts';
import { median, patienceMs } from './portal-visits.ts';
import { addDevices, addToken, caller, findHome, type Call } from '../site.ts';

const tileCount = 30;
const visits = 7;
const historyHours = 6;
const packetEveryMs = 120_000;
const liveEveryMs = 5_000;

interface BoardPage {
  address: string;
  /** How many tiles have a number. */
  numbers: number;
}

type ReportMetrics = (at: number) => Promise<void>;

async function makeBoards(
  url: string,
  client: pg.Client,
): Promise<{ full: BoardPage; empty: BoardPage; report: ReportMetrics; close: () => void }> {
  const home = await findHome(client);
  const devices = await addDevices(client, home, tileCount);
  const { call, close } = caller(url, await addToken(client, home.tenantId));
  const packetsAt = (at: number) =>
    devices.map(({ deviceId }, n) => ({
      entityId: deviceId,
      timestamp: new Date(at).toISOString(),
      message: { Metrics: { Cpu: (n * 13 + Math.floor(at / liveEveryMs)) % 90 } },
    }));
  const report: ReportMetrics = async (at) => void (await call('POST', '/v1/packets', packetsAt(at)));
  const now = Date.now();
  for (let at = now - historyHours * 3_600_000; at < now; at += packetEveryMs) await report(at);
  const tiles = devices.map(({ deviceId, name }, n) => ({
    id: `tile-${n}`,
    kind: 'number',
    title: '',
    x: (n % 6) * 2,
    y: Math.floor(n / 6) * 3,
    w: 2,
    h: 3,
    series: [{ entityId: deviceId, metric: 'Cpu', label: name }],
  }));
  const make = async (name: string, of: readonly object[], create: Call): Promise<BoardPage> => {
    const { dashboardId } = (await create('PUT', '/v1/dashboards', {
      name,
      tenantId: home.tenantId,
      sharing: 'Everybody sees it',
      tiles: of,
    })) as { dashboardId: string };
    return { address: `${url}/${home.tenantId}/dashboards/${dashboardId}`, numbers: of.length };
  };
  return { full: await make('Thirty numbers', tiles, call), empty: await make('Empty', [], call), report, close };
}

/** Runs in the page before its scripts: records the long tasks, and when all numbers or the empty dashboard are painted. */
function watchBoard(numbers: number): void {
  const longTasks: { from: number; until: number }[] = [];
  Object.assign(globalThis, { longTasks });
  new PerformanceObserver((list) =>
    list.getEntries().forEach(({ startTime, duration }) => longTasks.push({ from: startTime, until: startTime + duration })),
  ).observe({ type: 'longtask', buffered: true });
  const isRendered = () =>
    numbers > 0
      ? document.querySelectorAll('.dash-tile .tile-number').length >= numbers
      : document.querySelector('.dash-page .state') !== null;
  const look = (): void => {
    if (!isRendered()) {
      requestAnimationFrame(look);
      return;
    }
    // A message that is posted before the frame is painted arrives after the paint.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => Object.assign(globalThis, { renderedAt: performance.now() });
    port2.postMessage(null);
  };
  requestAnimationFrame(look);
}

async function mainThreadMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const seconds = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await seconds();
  await work();
  const ms = ((await seconds()) - before) * 1_000;
  await session.detach();
  return Math.round(ms);
}

interface RenderTimes {
  ms: number;
  cpuMs: number;
}

async function openBoard(page: Page, { address, numbers }: BoardPage): Promise<number> {
  await page.addInitScript(watchBoard, numbers);
  await page.goto(address);
  const rendered = await page.waitForFunction(() => (globalThis as { renderedAt?: number }).renderedAt, undefined, { timeout: patienceMs });
  return Number(await rendered.jsonValue());
}

async function visit(fresh: () => Promise<BrowserContext>, board: BoardPage): Promise<RenderTimes> {
  const context = await fresh();
  const page = await context.newPage();
  let ms = 0;
  const cpuMs = await mainThreadMs(page, async () => (ms = await openBoard(page, board)));
  await context.close();
  return { ms, cpuMs };
}

/** Watches a dashboard for a minute while packets arrive. `blocked`: the sum of each task's time beyond 50 ms. */
async function watchMinute(fresh: () => Promise<BrowserContext>, board: BoardPage, report: ReportMetrics) {
  const context = await fresh();
  const page = await context.newPage();
  await openBoard(page, board);
  await page.waitForTimeout(3_000);
  const from = await page.evaluate(() => performance.now());
  const timer = setInterval(() => void report(Date.now()).catch(() => undefined), liveEveryMs);
  const cpuMs = await mainThreadMs(page, () => page.waitForTimeout(minuteMs));
  clearInterval(timer);
  const tasks = await page.evaluate(() => (globalThis as unknown as { longTasks: { from: number; until: number }[] }).longTasks);
  await context.close();
  const blocked = tasks.filter((task) => task.from >= from).reduce((sum, task) => sum + Math.max(0, task.until - task.from - 50), 0);
  return { blocked: Math.round(blocked), cpuMs };
}

export async function benchDashboards(fresh: () => Promise<BrowserContext>, url: string, client: pg.Client): Promise<BenchRow[]> {
  const { full, empty, report, close } = await makeBoards(url, client);
  const rendered: { full: RenderTimes[]; empty: RenderTimes[] } = { full: [], empty: [] };
  try {
    // The full and the empty dashboard in turn, so that a disturbance of the machine affects both.
    for (let n = 0; n < visits; n++) {
      rendered.full.push(await visit(fresh, full));
      rendered.empty.push(await visit(fresh, empty));
    }
    const live = await watchMinute(fresh, full, report);
    const still = await watchMinute(fresh, empty, report);
    const of = (which: 'full' | 'empty', what: keyof RenderTimes) => median(rendered[which].map((item) => item[what]));
    return [
      {
        name: `a dashboard of ${tileCount} numbers with lines of ${historyHours} hours, empty cache, ${visits} times, in turn with an empty dashboard`,
        figures: {
          'median ms': of('full', 'ms'),
          'empty dashboard ms': of('empty', 'ms'),
          'p95 ms': Math.round(
            percentile(
              rendered.full.map(({ ms }) => ms),
              0.95,
            ),
          ),
          each: rendered.full.map(({ ms }) => Math.round(ms)).join(' '),
          'main thread CPU ms': of('full', 'cpuMs'),
          'of an empty dashboard': of('empty', 'cpuMs'),
        },
        ratio: { of: 'an empty dashboard (at most)', value: Math.round((of('full', 'ms') / of('empty', 'ms')) * 100) / 100 },
      },
      {
        name: `a minute of that dashboard while ${tileCount} packets come in every ${liveEveryMs / 1_000} s`,
        figures: {
          'blocked ms': live.blocked,
          'empty dashboard blocked ms': still.blocked,
          'main thread CPU ms': live.cpuMs,
          'of an empty dashboard': still.cpuMs,
        },
      },
    ];
  } finally {
    close();
  }
}
