/** An operator's day against a real server and a real mail server: a unit opened, a sound, a customer told by mail, a report by mail. */
import type { AddressInfo } from 'node:net';
import { expect, test, type Page } from '@playwright/test';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { joinEmbedded } from '../server/src/db/embedded/embedded.ts';
import type { Api } from './panel-world.ts';
import { tokenApi } from './screen-world.ts';
import { addPerson, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let api: Api;
let mails: SMTPServer;
let tenantId = '';
const received: { to: string; text: string }[] = [];

showOutputOnFailure(() => world);

/** The text of a mail as it was before its transport. */
const readable = (source: string) =>
  Buffer.from(
    source.replaceAll(/=\r?\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

test.beforeAll(async ({ browser }) => {
  mails = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        for (const { address } of session.envelope.rcptTo) received.push({ to: address, text: readable(source) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => mails.listen(0, '127.0.0.1', resolve));
  const { port } = mails.server.address() as AddressInfo;
  world = await startWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'desk@example.com' } });
  const first = await browser.newPage();
  await setFirstPassword(first, world);
  await first.close();
  const olga = addPerson(world, 'Olga');
  world.admin(['grant', '--person', olga.userName, '--set', 'Administrator', '--tenant', 'My organisation']);
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  // A browser without a loudspeaker: the pitches that the page wants to play are noted.
  await page.addInitScript(() => {
    const played: number[] = [];
    Object.assign(window, { played });
    const make = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function noted(this: AudioContext) {
      const tone = make.call(this);
      const { start } = tone;
      tone.start = (when) => {
        played.push(tone.frequency.value);
        start.call(tone, when);
      };
      return tone;
    };
  });
  await signIn(page, world, olga);
  await expect(page).toHaveURL(/\/[0-9a-f-]{36}$/);
  tenantId = new URL(page.url()).pathname.slice(1);
  api = tokenApi(world, '--all-tenants');
});

test.afterAll(async () => {
  await page?.context().close();
  await world?.remove();
  await new Promise<void>((resolve) => mails.close(() => resolve()));
});

const toast = (text: string | RegExp) => expect(page.locator('.toasts').getByText(text).first()).toBeVisible();
const mailTo = async (to: string, count = 1) => {
  await expect.poll(() => received.filter((mail) => mail.to === to).length, { timeout: 90_000 }).toBe(count);
  return received.filter((mail) => mail.to === to).at(-1)?.text ?? '';
};
const open = (title: string, severityId: string) =>
  api('PUT', '/v1/workunits', { title, severityId, workUnitTypeId: 1, tenantId, description: 'Since eight.' });

test('a sound tells of a new unit by its severity, once it is chosen, and not before', async () => {
  const played = () => page.evaluate(() => (window as unknown as { played: number[] }).played);
  await page.goto(`${world.url}/${tenantId}`);
  const list = page.getByRole('region', { name: 'Do now' });
  await expect(list.getByText('Nothing waits for you')).toBeVisible();
  await open('Pump 1 is silent', 'Sev0');
  await expect(list.getByText('Pump 1 is silent')).toBeVisible();
  await page.getByRole('button', { name: 'Sound of new entries: off' }).click();
  expect(await played()).toEqual([]);
  await page.getByRole('menuitem', { name: 'Turn on the sound of new entries in this browser' }).click();
  await expect(page.getByRole('button', { name: 'Sound of new entries: on' })).toBeVisible();
  // What has just been turned on says how it sounds.
  await expect.poll(played).toEqual([659, 784]);
  await open('Pump 2 is on fire', 'Sev0');
  await expect(list.getByText('Pump 2 is on fire')).toBeVisible();
  await expect.poll(played).toEqual([659, 784, 988, 784, 988, 784]);
  await open('Lamp 3 is dark', 'Sev4');
  await expect(list.getByText('Lamp 3 is dark')).toBeVisible();
  await expect.poll(played).toEqual([659, 784, 988, 784, 988, 784, 440]);
  await page.reload();
  await expect(list.getByText('Lamp 3 is dark')).toBeVisible();
  await page.getByRole('button', { name: 'Sound of new entries: on' }).click();
  await page.getByRole('menuitem', { name: 'Turn off the sound of new entries' }).click();
  await open('Pump 4 is on fire', 'Sev0');
  await expect(list.getByText('Pump 4 is on fire')).toBeVisible();
  expect(await played()).toEqual([]);
});

test('a unit is opened from the list by at most four calls', async () => {
  await open('Fan 5 is loud', 'Sev2');
  await open('Fan 6 is loud', 'Sev2');
  await page.goto(`${world.url}/${tenantId}/workunitsv2?f.stateId=New&search=Fan`);
  const rows = page.locator('tbody tr[data-row]');
  await expect(rows).toHaveCount(2);
  const link = rows.getByRole('link', { name: 'Fan 5 is loud' });
  // The first opening loads the panel, and names that all units share.
  await link.click();
  const panel = page.getByRole('dialog', { name: /^Edit Work Unit/ });
  await expect(panel.getByText('Work unit created.')).toBeVisible();
  await page.waitForTimeout(1_500);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(?:v1|api)\//.test(pathname) && pathname !== '/v1/changes') sent.push(`${request.method()} ${pathname}`);
  });
  await rows.getByRole('link', { name: 'Fan 6 is loud' }).click();
  await expect(panel.getByText('Work unit created.')).toBeVisible();
  await page.waitForTimeout(1_500);
  expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(4);
});

