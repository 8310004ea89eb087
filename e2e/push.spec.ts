/** Tests push messages in a real service worker: the button on the page, the acknowledgement, the end by Log out. */
import { expect, test, type Page, type Worker } from '@playwright/test';
import { builtInAction } from '../contract/src/enums.ts';
import { startPushService, type PushService, type TestBrowser } from '../server/src/testing/push-service.ts';
import { axeFindings } from './axe.ts';
import { apiOf } from './panel-world.ts';
import { administratorToken, secondBrowser, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home: string;
let pushes: PushService;
let browser: TestBrowser;

signInBeforeAll(
  async (session) => {
    ({ world, page, home } = session);
    pushes = await startPushService();
    browser = pushes.browser('Chromium');
    await page.context().grantPermissions(['notifications'], { origin: world.url });
    // Chromium without its vendor's push service cannot subscribe: the test's service takes its place.
    await page.addInitScript(({ endpoint, keys }) => {
      PushManager.prototype.subscribe = () => Promise.resolve({ toJSON: () => ({ endpoint, keys }) } as unknown as PushSubscription);
    }, browser);
    await page.reload();
  },
  { server: { env: { OUTBOUND_ALLOW: '127.0.0.1' } } },
);
test.afterAll(() => pushes?.close());

/** Delivers a message to the service worker as the browser does. */
async function deliver(payload: object): Promise<Worker> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error('The service worker is not there.');
  await noteShown(worker);
  const cdp = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations;
      if (one) resolve(one.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: world.url,
    registrationId: await registered,
    data: JSON.stringify(payload),
  });
  return worker;
}

interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  data: unknown;
}

interface WorkerScope {
  registration: ServiceWorkerRegistration;
  shown?: ShownNotification[];
}

/** A browser without a desktop shows no notifications, so the test records what the worker asks it to show. */
const noteShown = (worker: Worker) =>
  worker.evaluate(() => {
    const scope = self as unknown as WorkerScope;
    scope.shown = [];
    scope.registration.showNotification = (title, options) => {
      scope.shown?.push({ title, body: options?.body ?? '', tag: options?.tag ?? '', data: options?.data as unknown });
      return Promise.resolve();
    };
  });

const shown = (worker: Worker) =>
  worker.evaluate(() => (self as unknown as WorkerScope).shown?.map(({ title, body, tag }) => ({ title, body, tag })) ?? []);

test('a click subscribes the browser, a test arrives at its push service, and the page is accessible', async () => {
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'How I am notified' }).click();
  await page.getByRole('button', { name: 'Notify me in this browser' }).click();
  await expect(page.getByRole('button', { name: /^End push messages to Chrome on / })).toBeVisible();
  await page.getByRole('button', { name: 'Send me a test by Push to browsers' }).click();
  await expect(page.getByRole('region', { name: 'Does it reach you?' }).getByText('Sent', { exact: true })).toBeVisible();
  expect(pushes.received.map(({ payload }) => payload['title'])).toEqual(['Test from CloudFit']);
  // Other tests check the menu.
  expect(await axeFindings(page, ['.drawer'])).toEqual([]);
});

test('the message of a work unit is shown by the service worker and acknowledges it', async () => {
  const api = apiOf(world.url, administratorToken(world));
  const tenantId = home.slice(1);
  const personId = await page.evaluate(async () => {
    const key = Object.keys(localStorage).find((key) => key.startsWith('oidc.user:')) ?? '';
    const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token?: string };
    const answer = await fetch('/v1/currentUser', { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { personId: string }).personId;
  });
  const { protocolId } = (await api('PUT', '/v1/protocols', { name: 'Outage', tenantId })) as { protocolId: string };
  await api('PUT', '/v1/protocolActions', {
    protocolId,
    sequence: 1,
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    parameters: JSON.stringify({ Whom: 'Person', PersonId: personId }),
  });
  const unit = (await api('PUT', '/v1/workunits', {
    title: 'Pump is down',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
    protocolId,
  })) as {
    workUnitId: number;
    publicWorkUnitId: number;
  };
  await expect.poll(() => pushes.received.length).toBe(2);
  const payload = pushes.received[1]?.payload ?? {};
  const worker = await deliver(payload);
  await expect
    .poll(() => shown(worker))
    .toEqual([
      {
        title: 'Sev1: Pump is down',
        body: expect.stringMatching(
          new RegExp(`^Work unit ${unit.publicWorkUnitId}, New, My organisation\\nSince \\d`),
        ) as unknown as string,
        tag: `unit-${unit.workUnitId}`,
      },
    ]);
  await worker.evaluate(() => {
    const [notification] = (self as unknown as WorkerScope).shown ?? [];
    const click = Object.assign(new Event('notificationclick'), {
      notification: { data: notification?.data, close: () => undefined },
      action: 'acknowledge',
      waitUntil: () => undefined,
    });
    self.dispatchEvent(click);
  });
  await expect
    .poll(async () => ((await api('GET', `/v1/workunits(${unit.workUnitId})`, undefined)) as { stateId: string }).stateId)
    .toBe('Acknowledged');
  await expect.poll(async () => (await shown(worker)).map((line) => line.title)).toEqual(['Sev1: Pump is down', 'Acknowledged']);
});

test('Log out ends the push messages to the browser', async ({ browser: chromium }) => {
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/user\/login/);
  const { context, page: second } = await secondBrowser(chromium, world);
  await second.goto(`${world.url}${home}/notifications`);
  await expect(second.getByText('None yet.')).toBeVisible();
  await context.close();
});
