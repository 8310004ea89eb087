import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { shippedSets } from '../shipped.ts';

let installation: Installation;
let tenantId: string;
beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  for (const name of ['boss@example.com', 'glass@example.com'])
    await installation.person(name, { set: shippedSets.administrator.id, tenantId: null });
  await installation.person('desk@example.com', { set: shippedSets.operator.id, tenantId });
  await installation.system.db.query({ text: 'update person set email = user_name, email_verified = true' });
  await installation.system.db.query({ text: "update person set is_emergency = true where user_name = 'glass@example.com'" });
});
afterAll(() => installation.close());

const noticedMails = () =>
  installation.system.db.query<{ to: string }>({
    text: "select payload->>'to' as to from job where name = 'send-mail' and payload->>'subject' like '%emergency account%'",
  });
const notice = async (token: string) =>
  (await installation.call(token, 'GET', `/v1/notices?tenantId=${tenantId}`)).body.value?.find(({ kind }) => kind === 'emergency');

it('tells the other administrators of each use of an emergency account, and of no other', async () => {
  const boss = (await new Browser(installation.publicUrl).signIn('boss@example.com', password)).access_token;
  expect(await noticedMails()).toEqual([]);
  expect(await notice(boss)).toBeUndefined();
  await new Browser(installation.publicUrl).signIn('glass@example.com', password);
  expect(await noticedMails()).toEqual([{ to: 'boss@example.com' }]);
  expect(await notice(boss)).toMatchObject({ userName: 'glass@example.com' });
  await new Browser(installation.publicUrl).signIn('glass@example.com', password);
  expect(await noticedMails()).toHaveLength(2);
  const audit = await installation.system.db.query({
    text: "select 1 from audit where verb = 'emergency-sign-in' and actor_name = 'glass@example.com'",
  });
  expect(audit).toHaveLength(2);
});
