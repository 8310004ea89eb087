import { expect, it } from 'vitest';
import type { InstallationReport, InstallationReports } from '@cloudfit/contract/agent/installations.ts';
import { installationReportsMax } from '@cloudfit/contract/agent/installations.ts';
import type { Client } from '../connection/client.ts';
import { createReportQueue } from './reports.ts';

const report = (packageId: string, status: string, progress: number, wishNumber = 1) =>
  ({ packageId, packageVersionId: 'v1', wishNumber, status, progress, detail: null }) as unknown as InstallationReport;
const textOf = ({ packageId, status, progress, wishNumber }: InstallationReport) => `${packageId} ${status} ${progress} ${wishNumber}`;

/** A queue whose calls wait for `answer`. */
function queueOf() {
  const [stopping, logged] = [new AbortController(), [] as string[]];
  const sent: string[][] = [];
  const details: (string | null)[] = [];
  const answers: ((answer: { status: number } | null) => void)[] = [];
  const request = (_method: string, _path: string, signal: AbortSignal, options: { body?: unknown }) => {
    const { reports } = options.body as InstallationReports;
    sent.push(reports.map(textOf));
    details.push(...reports.map(({ detail }) => detail));
    return new Promise((resolve) => {
      answers.push(resolve);
      signal.addEventListener('abort', () => resolve(null));
    });
  };
  const queue = createReportQueue({ client: { request } as unknown as Client, log: (_level, text) => void logged.push(text) });
  const answer = async (status: number): Promise<void> => {
    answers.shift()?.({ status });
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { queue, sent, details, answer, stopping, logged };
}

it('replaces the progress of a package that waits, not what is being sent, nor another status or wish', async () => {
  const { queue, sent, answer, stopping, logged } = queueOf();
  queue.add(report('p1', 'Downloading', 0));
  queue.add(report('p2', 'Downloading', 0));
  queue.add(report('p1', 'Downloading', 50));
  queue.add(report('p2', 'Installing', 0));
  queue.add(report('p2', 'Installing', 0, 2));
  const sending = queue.send(stopping.signal);
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]).toEqual(['p1 Downloading 50 1', 'p2 Downloading 0 1', 'p2 Installing 0 1', 'p2 Installing 0 2']);
  // The last of p1 is on its way: the next one follows it, and is replaced in its turn.
  queue.add(report('p1', 'Downloading', 70));
  queue.add(report('p1', 'Downloading', 90));
  await answer(200);
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]).toEqual(['p1 Downloading 90 1']);
  await answer(404);
  expect(logged).toEqual([]);
  queue.add(report('p3', 'Failed', 0));
  await expect.poll(() => sent.length).toBe(3);
  await answer(400);
  expect(logged).toHaveLength(1);
  stopping.abort();
  await sending;
});

it('drops the oldest that are not being sent when too many wait, and sends so many at once', async () => {
  const { queue, sent, answer, stopping } = queueOf();
  queue.add(report('first', 'Failed', 0));
  const sending = queue.send(stopping.signal);
  await expect.poll(() => sent.length).toBe(1);
  for (let n = 0; n < 1_001; n += 1) queue.add(report(`p${n}`, 'Failed', 0));
  await answer(200);
  await expect.poll(() => sent.length).toBe(2);
  expect([sent[1]?.length, sent[1]?.[0]]).toEqual([installationReportsMax, 'p2 Failed 0 1']);
  stopping.abort();
  await sending;
});

it('sends a reason without what would make the server refuse every report of the call', async () => {
  const { queue, details, stopping } = queueOf();
  queue.add({ ...report('p1', 'InstallFailed', 0), detail: `N\0o\0 ${'x'.repeat(3_996)}😀 space` });
  const sending = queue.send(stopping.signal);
  await expect.poll(() => details).toEqual([`No ${'x'.repeat(3_996)}\ufffd`]);
  stopping.abort();
  await sending;
});
