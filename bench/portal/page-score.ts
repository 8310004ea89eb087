/**
 * Scores a page with the weights and curves of Lighthouse's desktop preset, from what Chromium reports. Lighthouse is no
 * dependency, because it installs 85 packages (176 MB), one of which reports errors to a third party.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { axeFindings } from '../../e2e/axe.ts';

const settleMs = 1_500;
/** The network of the desktop preset: 40 ms round trips, 10 Mbit/s. The processor is not slowed down. */
const network = { offline: false, latency: 40, downloadThroughput: 1_280_000, uploadThroughput: 1_280_000 };

/** The values that score 0.9 and 0.5, and the weight. The largest paint, which is later, takes the place of the speed index. */
const curves = {
  firstPaint: { p10: 934, median: 1_600, weight: 0.1 },
  speed: { p10: 1_311, median: 2_300, weight: 0.1 },
  largestPaint: { p10: 1_200, median: 2_400, weight: 0.25 },
  blocked: { p10: 150, median: 350, weight: 0.3 },
  shifted: { p10: 0.1, median: 0.25, weight: 0.25 },
} as const;

/** The error function after Abramowitz and Stegun 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

function scoreOf(value: number, { p10, median }: { p10: number; median: number }): number {
  if (value <= 0) return 1;
  return (1 - erf((Math.log(value / median) * 0.9061938024368232) / -Math.log(p10 / median))) / 2;
}

interface Paints {
  firstPaint: number;
  largestPaint: number;
  /** Blocking time of tasks after the first paint, as Lighthouse counts it. */
  blocked: number;
  /** Blocking time of tasks before the first paint; it is not part of the score. */
  blockedBefore: number;
  shifted: number;
}

interface ObservedPaints extends Omit<Paints, 'blocked' | 'blockedBefore'> {
  longTasks: { from: number; until: number }[];
}

export interface PageScore extends Paints {
  /** A score from 0 to 100. */
  performance: number;
  /** The findings of axe. */
  violations: string[];
  /** The console errors, uncaught errors and failed calls. */
  faults: string[];
}

/** Runs in the page and collects paints and long tasks for `paintsOf`. */
function observe(): void {
  const observed: ObservedPaints = { firstPaint: 0, largestPaint: 0, shifted: 0, longTasks: [] };
  Object.assign(globalThis, { seenPaints: observed });
  const on = (type: string, see: (entry: PerformanceEntry) => void): void =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  on('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') observed.firstPaint = entry.startTime;
  });
  on('largest-contentful-paint', (entry) => (observed.largestPaint = entry.startTime));
  on('longtask', (entry) => observed.longTasks.push({ from: entry.startTime, until: entry.startTime + entry.duration }));
  on('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) observed.shifted += value;
  });
}

/** The sum of each task's time beyond 50 ms. The caller splits a task that contains the first paint into two. */
const blocking = (tasks: ObservedPaints['longTasks']): number =>
  tasks.reduce((sum, { from, until }) => sum + Math.max(0, until - from - 50), 0);

async function paintsOf(page: Page): Promise<Paints> {
  const { longTasks, ...paints } = await page.evaluate<ObservedPaints>('seenPaints');
  const { firstPaint } = paints;
  return {
    ...paints,
    blocked: blocking(longTasks.map(({ from, until }) => ({ from: Math.max(from, firstPaint), until }))),
    blockedBefore: blocking(longTasks.map(({ from, until }) => ({ from, until: Math.min(until, firstPaint) }))),
  };
}

/** Loads a page and scores it. `context` must be signed in, with an empty cache. */
export async function scorePage(context: BrowserContext, address: string, complete: (page: Page) => Promise<unknown>): Promise<PageScore> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('response', (answer) => answer.status() >= 400 && faults.push(`${answer.status()} ${answer.url()}`));
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', network);
  await page.addInitScript(observe);
  await page.goto(address);
  await complete(page);
  await page.waitForTimeout(settleMs);
  const paints = await paintsOf(page);
  const parts = { ...paints, speed: paints.largestPaint };
  const performance = Object.entries(curves).reduce(
    (sum, [name, curve]) => sum + curve.weight * scoreOf(parts[name as keyof typeof curves], curve),
    0,
  );
  const violations = await axeFindings(page);
  await page.close();
  return { ...paints, performance: Math.round(performance * 100), violations, faults };
}
