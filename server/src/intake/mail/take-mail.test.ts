/** Mails of real programs, handed over by HTTP: what they open and answer, and what is refused, held and kept. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailBytes } from '@cloudfit/contract/mail/mailboxes.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { rawRoutes } from '../../http/raw-calls.ts';
import { folderStore } from '../../features/packages/folder-store.ts';
import { sweepWork } from '../../features/packages/sweep.ts';
import { testPackageKey } from '../../testing/packages/key.ts';

let folder: string;
let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mails-'));
  const files = {
    store: folderStore(join(folder, 'stored')),
    key: testPackageKey(),
    incoming: join(folder, 'incoming'),
    maxBytes: 1,
    maxNoteFileBytes: 1024 ** 2,
  };
  world = await createWorld({ files: folder, rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = holder([tenantId]);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

interface Box {
  id: string;
  token: string;
}

async function newBox(over: object = {}, tenant = tenantId): Promise<Box> {
  const address = `${randomUUID().slice(0, 8)}@ops.example`;
  const body = { name: 'Support', address, workUnitTypeId: 3, tenantId: tenant, authservId: 'mx.ops.example', ...over };
  const created = await world.call(holder([tenant]), 'PUT', '/v1/mailboxes', body);
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return { id: String(created.body['mailboxId']), token: String(created.body['generatedToken']) };
}

const send = (box: Box, mail: string | Buffer): Promise<WorldReply> =>
  world.call(null, 'POST', `/v1/mailboxes/${box.id}/mail`, Buffer.isBuffer(mail) ? mail : Buffer.from(mail), {
    authorization: `Bearer ${box.token}`,
    'content-type': 'message/rfc822',
  });

async function sample(name: string, places: { TAG?: string; REF?: string } = {}): Promise<Buffer> {
  const text = await readFile(join(import.meta.dirname, 'samples', `${name}.eml`), 'utf8');
  return Buffer.from(
    text
      .replaceAll('\n', '\r\n')
      .replaceAll('{TAG}', places.TAG ?? '')
      .replaceAll('{REF}', places.REF ?? '<none@example>'),
  );
}

const plain = (from: string, subject: string, text: string, headers = ''): string =>
  `From: ${from}\r\nTo: support@ops.example\r\nSubject: ${subject}\r\nMessage-ID: <${randomUUID()}@customer.example>\r\n${headers}Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;

async function unitOf(number: unknown, caller = me): Promise<Record<string, unknown>> {
  const { body } = await world.call(caller, 'GET', `/v1/workUnits?$filter=publicWorkUnitId eq ${String(number)}`);
  return (body['value'] as Record<string, unknown>[])[0] ?? {};
}
async function notesOf(unit: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const { body } = await world.call(
    me,
    'GET',
    `/v1/workUnitNotes?$filter=workUnitId eq ${String(unit['workUnitId'])} and historyType eq null&$orderby=workUnitNoteId`,
  );
  return body['value'] as Record<string, unknown>[];
}
const mailsOf = async (box: Box, query = '') =>
  (await world.call(me, 'GET', `/v1/mailboxes/${box.id}/mails${query}`)).body as {
    value: {
      mailId: string;
      outcome: string;
      reason: string;
      message: string;
      sample: string;
      subject: string;
      size: number;
      sender: string;
    }[];
    reasons: { reason: string; count: number }[];
  };
const filesIn = (detail: unknown): string[] => [...String(detail).matchAll(/\[([^\]]*)\]\(file:/g)].map(([, name = '']) => name);
const fileId = (detail: unknown, name: string): string =>
  new RegExp(`\\[${name}\\]\\(file:([0-9a-f-]{36})\\)`).exec(String(detail))?.[1] ?? '';
/** What the desk writes to the customer, and the id of the mail that says so. */
async function deskWrites(
  unit: Record<string, unknown>,
  detail: string,
): Promise<{ id: string; to: string; subject: string; text: string }> {
  const created = await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: unit['workUnitId'], detail, isExternalNote: true });
  expect(created.status).toBe(201);
  const [job] = await world.system.db.query<{ payload: { messageId: string; to: string; subject: string; text: string } }>({
    text: "delete from job where name = 'send-mail' and payload->'workUnitIds' @> to_jsonb($1::int) returning payload",
    values: [unit['workUnitId']],
  });
  const { messageId = '', to = '', subject = '', text = '' } = job?.payload ?? {};
  return { id: messageId && `<${messageId}@ops.example>`, to, subject, text };
}

