/** Measures the work unit list in a real browser: sign-in, loaded code, time from a click to a filled panel. */
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Browser, BrowserContext, Page } from '@playwright/test';

const password = 'correct horse battery staple';
const rowSelector = 'tr[data-row]';
const idleMs = 1_500;
const patienceMs = 10_000;

export const titleOf = (n: number): string => `Gateway ${n} stopped reporting`;
export const descriptionOf = (title: string): string => `What is known of: ${title}`;

export async function setPassword(browser: Browser, link: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.fill('[name=password]', password);
  await page.fill('[name=repeated]', password);
  await page.click('[type=submit]');
  await page.waitForLoadState();
  await context.close();
}

/** Opens the list, signs in and waits for the rows. */
export async function signInToList(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/workunitsv2`);
  await page.getByRole('button', { name: en.auth.login }).click();
  await page.fill('[name=userName]', 'admin@localhost');
  await page.fill('[name=password]', password);
  await page.click('[type=submit]');
  await page.waitForSelector(rowSelector);
}

export async function openList(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/workunitsv2`);
  await page.waitForSelector(rowSelector);
}

export interface PageLoad {
  files: number;
  /** Bytes over the wire, including response headers. */
  bytes: number;
  /** Bytes that arrived before the rows were visible. */
  untilRows: number;
}

/** The JavaScript that a visit with an empty cache loads, including code that loads in the background within `idleMs`. */
export async function loadedScripts(
  context: BrowserContext,
  encoding: 'gzip' | 'br',
  visit: (page: Page) => Promise<void>,
): Promise<PageLoad> {
  const page = await context.newPage();
  await page.setExtraHTTPHeaders({ 'accept-encoding': encoding });
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Set<string>();
  let isEncoded = false;
  const loaded: PageLoad = { files: 0, bytes: 0, untilRows: 0 };
  client.on('Network.responseReceived', ({ requestId, response }) => {
    if (!response.mimeType.includes('javascript') || response.fromDiskCache) return;
    scripts.add(requestId);
    isEncoded ||= response.headers['content-encoding'] === encoding;
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!scripts.has(requestId) || encodedDataLength === 0) return;
    loaded.files += 1;
    loaded.bytes += encodedDataLength;
  });
  await visit(page);
  loaded.untilRows = loaded.bytes;
  // A fixed time: because the stream of live changes never ends, the network never becomes idle.
  await page.waitForTimeout(idleMs);
  await page.close();
  if (!isEncoded) throw new Error(`Nothing arrived as ${encoding}.`);
  return loaded;
}

/** Milliseconds from pointer-down on a row to the frame that shows the panel with its filled form and history. */
async function openPanel(page: Page, index: number): Promise<number> {
  const cell = page.locator(rowSelector).nth(index).locator('td.strong');
  const [title = ''] = /Gateway \d+ stopped reporting/.exec((await cell.textContent()) ?? '') ?? [];
  const opened = page.evaluate(
    ({ wanted: expectedTexts, patience }) =>
      new Promise<number>((resolve, reject) => {
        const isShown = (): boolean => {
          const panel = document.querySelector('.side-panel');
          const values = [...(panel?.querySelectorAll('input, textarea') ?? [])].map((input) => (input as HTMLInputElement).value);
          return panel !== null && expectedTexts.every((text) => values.includes(text)) && panel.querySelector('.feed .entry') !== null;
        };
        addEventListener(
          'pointerdown',
          ({ timeStamp }) => {
            const look = (): void => {
              if (!isShown()) {
                if (performance.now() - timeStamp > patience) reject(new Error(`The panel of ${expectedTexts[0]} is not filled.`));
                else requestAnimationFrame(look);
                return;
              }
              // A message that is posted before the frame is painted arrives after the paint.
              const { port1, port2 } = new MessageChannel();
              port1.onmessage = () => resolve(performance.now() - timeStamp);
              port2.postMessage(null);
            };
            requestAnimationFrame(look);
          },
          { once: true, capture: true },
        );
      }),
    { wanted: [title, descriptionOf(title)], patience: patienceMs },
  );
  await cell.click();
  const ms = await opened;
  await page.keyboard.press('Escape');
  await page.waitForSelector('.side-panel', { state: 'detached' });
  await page.waitForTimeout(150);
  return ms;
}

export interface PanelOpenings {
  times: number[];
  /** CPU time of the page's main thread per opening and closing, which does not depend on other work on the machine. */
  mainThreadMs: number;
}

/** Opens `count` rows, page after page, and closes each. */
export async function openPanels(page: Page, count: number): Promise<PanelOpenings> {
  const times: number[] = [];
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async (): Promise<number> =>
    (await client.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await taskSeconds();
  while (times.length < count) {
    const onPage = await page.locator(rowSelector).count();
    const first = await page.locator(rowSelector).first().getAttribute('data-row');
    for (let i = 0; i < onPage && times.length < count; i++) times.push(await openPanel(page, i));
    await page.locator('nav.pager button').last().click();
    await page.waitForFunction(
      ([selector, before]) => document.querySelector(String(selector))?.getAttribute('data-row') !== before,
      [rowSelector, first],
    );
  }
  const mainThreadMs = Math.round((((await taskSeconds()) - before) * 1_000) / count);
  await client.detach();
  return { times, mainThreadMs };
}