test('an update reaches a contact by mail as it was previewed, and no further one after the contact has ended them', async ({
  browser,
}) => {
  await api('PUT', '/v1/communicationContacts', { name: 'Ada Lind', email: 'ada@customer.example', tenantId });
  const communication = await api('PUT', '/v1/workunitcommunications', {
    title: 'Mail is down',
    details: 'Nobody can send mail.',
    nextUpdate: new Date(Date.now() + 3_600_000).toISOString(),
    tenantId,
  });
  const publicId = Number(communication['publicWorkUnitCommunicationId'] ?? communication['workUnitCommunicationId']);
  await page.goto(`${world.url}/${tenantId}/workunitcommunications`);
  await page.getByRole('row').filter({ hasText: 'Mail is down' }).getByRole('link', { name: 'Mail is down' }).click();
  const shown = page.getByRole('dialog', { name: /Mail is down/ });
  await shown.getByRole('tab', { name: 'Updates' }).click();
  const write = async (text: string) => {
    await shown.getByLabel('What customers should know').fill(text);
    await shown.getByRole('button', { name: 'Preview mail to contacts…' }).click();
    return page.getByRole('dialog', { name: 'Mail to contacts' });
  };
  const preview = await write('The queue runs again.');
  await expect(preview.getByText('Goes to 1 contact')).toBeVisible();
  await preview.getByRole('button', { name: 'Publish and send 1 mail' }).click();
  await toast('Update published, and 1 mail queued.');
  const text = await mailTo('ada@customer.example');
  expect(text).toContain('The queue runs again.');
  await expect(shown.getByText('1 sent')).toBeVisible();
  expect(publicId).toBeGreaterThan(0);

  const link = /To end these mails: (\S+)/.exec(text)?.[1] ?? '';
  const customer = await browser.newPage();
  await customer.goto(link);
  await customer.getByRole('button').click();
  await expect(customer.getByText('You get no more of these mails.')).toBeVisible();
  await customer.close();
  const second = await write('All mails have arrived.');
  await expect(second.getByText('No contact gets this mail.')).toBeVisible();
  await second
    .getByRole('button', { name: /Close|Cancel/ })
    .first()
    .click();
  await shown.getByRole('button', { name: 'Publish without mail' }).click();
  await toast('Update published.');
  expect(received.filter(({ to }) => to === 'ada@customer.example')).toHaveLength(1);
});

test('a report comes by mail at its time, with its figures and a file, and says so', async () => {
  await page.goto(`${world.url}/${tenantId}/reports`);
  await page.getByRole('button', { name: 'Send by mail …' }).click();
  await page.getByRole('dialog', { name: 'Reports by mail' }).getByRole('button', { name: 'New report by mail' }).click();
  const form = page.getByRole('dialog', { name: 'New report by mail' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Each morning');
  await form.getByLabel('How often').selectOption('Daily');
  await form.getByRole('button', { name: 'Save' }).click();
  await toast('The report will be sent by mail.');
  const embedded = await joinEmbedded({ dataDir: world.dataDir, log: () => undefined });
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  await client.query(`update report_schedule set next_run = now() - interval '1 second'`);
  await client.end();
  const text = await mailTo('olga@example.com');
  expect(text).toMatch(/^Subject: .*Each[_ ]morning:[_ ]work[_ ]units/m);
  expect(text).toMatch(/filename="?Each morning /);
  await page.reload();
  await page.getByRole('button', { name: 'Send by mail …' }).click();
  await expect(page.getByRole('listitem', { name: 'Each morning' }).getByText(/Last: .* Sent to 1/)).toBeVisible();
});