it('opens a unit by a mail, with its sender, its text and the whole mail', async () => {
  const box = await newBox();
  const mail = await sample('latin1');
  const answer = await send(box, mail);
  expect([answer.status, answer.body]).toMatchObject([201, { outcome: 'Opened', duplicate: false, reason: null }]);
  const unit = await unitOf(answer.body['publicWorkUnitId']);
  expect(unit).toMatchObject({
    title: 'Tür schließt nicht',
    description: 'Die Tür im Büro schließt nicht mehr. Sie klemmt seit gestern, und zwar oben.',
    stakeHolderFullName: 'Jörg Müller',
    stakeHolderEmailAddress: 'joerg@customer.example',
    source: 'Email',
    severityId: 'Sev3',
    createdBy: 'Support (token)',
    tenantId,
  });
  const [note, ...others] = await notesOf(unit);
  expect(others).toEqual([]);
  expect(note).toMatchObject({
    isExternalNote: true,
    isFromCustomer: true,
    createdBy: 'joerg@customer.example (mail)',
    mailFrom: 'Jörg Müller <joerg@customer.example>',
    mailChecks: null,
    detail: expect.stringMatching(/^Opened by mail to .+@ops\.example\.$/),
  });
  const whole = await world.call(me, 'GET', `/v1/workunits/files/${String(note?.['mailFileId'])}`);
  expect([whole.status, whole.text]).toEqual([200, mail.toString()]);
  expect(whole.headers['content-disposition']).toContain('.eml');
  const audit = await world.system.db.query({
    text: "select actor_kind, actor_name, tenant_id from audit where entity = 'workUnits' and verb = 'create' and entity_id = $1",
    values: [String(unit['workUnitId'])],
  });
  expect(audit).toEqual([{ actor_kind: 'token', actor_name: 'Support (token)', tenant_id: tenantId }]);
});

it('takes a mail once, however often and from how many sides it comes, and never one for another', async () => {
  const box = await newBox();
  const mail = plain('mara@customer.example', 'Twice', 'The same.');
  const all = await Promise.all([send(box, mail), send(box, mail), send(box, `X-Again: 1\r\n${mail}`)]);
  expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
  expect(new Set(all.map(({ body }) => body['publicWorkUnitId'])).size).toBe(1);
  // Somebody else who uses the same Message-ID neither hides behind the mail nor hides it.
  const other = await send(box, mail.replace('mara@', 'eve@'));
  expect(other.body).toMatchObject({ outcome: 'Opened', duplicate: false });
  expect((await send(box, mail.replace('The same.', 'Another one.'))).body).toMatchObject({ duplicate: false });
  expect((await world.call(me, 'GET', `/v1/mailboxes(${box.id})`)).body).toMatchObject({ mailsTaken: 3, mailsRefused: 0, mailsHeld: 0 });
});

it('adds answers of Outlook and Gmail to the unit, without what they quote', async () => {
  const box = await newBox();
  const opened = await send(box, plain('"Mara" <mara@customer.example>', 'Printer does not print', 'It is dead.'));
  const number = opened.body['publicWorkUnitId'];
  const unit = await unitOf(number);
  const desk = await deskWrites(unit, 'Which printer is it?\n\n![plan.png](file:0197a3b0-1111-7222-8333-444455556666)');
  expect(desk).toMatchObject({
    to: 'mara@customer.example',
    subject: `Re: Printer does not print [#${String(number)}]`,
    text: 'Which printer is it?\n\n[plan.png]',
  });
  const gmail = await send(box, await sample('gmail-reply', { REF: desk.id }));
  expect(gmail.body).toMatchObject({ outcome: 'Replied', publicWorkUnitId: number });
  // By the number alone: the sender is a customer of the unit.
  const outlook = await send(box, await sample('outlook-reply', { TAG: `[#${String(number)}]` }));
  expect(outlook.body).toMatchObject({ outcome: 'Replied', publicWorkUnitId: number });
  const notes = await notesOf(unit);
  expect(notes.slice(2).map(({ detail }) => detail)).toEqual([
    'It is the one on the second floor. I tried twice – no luck.',
    'Er geht wieder, danke für die schnelle Hilfe!\n\nViele Grüße\nMara Okafor',
  ]);
  expect(notes[3]).toMatchObject({
    isExternalNote: true,
    isFromCustomer: true,
    mailFrom: 'Okafor, Mara <mara@customer.example>',
    mailChecks: 'SPF pass, DKIM pass, DMARC pass',
  });
});

