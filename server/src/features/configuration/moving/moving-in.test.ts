/** Answers of other products are converted over the API, imported as any configuration, imported again, and taken back. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportOutcome, RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import type { MovingOutcome } from '@cloudfit/contract/configuration/moving.ts';
import { personIn } from '../../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
const all = holder('all');
const sampleOf = { Opsgenie: 'opsgenie', PagerDuty: 'pagerduty', GrafanaOnCall: 'oncall' } as const;
const sample = (product: keyof typeof sampleOf): string =>
  readFileSync(new URL(`samples/${sampleOf[product]}.json`, import.meta.url), 'utf8');

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function post<T>(path: string, body: object, by = all): Promise<T> {
  const answer = await world.call(by, 'POST', path, body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as T;
}

/** A tenant with the people of the samples. */
async function home(): Promise<string> {
  const { tenantId } = await world.tenant();
  for (const name of ['ann', 'bob', 'cem']) {
    const personId = await personIn(world, tenantId, name);
    const email = `${name}@${tenantId}.example.com`;
    await world.system.db.query({ text: 'update person set user_name = $2, email = $2 where person_id = $1', values: [personId, email] });
  }
  return tenantId;
}

const nextYear = new Date().getUTCFullYear() + 1;
/** The sample with addresses of the people of the tenant, and with overrides that are to come. */
const textFor = (product: keyof typeof sampleOf, tenantId: string): string =>
  sample(product)
    .replaceAll(/@example\.com/gi, `@${tenantId}.example.com`)
    .replaceAll(/2026-(07|08|04)-/g, `${nextYear}-$1-`);

it.each(['Opsgenie', 'PagerDuty', 'GrafanaOnCall'] as const)(
  '%s moves in with its people, once, and can be taken back',
  async (product) => {
    const tenantId = await home();
    const files = [{ name: 'answers.json', text: textFor(product, tenantId) }];
    const { document, product: recognized } = await post<MovingOutcome>('/v1/configuration/convert', { tenantId, files });
    expect(recognized).toBe(product);
    const first = await post<ImportOutcome>('/v1/configuration', { ...document, tenantId, partly: true, dryRun: false });
    expect([first.left, first.missing]).toEqual([[], []]);
    const rows = Object.values(document.rows).flat();
    expect(first.added).toBe(rows.length);
    expect(Object.keys(document.rows).toSorted()).toEqual(['onCallOverrides', 'onCallSchedules', 'protocolActions', 'protocols']);
    // A second import of the same answers finds everything.
    const again = await post<MovingOutcome>('/v1/configuration/convert', { tenantId, files });
    expect(await post('/v1/configuration', { ...again.document, tenantId, partly: true, dryRun: false })).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: rows.length,
    });
    const [schedule] = document.rows['onCallSchedules'] ?? [];
    const shifts = await world.call(all, 'GET', `/v1/onCallSchedules/${String(schedule?.['onCallScheduleId'])}/shifts?days=14`);
    expect([shifts.status, shifts.body['error']]).toEqual([200, undefined]);
    const restored = await post<RestoreOutcome>('/v1/configuration/restore', { changeSet: first.changeSet, dryRun: false });
    expect(restored.left).toEqual([]);
    expect(restored.changes.map(({ verb }) => verb)).toEqual(rows.map(() => 'remove'));
  },
);

it('takes hosts of Zabbix as devices and triggers as rules that are off, once, and takes them back', async () => {
  const { tenantId } = await world.tenant();
  const files = [{ name: 'zabbix.yaml', text: readFileSync(new URL('samples/zabbix.yaml', import.meta.url), 'utf8') }];
  const convert = () => post<MovingOutcome>('/v1/configuration/convert', { tenantId, files });
  const { document } = await convert();
  const first = await post<ImportOutcome>('/v1/configuration', { ...document, tenantId, partly: true, dryRun: false });
  expect([first.left, first.missing, first.added]).toEqual([[], [], 7]);
  const again = await convert();
  expect(await post('/v1/configuration', { ...again.document, tenantId, partly: true, dryRun: false })).toMatchObject({
    added: 0,
    changed: 0,
    unchanged: 7,
  });
  // Devices are not part of an exported configuration.
  const exported = await world.call(all, 'GET', `/v1/configuration?tenantId=${tenantId}`);
  expect(Object.keys(exported.body['rows'] as object)).not.toContain('devices');
  const restored = await post<RestoreOutcome>('/v1/configuration/restore', { changeSet: first.changeSet, dryRun: false });
  const left = restored.left.map(({ resource }) => resource);
  expect([left, restored.changes.length]).toEqual([['subscriptions'], 6]);
});

it('asks who stands for people that are missing, and takes nobody or another person', async () => {
  const { tenantId } = await world.tenant();
  const files = [{ name: 'answers.json', text: textFor('PagerDuty', tenantId) }];
  const { document } = await post<MovingOutcome>('/v1/configuration/convert', { tenantId, files });
  const { missing } = await post<ImportOutcome>('/v1/configuration', { ...document, tenantId, partly: true, dryRun: true });
  const emails = ['ann', 'bob', 'cem'].map((name) => `${name}@${tenantId}.example.com`);
  expect(missing.filter(({ resource }) => resource === 'people').map(({ name }) => name)).toEqual(expect.arrayContaining(emails));
  const jon = await personIn(world, tenantId, 'Jon');
  const mapping = { people: Object.fromEntries(emails.map((email) => [email, jon])) };
  expect(await post('/v1/configuration', { ...document, tenantId, partly: true, dryRun: true, mapping })).toMatchObject({
    left: [],
    missing: [],
  });
});

it('refuses a tenant of others, and people without the settings', async () => {
  const mine = await world.tenant();
  const other = await world.tenant();
  const files = [{ name: 'answers.json', text: sample('Opsgenie') }];
  const by = holder([mine.tenantId]);
  const answer = await world.call(by, 'POST', '/v1/configuration/convert', { tenantId: other.tenantId, files });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(answer.body)).not.toContain('onCallSchedules');
});
