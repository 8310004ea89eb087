/** Collects the portal's figures: time to rows, search, scrolling, code per screen, call chains and scores of three pages. */
import type { Browser, BrowserContext } from '@playwright/test';
import { en } from '@cloudfit/contract/messages/en.ts';
import { percentile, type BenchRow } from '../load.ts';
import { scorePage, type PageScore } from './page-score.ts';
import { addedScripts, callChain, median, patienceMs, scrollRows, timeSearches, timesToRows, type ScrollFigures } from './portal-visits.ts';
import { titleOf } from './work-unit-page.ts';

export const viewport = { width: 1_440, height: 900 };
const visits = 5;
const searches = 20;
const searchDebounceMs = 250;
const manyRows = 500;
const scrolls = 3;

export const kilobytes = (bytes: number): number => Math.round(bytes / 100) / 10;

interface VisitedInstallation {
  url: string;
  /** The cookies and storage of a signed-in browser. */
  storageState: Awaited<ReturnType<BrowserContext['storageState']>>;
  /** Number of work units in the database. */
  units: number;
}

const rounded = (values: readonly number[]): string => values.map(Math.round).join(' ');

async function benchRows(fresh: () => Promise<BrowserContext>, list: string): Promise<BenchRow[]> {
  const empty: number[] = [];
  const warm: number[] = [];
  const newTab: number[] = [];
  for (let n = 0; n < visits; n++) {
    const context = await fresh();
    const [first = 0, ...again] = await timesToRows(context, list, 3);
    empty.push(first);
    warm.push(...again);
    newTab.push(...(await timesToRows(context, list, 1)));
    await context.close();
  }
  return [
    {
      name: `navigation to the rows of the work unit list, empty cache, ${visits} times`,
      figures: { 'median ms': median(empty), each: rounded(empty) },
    },
    {
      name: 'the same again in the same tab, twice after each; a new tab also pays for its own process',
      figures: { 'median ms': median(warm), each: rounded(warm), 'new tab median ms': median(newTab) },
    },
  ];
}

async function benchGrid(fresh: () => Promise<BrowserContext>, list: string, units: number): Promise<BenchRow[]> {
  const context = await fresh();
  const page = await context.newPage();
  await page.goto(list);
  await page.waitForSelector('tr[data-row]');
  const texts = Array.from({ length: searches + 2 }, (_, n) => titleOf(1_000 + n * 7));
  const times = (await timeSearches(page, texts, searchDebounceMs)).slice(2);
  await page.goto(`${list}?rows=${manyRows}`);
  await page.waitForFunction((count) => document.querySelectorAll('tr[data-row]').length >= count, manyRows, {
    timeout: patienceMs,
  });
  await page.waitForTimeout(1_000);
  // Other work on the machine can delay a frame, so the median of several rounds counts.
  const rounds: ScrollFigures[] = [];
  for (let n = 0; n < scrolls; n++) rounds.push(await scrollRows(page));
  const longest = rounds.map(({ frames }) => Math.round(Math.max(...frames)));
  const { rows, frames, mainThreadMs } = rounds.toSorted((a, b) => Math.max(...a.frames) - Math.max(...b.frames))[
    scrolls >> 1
  ] as ScrollFigures;
  await context.close();
  return [
    {
      name: `search in the work unit list, ${units.toLocaleString('en')} work units, after the debounce of ${searchDebounceMs} ms, ${searches} times`,
      figures: { 'p95 ms': percentile(times, 0.95), 'p50 ms': percentile(times, 0.5) },
    },
    {
      name: `${rows} rows of the work unit list, scrolled from top to bottom in ${frames.length} frames, ${scrolls} times`,
      figures: {
        'longest frame ms': median(longest),
        'longest of each': longest.join(' '),
        'p50 ms': percentile(frames, 0.5),
        'p99 ms': percentile(frames, 0.99),
        'main thread CPU ms a frame': mainThreadMs,
      },
    },
  ];
}

async function benchScreens(fresh: () => Promise<BrowserContext>, url: string, home: string): Promise<BenchRow[]> {
  const list = `${url}/workunitsv2`;
  const rows = 'tr[data-row]';
  const first = await fresh();
  const start = await first.newPage();
  await start.goto(home);
  const menu = start.getByRole('navigation', { name: en.shell.mainMenu });
  await menu.getByRole('link', { name: en.shell.items.workUnits }).waitFor();
  const paths = await menu.getByRole('link').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  await first.close();
  const context = await fresh();
  const [, ...added] = await addedScripts(context, [list, ...new Set(paths.filter((path) => path !== list))]);
  await context.close();

  const looks = [
    { name: 'home', address: home, complete: '.units li a, .units .state' },
    { name: 'list', address: list, complete: rows },
    { name: 'panel', address: '', complete: '.side-panel .feed .entry' },
  ];
  const chains: Record<string, string> = {};
  const scores: Record<string, PageScore> = {};
  let deepest = 0;
  for (const look of looks) {
    if (look.name === 'panel') {
      const visit = await fresh();
      const page = await visit.newPage();
      await page.goto(list);
      look.address = `${list}?workUnitId=${await page.locator(rows).first().getAttribute('data-row')}`;
      await visit.close();
    }
    const chain = await callChain(fresh, look.address, (page) => page.waitForSelector(look.complete));
    chains[look.name] = chain.join(' > ');
    deepest = Math.max(deepest, chain.length);
    const again = await fresh();
    scores[look.name] = await scorePage(again, look.address, (page) => page.waitForSelector(look.complete));
    await again.close();
  }
  const all = Object.entries(scores);
  return [
    {
      name: 'JavaScript over the wire that a further screen adds to the list, with what it fetches while nobody waits',
      figures: {
        'most gzip kB': Math.max(...added.map(({ bytes }) => kilobytes(bytes))),
        ...Object.fromEntries(added.map(({ address, bytes }) => [new URL(address).pathname.split('/').at(-1) ?? '', kilobytes(bytes)])),
      },
    },
    {
      name: 'calls of the API that begin after another was answered, until home, list and panel are complete',
      figures: { 'calls deep': deepest, ...chains },
    },
    {
      name: "home, list and panel as Lighthouse's desktop preset weighs them, signed in, empty cache",
      figures: {
        'least performance': Math.min(...all.map(([, score]) => score.performance)),
        ...Object.fromEntries(
          all.map(([name, s]) => [
            name,
            `${s.performance} (first paint ${Math.round(s.firstPaint)} ms, largest ${Math.round(s.largestPaint)} ms, blocked ${Math.round(s.blocked)} ms and before it ${Math.round(s.blockedBefore)}, shifted ${s.shifted.toFixed(3)})`,
          ]),
        ),
      },
    },
    {
      name: 'faults of home, list and panel: rules of axe, errors in the console, calls that failed',
      figures: {
        faults: all.reduce((sum, [, { violations, faults }]) => sum + violations.length + faults.length, 0),
        ...Object.fromEntries(all.map(([name, { violations, faults }]) => [name, [...violations, ...faults].join('; ') || 'none'])),
      },
    },
  ];
}

export async function benchVisits(browser: Browser, { url, storageState, units }: VisitedInstallation): Promise<BenchRow[]> {
  const fresh = async () => {
    const context = await browser.newContext({ viewport, storageState });
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  const list = `${url}/workunitsv2`;
  const context = await fresh();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL(/\/[0-9a-f-]{36}$/);
  const home = page.url();
  await context.close();
  return [...(await benchRows(fresh, list)), ...(await benchGrid(fresh, list, units)), ...(await benchScreens(fresh, url, home))];
}