it('is answered by a mail whose subject has whole characters, however long the title is', async () => {
  const box = await newBox();
  const { body } = await send(box, plain('mara@customer.example', 'Printer', 'It smokes.'));
  const unit = await unitOf(body['publicWorkUnitId']);
  await world.call(me, 'POST', `/v1/workUnits/${String(unit['workUnitId'])}`, { title: `x${'😀'.repeat(249)}` });
  expect((await deskWrites(unit, 'We are on our way.')).subject).toMatch(/^Re: x😀+\uFFFD \[#\d+\]$/u);
});

it('lets nobody reach a unit by its number, in the tenant or in another one', async () => {
  const box = await newBox();
  const there = await newBox({}, otherId);
  const mine = await send(box, plain('mara@customer.example', 'Secret', 'Of Mara.'));
  const number = mine.body['publicWorkUnitId'];
  const theirs = await send(there, plain('mara@customer.example', 'Of the other tenant', 'x'));
  // Somebody else, and the customer herself at the mailbox of another tenant.
  for (const [to, from, of] of [
    [box, 'eve@evil.example', number],
    [there, 'mara@customer.example', number],
    [box, 'mara@customer.example', theirs.body['publicWorkUnitId']],
  ] as const) {
    const before = (await notesOf(await unitOf(of, holder([tenantId, otherId])))).length;
    const answer = await send(to, plain(from, `Re: x [#${String(of)}]`, 'Let me in.'));
    if (of === number && to === there) expect(answer.body['publicWorkUnitId']).not.toBe(number);
    const unit = await unitOf(answer.body['publicWorkUnitId'], holder([tenantId, otherId]));
    expect(unit['stakeHolderEmailAddress']).toBe(from);
    expect(unit['tenantId']).toBe(to === box ? tenantId : otherId);
    expect((await notesOf(await unitOf(of, holder([tenantId, otherId])))).length).toBe(before);
  }
  // The id of a mail that a customer sent is no secret, so it needs a right too.
  const id = (
    await world.system.db.query<{ id: string | null }>({
      text: 'select message_id as id from mailbox_mail where sender = $1 and mailbox_id = $2 order by received limit 1',
      values: ['mara@customer.example', box.id],
    })
  )[0]?.id;
  const guess = await send(box, plain('eve2@evil.example', 'Re: Secret', 'Hello', `References: <${String(id)}>\r\n`));
  expect(guess.body).toMatchObject({ outcome: 'Opened' });
  expect(guess.body['publicWorkUnitId']).not.toBe(number);
  const answer = await send(box, plain('mara@customer.example', 'Re: Secret', 'Hello again', `In-Reply-To: <${String(id)}>\r\n`));
  expect(answer.body).toMatchObject({ outcome: 'Replied', publicWorkUnitId: number });
});

it('writes what the desk answers by mail as an internal note, and tells the customer nothing', async () => {
  const box = await newBox();
  const [ada] = await world.system.db.query<{ person_id: string | null }>({
    text: `with p as (insert into person (name, user_name, email, email_verified) values ('Ada Desk', 'ada.desk@ops.example', 'ada.desk@ops.example', true) returning person_id),
      s as (insert into permission_set (name, tenant_id, permissions) values ('Desk', $1, '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]') returning permission_set_id)
      insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s returning person_id`,
    values: [tenantId],
  });
  expect(ada?.person_id).toBeTruthy();
  const opened = await send(box, plain('bo@customer.example', 'Door', 'Stuck.'));
  const number = opened.body['publicWorkUnitId'];
  const answer = await send(box, plain('ada.desk@ops.example', `Re: [#${String(number)}]`, 'He always complains.'));
  expect(answer.body).toMatchObject({ outcome: 'Replied', publicWorkUnitId: number });
  const note = (await notesOf(await unitOf(number))).at(-1);
  expect(note).toMatchObject({
    detail: 'He always complains.',
    isExternalNote: false,
    isFromCustomer: false,
    createdBy: 'ada.desk@ops.example (mail)',
  });
  const jobs = await world.system.db.query({ text: "select 1 from job where name = 'send-mail' and payload->>'to' like '%bo@customer%'" });
  expect(jobs).toEqual([]);
});

it('stores pictures and files by the checks of notes, and names those that are in the mail alone', async () => {
  const box = await newBox();
  const picture = (await notesOf(await unitOf((await send(box, await sample('apple-inline-picture'))).body['publicWorkUnitId'])))[0];
  expect(filesIn(picture?.['detail'])).toEqual(['Bildschirmfoto 2026-11-23 um 11.02.png']);
  const shown = await world.call(
    me,
    'GET',
    `/v1/workunits/files/${fileId(picture?.['detail'], 'Bildschirmfoto 2026-11-23 um 11.02.png')}?small=true`,
  );
  expect([shown.status, shown.headers['content-type']]).toEqual([200, 'image/webp']);

  const named = await send(box, await sample('file-names'));
  const unit = await unitOf(named.body['publicWorkUnitId']);
  expect(unit['title']).toBe('Rechnung – für Oktober');
  const detail = (await notesOf(unit))[0]?.['detail'];
  expect(filesIn(detail)).toEqual(['Bericht für Oktober.txt', 'Pläne.pdf', '_pass__word_.txt']);
  expect(detail).toContain('Only in the whole mail: setup.exe');
  expect((await world.call(me, 'GET', `/v1/workunits/files/${fileId(detail, 'Bericht für Oktober.txt')}`)).text).toBe('Grüße');

  const calendar = await unitOf((await send(box, await sample('calendar'))).body['publicWorkUnitId']);
  expect(calendar['description']).toBe('Tuesday at ten, room 4?');
  const signed = await unitOf((await send(box, await sample('smime-signed'))).body['publicWorkUnitId']);
  expect(signed['description']).toBe('Please order two of them.');
  expect((await notesOf(signed))[0]?.['detail']).not.toContain('smime');
  const nested = await unitOf((await send(box, await sample('nested'))).body['publicWorkUnitId']);
  expect(nested).toMatchObject({ title: 'Your invoice', description: 'Is this one real?' });
  expect(filesIn((await notesOf(nested))[0]?.['detail'])).toEqual(['Your invoice.eml']);
  const untitled = await unitOf((await send(box, await sample('empty-subject'))).body['publicWorkUnitId']);
  expect(untitled['title']).toBe('The lift in building B stands still.');
  expect(await readdir(join(folder, 'incoming'))).toEqual([]);
});

it('keeps an archive as it is and opens none', async () => {
  const box = await newBox();
  // 64 MiB of zeros in 64 KiB.
  const content = Buffer.alloc(64 * 1024 ** 2);
  const packed = deflateRawSync(content, { level: 9 });
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(crc32(content), 14);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(content.length, 22);
  head.writeUInt16LE(5, 26);
  const zip = Buffer.concat([head, Buffer.from('a.txt'), packed]);
  const mail = `From: zip@customer.example\r\nSubject: Logs\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n--z\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=logs.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${zip.toString('base64').replaceAll(/.{76}/g, '$&\r\n')}\r\n--z--\r\n`;
  const heap = process.memoryUsage().arrayBuffers;
  const answer = await send(box, mail);
  expect(process.memoryUsage().arrayBuffers - heap).toBeLessThan(40 * 1024 ** 2);
  const detail = (await notesOf(await unitOf(answer.body['publicWorkUnitId'])))[0]?.['detail'];
  expect(filesIn(detail)).toEqual(['logs.zip']);
});

it('refuses what programs write, says why, and counts it', async () => {
  const box = await newBox();
  const opened = await send(box, plain('mara@customer.example', 'Printer does not print', 'x'));
  const unit = await unitOf(opened.body['publicWorkUnitId']);
  const desk = await deskWrites(unit, 'Which one?');
  const before = (await notesOf(unit)).length;
  const vacation = await send(box, await sample('vacation', { REF: desk.id, TAG: `[#${String(unit['publicWorkUnitId'])}]` }));
  expect(vacation.body).toMatchObject({ outcome: 'Refused', reason: 'AutoReply' });
  expect((await send(box, await sample('mailing-list'))).body).toMatchObject({ outcome: 'Refused', reason: 'Bulk' });
  for (const [headers, reason] of [
    ['Precedence: junk\r\n', 'Bulk'],
    ['X-Auto-Response-Suppress: OOF, AutoReply\r\n', 'AutoReply'],
    ['Return-Path: <>\r\n', 'Bounce'],
    ['Auto-Submitted: auto-generated\r\n', 'AutoReply'],
  ])
    expect((await send(box, plain('x@customer.example', `Of ${String(headers)}`.trim(), 'x', headers))).body).toMatchObject({
      outcome: 'Refused',
      reason,
    });
  for (const headers of ['Auto-Submitted: no\r\n', 'Precedence: normal\r\n', 'Return-Path: <x@customer.example>\r\n'])
    expect((await send(box, plain('x@customer.example', headers.trim(), 'x', headers))).body).toMatchObject({ outcome: 'Opened' });
  expect((await notesOf(unit)).length).toBe(before);
  // The report of a mail that did not arrive stands at that mail's unit, once.
  for (let n = 0; n < 2; n += 1) {
    const report = (await sample('bounce', { REF: desk.id })).toString().replace('20261123.9F1@', `20261123.${n}@`);
    expect((await send(box, report)).body).toMatchObject({ outcome: 'Refused', reason: 'Bounce' });
  }
  const history = (
    await world.call(me, 'GET', `/v1/workUnitNotes?$filter=workUnitId eq ${String(unit['workUnitId'])} and isWarning eq true`)
  ).body['value'] as { detail: string }[];
  expect(history.map(({ detail }) => detail)).toEqual([
    'The mail "Re: Printer does not print [#' +
      String(unit['publicWorkUnitId']) +
      ']" to mara@customer.example came back: 5.1.1 550 5.1.1 <mara@customer.example>: Recipient address rejected: User unknown',
  ]);
  const { value, reasons } = await mailsOf(box);
  expect(reasons.map(({ reason, count }) => [reason, count])).toEqual([
    ['AutoReply', 3],
    ['Bounce', 3],
    ['Bulk', 2],
  ]);
  expect(value).toHaveLength(8);
  expect(value.find(({ subject }) => subject.startsWith('[news]'))).toMatchObject({
    sender: 'announce@lists.example',
    sample: 'Much is new.',
    message: 'It was sent to many (Precedence: list).',
  });
});

it('stops loops: its own address, its own mails, and a sender who does not stop', async () => {
  const box = await newBox({ address: 'loop@ops.example', senderLimit: 3 });
  expect((await send(box, plain('Loop@ops.example', 'x y z', 'x'))).body).toMatchObject({ reason: 'OwnAddress' });
  const second = await newBox({ address: 'second@ops.example' });
  expect((await send(second, plain('loop@ops.example', 'x y z', 'x'))).body).toMatchObject({ reason: 'OwnMail' });
  const opened = await send(box, plain('mara@customer.example', 'Loop one', 'x'));
  const desk = await deskWrites(await unitOf(opened.body['publicWorkUnitId']), 'Hello');
  const back = `From: forward@elsewhere.example\r\nSubject: Re: x\r\nMessage-ID: ${desk.id}\r\n\r\nHello`;
  expect((await send(box, back)).body).toMatchObject({ reason: 'OwnMail' });
  const outcomes = [];
  for (let n = 0; n < 5; n += 1) outcomes.push((await send(box, plain('bot@customer.example', `Alarm ${n}`, 'x'))).body['reason']);
  expect(outcomes).toEqual([null, null, null, 'TooMany', 'TooMany']);
});

it('takes what programs send by themselves if the mailbox says so, and still no answer of one', async () => {
  const cron = 'Auto-Submitted: auto-generated\r\nPrecedence: bulk\r\nX-Auto-Response-Suppress: All\r\n';
  const box = await newBox({ programMails: true });
  const first = `From: Cron Daemon <root@web-1.customer.example>\r\nSubject: Cron <root@web-1> backup\r\nMessage-ID: <cron-1@web-1>\r\n${cron}\r\nDisk full`;
  const opened = await send(box, first);
  expect(opened.body).toMatchObject({ outcome: 'Opened' });
  const unit = await unitOf(opened.body['publicWorkUnitId']);
  expect(unit).toMatchObject({ title: 'Cron <root@web-1> backup', stakeHolderFullName: 'Cron Daemon', stakeHolderEmailAddress: null });
  // Nobody writes to a program, so that it answers nothing.
  expect((await deskWrites(unit, 'Looking')).to).toBe('');
  const again = `From: root@web-1.customer.example\r\nSubject: Recovered\r\nReferences: <cron-1@web-1>\r\n${cron}\r\nFine again`;
  expect((await send(box, again)).body).toMatchObject({ outcome: 'Replied', publicWorkUnitId: unit['publicWorkUnitId'] });
  expect((await notesOf(unit)).map((note) => [note['isFromCustomer'], note['isExternalNote']])).toEqual([
    [false, true],
    [false, true],
    [false, false],
  ]);
  // Another system confirms what the desk has written to a person there.
  const request = await unitOf((await send(box, plain('mara@customer.example', 'Printer', 'x'))).body['publicWorkUnitId']);
  const desk = await deskWrites(request, 'Which one?');
  const confirms = (headers: string, subject = 'Received') =>
    send(box, plain('mara@customer.example', subject, 'We have got it', `Auto-Submitted: auto-generated\r\n${headers}`));
  for (const answer of [
    await confirms(`In-Reply-To: ${desk.id}\r\n`),
    await confirms('', `[#${String(request['publicWorkUnitId'])}] Received`),
  ])
    expect(answer.body).toMatchObject({ outcome: 'Refused', reason: 'AutoReply' });
  for (const [headers, reason] of [
    ['Auto-Submitted: auto-replied\r\n', 'AutoReply'],
    ['Precedence: bulk\r\nList-Id: <news.example>\r\n', 'Bulk'],
    ['Auto-Submitted: auto-generated\r\nReturn-Path: <>\r\n', 'Bounce'],
  ])
    expect((await send(box, plain('x@customer.example', `Of ${String(headers)}`.trim(), 'x', headers))).body).toMatchObject({ reason });
});

it('holds what may not come from a customer, and does with unknown senders what the mailbox says', async () => {
  const failed =
    'Authentication-Results: mx.ops.example; spf=fail smtp.mailfrom=evil.example; dkim=none; dmarc=fail (p=reject) header.from=customer.example\r\n';
  const box = await newBox({ unknownSenders: 'Hold' });
  const unknown = await send(box, plain('new@customer.example', 'First', 'x'));
  expect(unknown.body).toMatchObject({ outcome: 'Held', reason: 'UnknownSender', publicWorkUnitId: null });
  const closed = await newBox({ unknownSenders: 'Refuse' });
  expect((await send(closed, plain('new@customer.example', 'Second', 'x'))).body).toMatchObject({
    outcome: 'Refused',
    reason: 'UnknownSender',
  });
  const open = await newBox();
  const opened = await send(open, plain('kay@customer.example', 'Known', 'x'));
  const tag = `[#${String(opened.body['publicWorkUnitId'])}]`;
  const spoofed = await send(open, plain('kay@customer.example', `Re: ${tag}`, 'Send money.', failed));
  expect(spoofed.body).toMatchObject({ outcome: 'Held', reason: 'FailedDmarc' });
  // What the sender has put into the mail does not count: not the header of another server, nor one below that of the trusted one.
  const forged = 'Authentication-Results: mx.evil.example; dmarc=pass\r\n';
  expect(
    (await send(open, plain('kay@customer.example', `Re: ${tag} 2`, 'x', failed + failed.replace('dmarc=fail', 'dmarc=pass') + forged)))
      .body,
  ).toMatchObject({ outcome: 'Held' });
  const commented = failed.replace('spf=fail', 'x=y (; dmarc=pass ) ; spf=fail');
  expect((await send(open, plain('kay@customer.example', `Re: ${tag} 3`, 'x', commented))).body).toMatchObject({ outcome: 'Held' });
  expect((await notesOf(await unitOf(opened.body['publicWorkUnitId']))).length).toBe(1);
  for (const from of ['a@x.example, b@y.example', '', 'undisclosed', '"a@x.example" <b@y.example>, <c@z.example>'])
    expect((await send(open, plain(from, `From ${from.replaceAll(/[^a-z]/g, ' ')}`, 'x'))).body).toMatchObject({
      outcome: 'Refused',
      reason: 'NoSender',
    });
  expect((await send(open, plain('"eve@x.example" <kay@customer.example>', 'Named so', 'x'))).body).toMatchObject({ outcome: 'Opened' });
  // People of the tenant are known, those of another are not.
  const people = await newBox({ unknownSenders: 'Refuse' });
  for (const [name, tenant] of [
    ['ours', tenantId],
    ['theirs', otherId],
  ])
    await world.system.db.query({
      text: `with p as (insert into person (name, user_name, email, email_verified) values ($1, $1 || '@people.example', $1 || '@people.example', true) returning person_id),
        s as (insert into permission_set (name, tenant_id, permissions) values ($1, $2, '[]') returning permission_set_id)
        insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $2::uuid from p, s`,
      values: [name, tenant],
    });
  expect((await send(people, plain('ours@people.example', 'Mine', 'x'))).body).toMatchObject({ outcome: 'Opened' });
  expect((await send(people, plain('theirs@people.example', 'Mine', 'x'))).body).toMatchObject({
    outcome: 'Refused',
    reason: 'UnknownSender',
  });
});

it('takes in a mail that waits by a click of somebody who may, once', async () => {
  const box = await newBox({ unknownSenders: 'Hold' });
  await send(box, plain('"New One" <new1@customer.example>', 'Please help', 'It hurts.'));
  await send(box, plain('new2@customer.example', 'And me', 'x'));
  const { value } = await mailsOf(box);
  const [second, first] = value;
  const take = (caller: TestCaller | null, id = first?.mailId, of = box.id) =>
    world.call(caller, 'POST', `/v1/mailboxes/${of}/mails/${String(id)}/take`, {});
  expect((await take(null)).status).toBe(401);
  expect((await take(holder([tenantId], ['CloudFit.CFS.Sources:view']))).status).toBe(403);
  expect((await take(holder([otherId]))).status).toBe(404);
  expect((await take(me, randomUUID())).status).toBe(404);
  expect((await take(me, first?.mailId, (await newBox()).id)).status).toBe(404);
  // Its bytes stay until somebody decides.
  await sweepWork(world.store, join(folder, 'incoming'), () => Date.now() + 2 * 3_600_000).run(world.system.db);
  const opened = await take(me);
  expect([opened.status, opened.body]).toMatchObject([200, { outcome: 'Opened', publicWorkUnitId: expect.any(Number) }]);
  expect(await unitOf(opened.body['publicWorkUnitId'])).toMatchObject({
    title: 'Please help',
    description: 'It hurts.',
    stakeHolderFullName: 'New One',
  });
  expect((await take(me)).status).toBe(409);
  const dismiss = (caller: TestCaller | null) =>
    world.call(caller, 'POST', `/v1/mailboxes/${box.id}/mails/${String(second?.mailId)}/dismiss`, {});
  expect((await dismiss(null)).status).toBe(401);
  expect((await dismiss(holder([tenantId], ['CloudFit.CFS.Sources:view']))).status).toBe(403);
  expect((await dismiss(holder([otherId]))).status).toBe(404);
  expect((await dismiss(me)).body).toEqual({ outcome: 'Refused' });
  expect((await dismiss(me)).status).toBe(409);
  expect((await world.call(me, 'GET', `/v1/mailboxes(${box.id})`)).body).toMatchObject({ mailsTaken: 1, mailsHeld: 0, mailsRefused: 1 });
  // One that was refused can still be taken in.
  expect((await take(me, second?.mailId)).status).toBe(200);
  expect((await world.call(me, 'GET', `/v1/mailboxes(${box.id})`)).body).toMatchObject({ mailsTaken: 2, mailsRefused: 0 });
  const audit = await world.system.db.query({
    text: "select verb from audit where entity = 'mailboxes' and entity_id = $1 and verb in ('take', 'dismiss') order by audit_id",
    values: [box.id],
  });
  expect(audit).toEqual([{ verb: 'take' }, { verb: 'dismiss' }, { verb: 'take' }]);
});

it('lists a mail of which the rules of units take nothing, and one that is too large or no mail, and loses none', async () => {
  const box = await newBox();
  await world.system.db.query({ text: 'update mailbox set severity_id = $2 where mailbox_id = $1', values: [box.id, 'Nonsense'] });
  expect((await send(box, plain('mara@customer.example', 'Wrong', 'x'))).body).toMatchObject({
    outcome: 'Refused',
    reason: 'NotTaken',
    message: expect.stringContaining('everity'),
  });
  await world.system.db.query({ text: "update mailbox set severity_id = 'Sev3' where mailbox_id = $1", values: [box.id] });
  expect((await send(box, 'no mail at all')).body).toMatchObject({ outcome: 'Refused' });
  expect(
    (await send(box, `From: a@b.example\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${'--x\r\n\r\n'.repeat(20_000)}`)).body,
  ).toMatchObject({ reason: 'Unreadable' });
  const over = Buffer.concat([Buffer.from(plain('mara@customer.example', 'Forty', 'x')), Buffer.alloc(40 * 1024 ** 2, 'x')]);
  expect((await send(box, over)).status).toBe(413);
  // What a mailbox has is larger than what a mail server hands over: its beginning is read.
  const ctx = world.ctx(me);
  const open = await (await import('./mailbox.ts')).readMailbox(ctx.db, box.id);
  if (!open) throw new Error('The mailbox is there.');
  const result = await world.taker.take({ ...ctx }, open, { bytes: over.subarray(0, mailBytes), size: over.length });
  expect(result).toMatchObject({ outcome: 'Refused', reason: 'TooLarge' });
  const { value } = await mailsOf(box);
  expect(value.map(({ reason }) => reason).toSorted()).toEqual(['NoSender', 'NotTaken', 'TooLarge', 'Unreadable'].toSorted());
  const large = value.find(({ reason }) => reason === 'TooLarge');
  expect(large).toMatchObject({ subject: 'Forty', size: over.length });
  const opened = await world.call(me, 'POST', `/v1/mailboxes/${box.id}/mails/${String(large?.mailId)}/take`, {});
  expect(opened.status).toBe(200);
});

it('tells mail servers what is wrong with token, address or type', async () => {
  const box = await newBox();
  const mail = Buffer.from(plain('mara@customer.example', 'Hello there', 'x'));
  const post = (headers: Record<string, string>, id = box.id, body: Buffer = mail) =>
    world.call(null, 'POST', `/v1/mailboxes/${id}/mail`, body, { 'content-type': 'message/rfc822', ...headers });
  const bearer = { authorization: `Bearer ${box.token}` };
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: 'Bearer cfmb_short' })).text).toContain('not a complete token');
  expect((await post({ authorization: `Bearer ${(await newBox()).token}` })).text).toContain('do not belong together');
  expect((await post(bearer, randomUUID())).status).toBe(401);
  expect((await post({ ...bearer, 'content-type': 'application/json' })).status).toBe(415);
  expect((await post(bearer, box.id, Buffer.alloc(0))).status).toBe(400);
  const piped = await post(bearer, box.id, Buffer.concat([Buffer.from('From mara@customer.example Mon Nov 23 10:00:00 2026\n'), mail]));
  expect(piped.body).toMatchObject({ outcome: 'Opened' });
  expect((await post({ authorization: `Basic ${Buffer.from(`x:${box.token}`).toString('base64')}` })).status).toBe(200);
  await world.call(me, 'POST', `/v1/mailboxes/${box.id}`, { enabled: false });
  expect((await post(bearer)).status).toBe(403);
  const renewed = await world.call(me, 'PUT', `/v1/mailboxes/${box.id}/token`);
  expect(renewed.status).toBe(200);
  await world.call(me, 'POST', `/v1/mailboxes/${box.id}`, { enabled: true });
  expect((await post(bearer)).status).toBe(401);
  expect((await post({ authorization: `Bearer ${String(renewed.body['generatedToken'])}` })).status).toBe(200);
});
