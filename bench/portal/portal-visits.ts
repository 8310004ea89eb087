/** Measures pages in the browser: time to rows, the longest chain of calls, added code, search and scrolling. */
import type { BrowserContext, Page } from '@playwright/test';

const rowSelector = 'tr[data-row]';
/** The timeout, long enough for a busy machine. */
export const patienceMs = 120_000;

/** Records when the first rows are painted. Runs before the page's scripts. */
function watchRows(selector: string): void {
  const look = (): void => {
    if (document.querySelector(selector) === null) {
      requestAnimationFrame(look);
      return;
    }
    // A message that is posted before the frame is painted arrives after the paint.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => Object.assign(globalThis, { rowsAt: performance.now() });
    port2.postMessage(null);
  };
  requestAnimationFrame(look);
}

/** Milliseconds from each navigation of one new tab to the frame with the first rows. */
export async function timesToRows(context: BrowserContext, address: string, visits: number): Promise<number[]> {
  const page = await context.newPage();
  await page.addInitScript(watchRows, rowSelector);
  const times: number[] = [];
  for (let n = 0; n < visits; n++) {
    await page.goto(address);
    const at = await page.waitForFunction(() => (globalThis as { rowsAt?: number }).rowsAt, undefined, { timeout: patienceMs });
    times.push(Number(await at.jsonValue()));
    // Gives the page time to load the rest, so that this does not run during the next visit.
    await page.waitForTimeout(500);
  }
  await page.close();
  return times;
}

export const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

interface CallTiming {
  path: string;
  from: number;
  until: number;
}

/** The longest chain of calls in which each call starts after the previous one was answered. */
function deepest(calls: readonly CallTiming[]): readonly CallTiming[] {
  let longest: readonly CallTiming[] = [];
  const chains: (readonly CallTiming[])[] = [];
  for (const call of calls.toSorted((a, b) => a.from - b.from)) {
    const before = chains
      .filter((chain) => (chain.at(-1)?.until ?? 0) <= call.from)
      .reduce<readonly CallTiming[]>((longest, chain) => (chain.length > longest.length ? chain : longest), []);
    const chain = [...before, call];
    chains.push(chain);
    if (chain.length > longest.length) longest = chain;
  }
  return longest;
}

/**
 * The paths of the longest chain of API calls of a first visit. Out of three visits, the shortest chain counts: calls that
 * depend on each other form a chain in each visit, other calls only by chance.
 */
export async function callChain(
  fresh: () => Promise<BrowserContext>,
  address: string,
  complete: (page: Page) => Promise<unknown>,
): Promise<readonly string[]> {
  const chains: (readonly string[])[] = [];
  for (let n = 0; n < 3; n++) {
    const context = await fresh();
    chains.push(await chainOfVisit(context, address, complete));
    await context.close();
  }
  return chains.reduce((shortest, chain) => (chain.length < shortest.length ? chain : shortest));
}

async function chainOfVisit(context: BrowserContext, address: string, complete: (page: Page) => Promise<unknown>): Promise<string[]> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const open = new Map<string, CallTiming>();
  const calls: CallTiming[] = [];
  client.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    const { pathname } = new URL(request.url);
    if (/^\/(v1|api)\//.test(pathname)) open.set(requestId, { path: pathname, from: timestamp, until: Infinity });
  });
  client.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const call = open.get(requestId);
    if (call) calls.push({ ...call, until: timestamp });
  });
  await page.goto(address);
  await complete(page);
  const chain = deepest(calls);
  await page.close();
  return chain.map(({ path }) => path);
}

/** The bytes of JavaScript over the wire that each address adds to those of the addresses before it. */
export async function addedScripts(context: BrowserContext, addresses: readonly string[]): Promise<{ address: string; bytes: number }[]> {
  const page = await context.newPage();
  await page.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' });
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Set<string>();
  let bytes = 0;
  client.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.mimeType.includes('javascript') && !response.fromDiskCache) scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  const added: { address: string; bytes: number }[] = [];
  for (const address of addresses) {
    bytes = 0;
    await page.goto(address);
    await page.waitForTimeout(2_000);
    added.push({ address, bytes });
  }
  await page.close();
  return added;
}

/** Milliseconds from the last key of a search to the frame with its rows, without the debounce time. */
export async function timeSearches(page: Page, texts: readonly string[], debounceMs: number): Promise<number[]> {
  const times: number[] = [];
  for (const text of texts) {
    const shown = page.evaluate(
      ({ wanted: expectedText, selector, patience }) =>
        new Promise<number>((resolve, reject) => {
          document.querySelector('[data-search]')?.addEventListener(
            'input',
            ({ timeStamp }) => {
              const look = (): void => {
                const rows = [...document.querySelectorAll(selector)];
                const isFound = rows.length > 0 && rows.every((row) => row.textContent?.includes(expectedText));
                if (performance.now() - timeStamp > patience) reject(new Error(`Nothing was found for ${expectedText}.`));
                else if (isFound) resolve(performance.now() - timeStamp);
                else requestAnimationFrame(look);
              };
              requestAnimationFrame(look);
            },
            { once: true },
          );
        }),
      { wanted: text, selector: rowSelector, patience: patienceMs },
    );
    await page.locator('[data-search]').fill(text);
    times.push((await shown) - debounceMs);
  }
  return times;
}

export interface ScrollFigures {
  rows: number;
  /** Milliseconds between two frames. */
  frames: number[];
  /** CPU time of the page's main thread per frame, which does not depend on other work on the machine. */
  mainThreadMs: number;
}

/** Scrolls the grid from top to bottom in the steps of a mouse wheel. */
export async function scrollRows(page: Page): Promise<ScrollFigures> {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async (): Promise<number> =>
    (await client.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await taskSeconds();
  const scrolled = await page.evaluate(
    (selector) =>
      new Promise<Omit<ScrollFigures, 'mainThreadMs'>>((resolve) => {
        const place = document.querySelector('.table-scroll');
        const rows = document.querySelectorAll(selector).length;
        place?.scrollTo(0, 0);
        const frames: number[] = [];
        let last = 0;
        const step = (now: number): void => {
          if (last > 0) frames.push(now - last);
          last = now;
          if (!place || place.scrollTop + place.clientHeight >= place.scrollHeight - 1) resolve({ rows, frames });
          else {
            place.scrollTop += 120;
            requestAnimationFrame(step);
          }
        };
        requestAnimationFrame(step);
      }),
    rowSelector,
  );
  const mainThreadMs = (((await taskSeconds()) - before) * 1_000) / scrolled.frames.length;
  await client.detach();
  return { ...scrolled, mainThreadMs: Math.round(mainThreadMs * 10) / 10 };
}
