/** One person with many tabs, and a server that goes away: no tab waits for another, and no page says what is not so. */
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { administratorToken, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

/** More than the six connections that a browser opens to a server over HTTP/1.1. */
const tabCount = 12;

let world: World;
let page: Page;
let home = '';
let context: BrowserContext;
const tabs: Page[] = [];

signInBeforeAll((session) => {
  ({ world, page, home } = session);
  context = page.context();
});

async function makeUnit(title: string): Promise<number> {
  const answer = await fetch(`${world.url}/v1/workunits`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${administratorToken(world)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title, description: 'As it was.', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.slice(1) }),
  });
  return ((await answer.json()) as { workUnitId: number }).workUnitId;
}
const rowOf = (on: Page, title: string) => on.getByRole('row').filter({ hasText: title });

test('many tabs load, follow changes and acknowledge over one stream', async () => {
  const streams = new Set<unknown>();
  context.on('request', (request) => request.url().includes('/v1/changes') && streams.add(request));
  context.on('requestfinished', (request) => streams.delete(request));
  context.on('requestfailed', (request) => streams.delete(request));
  for (let at = 0; at < tabCount; at += 1) {
    const tab = await context.newPage();
    tabs.push(tab);
    await tab.goto(`${world.url}${home}/workunitsv2`);
    await expect(tab.getByRole('heading', { name: 'Work Units' }).first()).toBeVisible();
  }
  const title = 'Pump 4 does not answer';
  await makeUnit(title);
  for (const tab of tabs) await expect(rowOf(tab, title)).toBeVisible();
  expect(streams.size).toBeLessThanOrEqual(1);

  const last = tabs.at(-1) ?? page;
  await rowOf(last, title)
    .getByRole('button', { name: /\(ack\)/ })
    .click();
  await expect(last.getByText(/^Work unit #\d+ acknowledged\.$/)).toBeVisible();
  for (const tab of tabs) await expect(rowOf(tab, title)).toHaveCount(0);
});

test('the stream goes on in another tab after the first ones are closed', async () => {
  await page.close();
  for (const tab of tabs.splice(0, tabCount - 2)) await tab.close();
  const title = 'Fan is loud';
  await makeUnit(title);
  for (const tab of tabs) await expect(rowOf(tab, title)).toBeVisible();
});

test('a server that hangs leaves a unit pending and takes it back; the tab says since when it is not answered', async () => {
  const title = 'Door stands open';
  await makeUnit(title);
  const [tab = page] = tabs;
  await expect(rowOf(tab, title)).toBeVisible();
  process.kill(world.pid(), 'SIGSTOP');
  await rowOf(tab, title)
    .getByRole('button', { name: /\(ack\)/ })
    .click();
  await expect(rowOf(tab, title).getByText('Acknowledging…').first()).toBeVisible();
  const bar = tab.getByRole('status').filter({ hasText: /The server does not answer\. *What you see is from \d\d:\d\d:\d\d/ });
  await expect(bar).toBeVisible();
  await expect(tab.getByText(/^The server did not confirm that work unit #\d+ is acknowledged/)).toBeVisible();
  await expect(rowOf(tab, title).getByText('New', { exact: true }).first()).toBeVisible();

  process.kill(world.pid(), 'SIGCONT');
  await expect(bar).toHaveCount(0);
});
