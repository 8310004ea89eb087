/** Mailboxes of a real Dovecot by TLS: when mails are taken, by whom, and that a killed reader loses and repeats none. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import pino from 'pino';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { mailboxConnections, mailboxOpening, mailboxTrial } from '../../app/mailboxes.ts';
import { sendMailJob } from '../../automation/send-mail.job.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker } from '../../jobs/worker.ts';
import { openMail } from '../../outbound/mail.ts';
import { hasDovecot, startDovecot, type Dovecot } from '../../testing/programs/dovecot.ts';
import { makeHostCertificate } from '../../testing/openssl.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { parseMail } from './parse-mail.ts';
import type { MailTaker } from './take-mail.ts';
import { readMailboxes } from './read-mailboxes.ts';

/** Waits for what has to happen. */
async function until(look: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await look()); await sleep(10))
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms.`);
}

const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' });

describe.skipIf(!hasDovecot)("Debian's dovecot", () => {
  let folder: string;
  let world: TestWorld;
  let tenantId: string;
  let me: TestCaller;
  let dovecot: Dovecot;
  let provider: Server;
  let providerUrl: string;
  let [refreshes, validSeconds] = [0, 3_600];

  /** A provider that gives one client tokens for one mailbox, and says what a token is worth. */
  async function answerTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const isRight = form.get('client_id') === 'cloudfit' && form.get('client_secret') === 'client secret' && form.get('scope') === 'imap';
    if (form.get('grant_type') === 'refresh_token') {
      // Each refresh token is good once.
      const isGood = isRight && form.get('refresh_token') === `refresh-${refreshes}`;
      if (isGood) refreshes += 1;
      const answer = isGood
        ? { access_token: `token-r${refreshes}`, refresh_token: `refresh-${refreshes}`, expires_in: validSeconds }
        : { error: 'invalid_grant', error_description: 'The consent was withdrawn.' };
      response.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    const answer =
      request.url === '/token'
        ? isRight
          ? { access_token: `token-${'x'.repeat(3_000)}`, token_type: 'Bearer' }
          : { error: 'invalid_client', error_description: 'The secret has expired.' }
        : form.get('token')?.startsWith('token-')
          ? { active: true, username: 'support' }
          : { active: false };
    response.writeHead('error' in answer ? 401 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }
  const readers: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailboxes-'));
    world = await createWorld({ files: folder });
    ({ tenantId } = await world.tenant('Northwind'));
    me = holder([tenantId]);
    provider = createServer((request, response) => void answerTokens(request, response)).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    dovecot = await startDovecot(`${providerUrl}/introspect`);
    await newSecret('Mail', dovecot.password);
  });
  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.stop()));
    await world.system.db.query({ text: 'delete from mailbox' });
    // A reader that was killed has left a mail unread, which the next mailbox would take as a new one.
    dovecot.empty();
  });
  afterAll(async () => {
    provider.close();
    await dovecot.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function newSecret(name: string, value: string): Promise<void> {
    const created = await world.call(me, 'PUT', `/v1/tenants/${tenantId}/secrets`, { name, value });
    expect([created.status, created.text]).toEqual([200, expect.any(String)]);
  }

  async function newBox(over: object = {}): Promise<string> {
    const { tlsPort, userName, certificate } = dovecot;
    const body = {
      name: 'Support',
      address: 'support@ops.example',
      workUnitTypeId: 3,
      tenantId,
      host: 'localhost',
      port: tlsPort,
      userName,
      passwordSecret: 'Mail',
      certificate,
    };
    const created = await world.call(me, 'PUT', '/v1/mailboxes', { ...body, ...over });
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    return String(created.body['mailboxId']);
  }

  const allow = ['127.0.0.1', 'localhost'];
  const opening = () => mailboxOpening(allow, world.secrets);
  const connections = () => mailboxConnections(opening(), world.system.db);
  function read(over: Partial<Parameters<typeof readMailboxes>[0]> = {}) {
    const reader = readMailboxes({ database: world.database, log, open: connections(), taker: world.taker, turnMs: 100, ...over });
    readers.push(reader);
    return reader;
  }
  const mail = (subject: string, text = 'x', headers = '') =>
    `From: "Mara" <mara@customer.example>\r\nTo: support@ops.example\r\nSubject: ${subject}\r\nMessage-ID: <${randomUUID()}@customer.example>\r\n${headers}\r\n${text}\r\n`;
  const titles = async () =>
    (await world.system.db.query<{ title: string }>({ text: 'select title from work_unit order by title' })).map(({ title }) => title);
  const box = async (id: string) => (await world.call(me, 'GET', `/v1/mailboxes(${id})`)).body;

  it('opens a unit as soon as the server announces the mail, and marks the mail as read', async () => {
    const id = await newBox();
    read();
    await until(async () => (await box(id))['connected'] !== null);
    for (let n = 0; n < 20; n += 1) {
      const title = `Timed ${String(n).padStart(2, '0')}`;
      dovecot.deliver(mail(title));
      await until(async () => (await titles()).includes(title));
    }
    await until(() => Promise.resolve(dovecot.counts().unread === 0));
    expect(await box(id)).toMatchObject({ problem: null, mailsTaken: 20, lastMail: expect.any(String) });
    const uses = await world.system.db.query<{ after: object | null }>({
      text: "select after from audit where entity = 'tenantSecrets' and verb = 'use' order by audit_id desc limit 1",
    });
    expect(uses).toEqual([{ after: { name: 'Mail', mailbox: 'Support', host: 'localhost' } }]);
  });

  it('tries a mail again while nothing can be stored, and loses none', async () => {
    const id = await newBox();
    let tries = 0;
    const fails = () => Promise.reject(new Error('no space left on device'));
    const taker: MailTaker = {
      ...world.taker,
      take: (...args) => ((tries += 1) <= 8 ? fails() : world.taker.take(...args)),
      setAside: fails,
    };
    read({ taker, retryMs: 10 });
    dovecot.deliver(mail('Stored late'));
    dovecot.deliver(mail('Stored after it'));
    await until(async () => {
      const all = await titles();
      return ['Stored late', 'Stored after it'].every((title) => all.includes(title));
    });
    expect(tries).toBeGreaterThan(8);
    await until(async () => (await box(id))['problem'] === null);
  });

  it('sets a mail aside that cannot be taken, so that it is listed and those behind it are read', async () => {
    const id = await newBox();
    const taker: MailTaker = {
      ...world.taker,
      take: (ctx, to, received) =>
        received.bytes.includes('Breaks the reader') ? Promise.reject(new Error('Out of range.')) : world.taker.take(ctx, to, received),
    };
    read({ taker, retryMs: 10 });
    dovecot.deliver(mail('Breaks the reader'));
    dovecot.deliver(mail('Behind it'));
    await until(async () => (await titles()).includes('Behind it'));
    const rows = await world.system.db.query<{ outcome: string | null; reason: string | null; message: string | null; isStored: boolean }>({
      text: 'select outcome, reason, message, storage_name is not null as "isStored" from mailbox_mail where mailbox_id = $1 and reason is not null',
      values: [id],
    });
    expect(rows).toEqual([{ outcome: 'Refused', reason: 'NotTaken', message: expect.stringContaining('Out of range.'), isStored: true }]);
    expect(await box(id)).toMatchObject({ mailsRefused: 1 });
  });

  it('sets a mail aside that its server does not hand over, and reads those behind it', async () => {
    const id = await newBox();
    dovecot.deliver(mail('Cannot be read'));
    dovecot.deliver(mail('Behind the broken one'));
    const broken: number[] = [];
    read({
      retryMs: 1,
      open: async (settings) => {
        const connection = await connections()(settings);
        return {
          ...connection,
          read: (uid, maxBytes) => {
            if (broken.length === 0) broken.push(uid);
            return broken.includes(uid) ? Promise.reject(new Error('The connection was closed.')) : connection.read(uid, maxBytes);
          },
        };
      },
    });
    await until(async () => (await titles()).includes('Behind the broken one'));
    const { body } = await world.call(me, 'GET', `/v1/mailboxes/${id}/mails`);
    expect(body['value']).toMatchObject([{ reason: 'NotTaken', message: expect.stringContaining('did not hand over the mail') }]);
    await until(() => Promise.resolve(dovecot.counts().unread === 1));
  });

  it('says what is wrong with a connection, and works by STARTTLS too', async () => {
    const attempt = async (over: object) => {
      const id = await newBox(over);
      const tried = await world.call(me, 'POST', `/v1/mailboxes/${id}/test`, {});
      await world.call(me, 'DELETE', `/v1/mailboxes/${id}`);
      return tried.body;
    };
    expect(await attempt({})).toMatchObject({ works: true, step: 'done' });
    expect(await attempt({ port: dovecot.startTlsPort, security: 'StartTls' })).toMatchObject({ works: true });
    expect(await attempt({ certificate: null })).toMatchObject({
      works: false,
      step: 'tls',
      message: expect.stringContaining('certificate'),
    });
    expect(await attempt({ host: '127.0.0.1' })).toMatchObject({ step: 'tls', message: expect.stringContaining('another host') });
    expect(await attempt({ port: dovecot.startTlsPort })).toMatchObject({ step: 'tls', message: expect.stringContaining('STARTTLS') });
    await newSecret('Wrong', 'nope');
    expect(await attempt({ passwordSecret: 'Wrong' })).toMatchObject({ step: 'password', message: expect.stringContaining('support') });
    expect(await attempt({ folder: 'Nowhere' })).toMatchObject({ step: 'folder', message: expect.stringContaining('INBOX') });
    expect(await attempt({ port: 1 })).toMatchObject({ step: 'address', message: expect.stringContaining('Nothing answers') });
    expect(await attempt({ host: 'no-such-host.invalid' })).toMatchObject({
      step: 'address',
      message: expect.stringContaining('has no address'),
    });
    expect(await attempt({ host: '169.254.169.254', port: 993 })).toMatchObject({
      step: 'address',
      message: expect.stringContaining('must never be reached'),
    });
    expect(await attempt({ host: null, userName: null, passwordSecret: null })).toMatchObject({ step: 'settings' });
    // Nobody else's, and not without the right.
    const id = await newBox();
    const { tenantId: otherId } = await world.tenant();
    expect((await world.call(holder([otherId]), 'POST', `/v1/mailboxes/${id}/test`, {})).status).toBe(404);
    expect((await world.call(holder([tenantId], ['CloudFit.CFS.Sources:view']), 'POST', `/v1/mailboxes/${id}/test`, {})).status).toBe(403);
    expect((await world.call(null, 'POST', `/v1/mailboxes/${id}/test`, {})).status).toBe(401);
  }, 60_000);

  it('takes only what is new when it first reads a mailbox, or when its server counts again from one', async () => {
    dovecot.deliver(mail('Unread yesterday'));
    const id = await newBox();
    const reader = read();
    await until(async () => (await titles()).includes('Unread yesterday'));
    const before = await titles();
    await reader.stop();
    dovecot.deliver(mail('While nobody read'));
    await dovecot.stop();
    dovecot.renumber();
    await dovecot.start();
    read();
    await until(async () => (await titles()).includes('While nobody read'));
    await sleep(500);
    expect((await titles()).toSorted()).toEqual([...before, 'While nobody read'].toSorted());
    expect(await box(id)).toMatchObject({ mailsTaken: 2 });
  });

  it('reads with a token of OAuth 2.0, and says what the provider or the server refuses', async () => {
    await newSecret('Client', 'client secret');
    const signIn = {
      signIn: 'OAuth2',
      passwordSecret: 'Client',
      tokenAddress: `${providerUrl}/token`,
      clientId: 'cloudfit',
      scope: 'imap',
    };
    const id = await newBox(signIn);
    read();
    dovecot.deliver(mail('By a token'));
    await until(async () => (await titles()).includes('By a token'));
    const attempt = mailboxTrial(opening());
    const system = world.system;
    const row = await box(id);
    const tried = (over: object) => attempt(system, { ...row, ...over } as unknown as Parameters<typeof attempt>[1]);
    expect(await tried({})).toMatchObject({ works: true });
    expect(await tried({ clientId: 'other' })).toMatchObject({
      step: 'password',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ gives no token: invalid_client: The secret has expired\.$/) as string,
    });
    expect(await tried({ userName: 'somebody' })).toMatchObject({
      step: 'password',
      message: expect.stringContaining('does not accept the token for somebody') as string,
    });
    // The secret goes to who gives tokens: whoever may send it to the mail server alone may not send it there.
    await newSecret('Bound', 'client secret');
    await world.system.db.query({ text: "update tenant_secret set allowed_hosts = 'localhost' where name = 'Bound'" });
    const refusals = async (over: object) => {
      const { body } = await world.call(me, 'POST', `/v1/mailboxes/${id}`, over);
      return ((body['error'] as { details?: { target: string }[] } | undefined)?.details ?? []).map(({ target }) => target);
    };
    expect(await refusals({ passwordSecret: 'Bound' })).toEqual(['passwordSecret']);
    expect(await refusals({ tokenAddress: 'http://login.example/token' })).toEqual(['tokenAddress']);
    expect(await refusals({ tokenAddress: null, clientId: null })).toEqual(['tokenAddress', 'clientId']);
  });

  it('renews tokens by the refresh token of a person, which each renewal replaces', async () => {
    await newSecret('ConsentClient', 'client secret');
    await newSecret('Consent', 'refresh-0');
    const signIn = {
      signIn: 'OAuth2',
      passwordSecret: 'ConsentClient',
      refreshSecret: 'Consent',
      tokenAddress: `${providerUrl}/token`,
      clientId: 'cloudfit',
      scope: 'imap',
    };
    const id = await newBox(signIn);
    const [parts, system] = [opening(), world.system];
    const tried = async () => mailboxTrial(parts)(system, (await box(id)) as unknown as Parameters<ReturnType<typeof mailboxTrial>>[1]);
    for (let n = 0; n < 2; n += 1) expect(await tried()).toMatchObject({ works: true });
    // The first token is still valid.
    expect(refreshes).toBe(1);
    parts.tokens.clear();
    validSeconds = 200;
    for (let n = 0; n < 2; n += 1) expect(await tried()).toMatchObject({ works: true });
    // One that ends soon is not used again.
    expect(refreshes).toBe(3);
    const audit = await world.system.db.query({
      text: "select 1 from audit where entity = 'tenantSecrets' and verb = 'update' and after ->> 'mailbox' is not null",
    });
    expect(audit).toHaveLength(3);
    refreshes = 7;
    read();
    await until(async () => String((await box(id))['problem']).includes('invalid_grant: The consent was withdrawn.'));
    const { body } = await world.call(me, 'POST', `/v1/mailboxes/${id}`, { refreshSecret: 'Nothing' });
    expect((body['error'] as { details?: { target: string }[] } | undefined)?.details).toMatchObject([{ target: 'refreshSecret' }]);
  });

  it('connects again after the server was away, and shows the problem meanwhile', async () => {
    const id = await newBox();
    read({ retryMs: 100 });
    await until(async () => (await box(id))['connected'] !== null);
    await dovecot.stop();
    await until(async () => String((await box(id))['problem']).includes('Nothing answers'), 15_000);
    await dovecot.start();
    dovecot.deliver(mail('After the pause'));
    await until(async () => (await titles()).includes('After the pause'), 30_000);
    expect((await box(id))['problem']).toBeNull();
  }, 60_000);

  it('reads a mailbox in one process, and hands it over when that one stops or the settings change', async () => {
    const id = await newBox();
    let [open, highest] = [0, 0];
    const counting: Parameters<typeof readMailboxes>[0]['open'] = async (settings) => {
      const connection = await connections()(settings);
      highest = Math.max(highest, (open += 1));
      void connection.closed.then(() => (open -= 1));
      return connection;
    };
    const first = read({ open: counting });
    read({ open: counting });
    await until(async () => (await box(id))['connected'] !== null);
    await sleep(500);
    expect(highest).toBe(1);
    await first.stop();
    dovecot.deliver(mail('Handed over'));
    await until(async () => (await titles()).includes('Handed over'));
    expect(highest).toBe(1);
    await world.call(me, 'POST', `/v1/mailboxes/${id}`, { enabled: false });
    await until(() => Promise.resolve(open === 0));
    dovecot.deliver(mail('While disabled'));
    await sleep(500);
    expect(await titles()).not.toContain('While disabled');
    await world.call(me, 'POST', `/v1/mailboxes/${id}`, { enabled: true });
    await until(async () => (await titles()).includes('While disabled'));
  });

  it('leaves a server that hangs, and reads the other mailboxes meanwhile', async () => {
    const certificates = await mkdtemp(join(tmpdir(), 'hanging-'));
    makeHostCertificate(certificates);
    const pem = (name: string) => readFileSync(join(certificates, name), 'utf8');
    const sockets = new Set<Socket>();
    let [hangsAt, connected] = ['LOGIN', 0];
    const hanging = createTlsServer({ cert: pem('cert.pem'), key: pem('key.pem') }, (socket) => {
      sockets.add(socket.on('error', () => undefined));
      connected += 1;
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n');
      let rest = '';
      socket.on('data', (data: Buffer) => {
        const lines = (rest + data.toString()).split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [tag = '', ...words] = line.split(' ');
          const command = words.join(' ').toUpperCase();
          if (command.includes(hangsAt) || (hangsAt === 'LOGIN' && command.startsWith('AUTHENTICATE'))) return;
          if (command.startsWith('SELECT')) socket.write('* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\n');
          if (/LIST|LSUB/.test(command)) socket.write('* LIST () "/" "INBOX"\r\n');
          socket.write(`${tag} OK done\r\n`);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const { port } = hanging.address() as AddressInfo;
    const certificate = pem('ca.pem');
    try {
      for (const at of ['LOGIN', 'SEARCH']) {
        [hangsAt, connected] = [at, 0];
        const reader = read({ open: mailboxConnections(mailboxOpening(allow, world.secrets, 1_000), world.system.db), retryMs: 50 });
        const id = await newBox({ name: 'Hanging', address: 'hanging@ops.example', port, certificate });
        await newBox();
        // It gives up and tries again.
        await until(() => Promise.resolve(connected > 1));
        await until(async () => String((await box(id))['problem']).includes('does not answer'));
        await world.call(me, 'POST', `/v1/mailboxes/${id}`, { enabled: false });
        dovecot.deliver(mail(`Beside ${at}`));
        await until(async () => (await titles()).includes(`Beside ${at}`));
        expect((await box(id))['connected']).toBeNull();
        await reader.stop();
        await world.system.db.query({ text: 'delete from mailbox' });
        dovecot.empty();
      }
    } finally {
      for (const socket of sockets) socket.destroy();
      hanging.close();
      await rm(certificates, { recursive: true, force: true });
    }
  });

  it('ends at once while a server does not answer', async () => {
    await newBox();
    let isOpening = false;
    const reader = read({
      open: () => {
        isOpening = true;
        return new Promise(() => undefined);
      },
    });
    await until(() => Promise.resolve(isOpening));
    expect(await reader.stop()).toBeUndefined();
  });

  it('takes each mail once although readers are killed, in two processes', async () => {
    await newBox();
    await world.system.db.query({ text: 'update mailbox set sender_limit = 1000' });
    const children = new Set<ChildProcess>();
    const start = () => {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, '../../testing/programs/mailbox-reader.ts'), world.url, folder, dovecot.password],
        { stdio: 'ignore' },
      );
      children.add(child);
      return child;
    };
    const kill = async (child: ChildProcess) => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
      children.delete(child);
    };
    const count = runs(25, 60);
    const names = Array.from({ length: count }, (_, n) => `Killed ${String(n).padStart(2, '0')}`);
    const mine = async () => (await titles()).filter((title) => title.startsWith('Killed'));
    try {
      let pair = [start(), start()];
      const delivering = (async () => {
        for (const name of names) {
          dovecot.deliver(mail(name));
          await sleep(100);
        }
      })();
      for (let n = 0; n < runs(1, 3); n += 1) {
        const before = (await mine()).length;
        await until(async () => (await mine()).length > before, 150_000);
        await Promise.all(pair.map(kill));
        // The lease of who was killed would last half a minute.
        await world.system.db.query({ text: 'update mailbox set leased_until = now()' });
        pair = [start(), start()];
      }
      await delivering;
      await until(async () => (await mine()).length >= count, 150_000);
    } finally {
      await Promise.all([...children].map(kill));
    }
    expect(await mine()).toEqual(names);
  }, 400_000);

  it('threads what is answered by SMTP, and takes the reply to it', async () => {
    const id = await newBox();
    read();
    const received: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      onData: (stream, _session, done) => {
        let source = '';
        stream.on('data', (part: Buffer) => (source += part.toString()));
        stream.on('end', () => {
          received.push(source);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const channel = openMail({
      url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      from: 'CloudFit <ops@ops.example>',
    });
    const worker = await startWorker({
      dataFolder: 'test',
      database: world.database,
      log,
      jobs: jobRegistry([sendMailJob(channel, 'http://localhost', () => Promise.resolve(false))]),
      ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
    });
    try {
      const first = mail('Round trip', 'Broken.');
      dovecot.deliver(first);
      await until(async () => (await titles()).includes('Round trip'));
      const [unit] = await world.system.db.query<{ work_unit_id: number; public_work_unit_id: number }>({
        text: "select work_unit_id, public_work_unit_id from work_unit where title = 'Round trip'",
      });
      const write = (detail: string) =>
        world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: unit?.work_unit_id, detail, isExternalNote: true });
      await write('Which one?');
      await until(() => Promise.resolve(received.length === 1));
      const sent = await parseMail(Buffer.from(received[0] ?? ''));
      const firstId = /Message-ID: <([^>]+)>/.exec(first)?.[1];
      expect(sent.references).toEqual([firstId]);
      expect(sent.header('reply-to')).toEqual(['support@ops.example']);
      expect(sent.header('to')).toEqual(['mara@customer.example']);
      expect(sent.header('auto-submitted')).toEqual([]);
      expect(sent.subject).toBe(`Re: Round trip [#${String(unit?.public_work_unit_id)}]`);
      // The reply of a colleague, to whom the customer has given the mail: its id is enough.
      const reply = mail(
        'Re: Round trip',
        'The red one.',
        `In-Reply-To: <${String(sent.messageId)}>\r\nReferences: <${String(firstId)}> <${String(sent.messageId)}>\r\n`,
      );
      dovecot.deliver(reply.replace('mara@', 'colleague@'));
      const notes = async () =>
        (
          await world.system.db.query<{ detail: string }>({
            text: 'select detail from work_unit_note where work_unit_id = $1 and history_type is null order by work_unit_note_id',
            values: [unit?.work_unit_id],
          })
        ).map(({ detail }) => detail);
      await until(async () => (await notes()).includes('The red one.'));
      await write('Thank you.');
      await until(() => Promise.resolve(received.length === 3));
      const later = await Promise.all(received.slice(1).map((source) => parseMail(Buffer.from(source))));
      const to = (address: string) => later.find((sent) => sent.header('to')[0] === address);
      // Neither learns of the other.
      expect(to('mara@customer.example')?.references).toEqual([sent.messageId, firstId]);
      expect(to('colleague@customer.example')?.references).toEqual([/Message-ID: <([^>]+)>/.exec(reply)?.[1]]);
      expect((await box(id))['mailsTaken']).toBe(2);
    } finally {
      await worker.stop();
      channel.close();
      await new Promise<void>((done) => server.close(() => done()));
    }
  }, 60_000);
});
