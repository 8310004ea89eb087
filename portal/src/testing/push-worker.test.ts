/** What a click on a push message opens, in the service worker as it is served. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

const site = 'https://cloudfit.example';

/** Runs the worker with these open windows, clicks on a message, and returns what was done. */
async function click(open: readonly string[]): Promise<readonly string[]> {
  const done: string[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const self = {
    location: { origin: site },
    skipWaiting: () => undefined,
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    clients: {
      matchAll: () =>
        Promise.resolve(
          open.map((path) => ({
            url: `${site}${path}`,
            focus: () => Promise.resolve(),
            navigate: (to: string) => done.push(`${path} shows ${to}`),
          })),
        ),
      openWindow: (to: string) => done.push(`new window shows ${to}`),
    },
  };
  runInNewContext(readFileSync('portal/public/push-worker.js', 'utf8'), { self, URL });
  let waits: Promise<unknown> = Promise.resolve();
  const notification = { close: () => undefined, data: { url: '/t/workunitsv2?workUnitId=7' } };
  listeners.get('notificationclick')?.({ action: '', notification, waitUntil: (until: Promise<unknown>) => (waits = until) });
  await waits;
  return done;
}

const unit = `${site}/t/workunitsv2?workUnitId=7`;
it('is shown by a window of the portal', async () => {
  expect(await click(['/t/devices', '/t/inbox'])).toEqual([`/t/devices shows ${unit}`]);
});
it('never replaces a dashboard on a wall, or a page of the public', async () => {
  expect(await click(['/t/kiosk/1', '/wall', '/status/fjord', '/idp/account'])).toEqual([`new window shows ${unit}`]);
  expect(await click(['/t/kiosk/1', '/t/walls'])).toEqual([`/t/walls shows ${unit}`]);
});
