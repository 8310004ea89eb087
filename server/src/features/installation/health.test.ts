/** The health of the installation, and the test mail, both for administrators of the installation. */
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { noteVitals, startVitals } from './vitals.ts';
import { openDatabase } from '../../db/connection.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let server: SMTPServer;
let refusal: Error | undefined;
const mails: { to: string[]; source: string }[] = [];

beforeAll(async () => {
  server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    onRcptTo: (_address, _session, done) => done(refusal),
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map((item) => item.address), source });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  world = await createWorld({ mail: { url: `smtp://127.0.0.1:${port}`, from: 'CloudFit <desk@example.com>' } });
});
afterAll(async () => {
  await world.close();
  await new Promise<void>((resolve) => {
    server.close(resolve);
  });
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const health = async (who = holder('all')) => {
  const { status, body } = await world.call(who, 'GET', '/v1/installation/health');
  return { status, body: body as unknown as InstallationHealth };
};

it('says how long packets and queues take, of each tenant, and which servers of which version there are', async () => {
  const { tenantId } = await world.tenant();
  await rows(
    `insert into latest_packet (entity_id, tenant_id, packet_id, timestamp, received_timestamp, message)
     select gen_random_uuid(), $1, gen_random_uuid(), now() - make_interval(secs => n), now(), '{}' from generate_series(1, 3) n`,
    tenantId,
  );
  await rows(
    `insert into job (name, tenant_id, payload, run_at, dead_at, destination, correlation_id)
     values ('nothing', $1, '{}', now() - interval '10 minutes', null, null, gen_random_uuid()), ('nothing', $1, '{}', now(), now(), null, gen_random_uuid()),
       ('nothing', $1, '{}', now(), null, 'https://x.example', gen_random_uuid())`,
    tenantId,
  );
  await rows(
    `insert into outbox_message (tenant_id, message_id, recipients, subject, body, correlation_id) values ($1, gen_random_uuid(), 'a', 's', 'b', gen_random_uuid())`,
    tenantId,
  );
  await rows(`insert into installation_gap (gap_start, gap_end) values ('2026-11-20T10:00:00Z', '2026-11-20T10:05:00Z')`);
  await rows(
    `insert into schedule (name, next_run, last_error) values ('sweep', now(), 'broken') on conflict (name) do update set last_error = 'broken'`,
  );
  await world.database.listen('health_test', () => undefined);
  const { status, body } = await health();
  expect(status).toBe(200);
  expect(body.queues.find((queue) => queue.tenantId === tenantId)).toMatchObject({
    waiting: 1,
    callsWaiting: 1,
    deadLetters: 1,
    keptMails: 1,
  });
  expect(body.queues.find((queue) => queue.tenantId === tenantId)?.oldestSeconds).toBeGreaterThanOrEqual(600);
  expect(body.ingest).toMatchObject({ entities: 3, medianSeconds: 2 });
  expect(body.processes).toEqual([{ version: '0.0.0', role: 'api+worker', host: 'test:1', vitals: null }]);
  expect(body.outages).toEqual([{ from: '2026-11-20T10:00:00.000Z', until: '2026-11-20T10:05:00.000Z' }]);
  expect(body.work).toContainEqual({ name: 'sweep', due: expect.any(String), error: 'broken' });
  expect(body.mail).toEqual({ isSet: true, kept: 1 });
  expect(body.licence.isTrial).toBe(true);
  expect(Number.parseInt(body.database.version, 10)).toBeGreaterThanOrEqual(14);
  expect(body.database.tables.map((table) => table.name)).toContain('packet');
  expect(body.database.connections.open).toBeGreaterThan(0);
});

it('sends a test mail at once and answers what the mail server said', async () => {
  const send = (to: unknown, who = holder('all')) => world.call(who, 'POST', '/v1/installation/testMail', { to });
  const sent = await send('ada@example.com');
  expect(sent.body).toMatchObject({ isSent: true, answer: expect.stringContaining('250') });
  expect(mails).toMatchObject([{ to: ['ada@example.com'], source: expect.stringContaining('Subject: Test mail') }]);
  refusal = Object.assign(new Error('No such mailbox'), { responseCode: 550 });
  expect((await send('nobody@example.com')).body).toMatchObject({ isSent: false, answer: expect.stringContaining('No such mailbox') });
  expect(await rows(`select after->>'to' as to from audit where entity = 'installation' and verb = 'test' order by audit_id`)).toEqual([
    { to: 'ada@example.com' },
    { to: 'nobody@example.com' },
  ]);
  // The address of the first administrator, to which pages are sent, too.
  refusal = undefined;
  expect((await send('admin@localhost')).body).toMatchObject({ isSent: true });
  for (const wrong of ['not an address', 'a@example.com, b@example.com']) expect((await send(wrong)).status).toBe(400);
});

it('shows what each process has said of itself, and not what one that is gone has said', async () => {
  const log = pino({ level: 'silent' });
  const database = openDatabase({ url: world.url, max: 1, process: '1.0.0 api ab12cd34 host:7', onError: () => undefined });
  await database.listen('health_test', () => undefined);
  await rows(
    `insert into server_process (process, name, pid, started, memory_bytes, lag_ms, at) values ('killed', 'api-1', 6, now(), 1, 1, now() - interval '2 minutes')`,
  );
  const vitals = startVitals(database, { id: 'ab12cd34', name: 'api-2' }, log);
  const shown = async () => (await health()).body.processes.find(({ host }) => host === 'host:7');
  await expect.poll(async () => (await shown())?.vitals?.name).toBe('api-2');
  expect(await shown()).toEqual({
    version: '1.0.0',
    role: 'api',
    host: 'host:7',
    vitals: { name: 'api-2', pid: process.pid, startedAt: expect.any(String), memoryBytes: expect.any(Number), lagMs: 0 },
  });
  await noteVitals(database.scoped('all'), { id: 'ab12cd34', name: 'api-2' }, 41.6);
  expect((await shown())?.vitals?.lagMs).toBe(42);
  expect(await rows('select process from server_process')).toEqual([{ process: 'ab12cd34' }]);
  await vitals.stop();
  expect((await shown())?.vitals).toBeNull();
  await database.close();
});

it('is for people who may edit the settings of all tenants', async () => {
  const { tenantId } = await world.tenant();
  expect((await health(holder([tenantId]))).status).toBe(403);
  const before = mails.length;
  expect((await world.call(holder([tenantId]), 'POST', '/v1/installation/testMail', { to: 'a@example.com' })).status).toBe(403);
  expect(mails).toHaveLength(before);
  const without = await createWorld();
  try {
    const answer = await without.call(holder('all'), 'POST', '/v1/installation/testMail', { to: 'a@example.com' });
    expect([answer.status, answer.body['error']]).toEqual([
      409,
      expect.objectContaining({ message: expect.stringContaining('Set SMTP_URL') }),
    ]);
  } finally {
    await without.close();
  }
});
