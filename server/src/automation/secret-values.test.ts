/** Secrets in calls: only those of the tenant, only on the wire, masked in recorded answers. */
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { masterKeyOf } from '../auth/master-key.ts';
import { openHopCounts, type HopCounts } from '../context/hop-count.ts';
import { openTenantSecrets, type TenantSecrets } from '../auth/tenant-secrets.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from '../outbound/http.ts';
import { readerOf } from '../platform/language.ts';
import { attemptOf } from '../testing/attempt.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import type { QueuedAction, QueuedExecution } from './execution.ts';
import { callEndpoint } from './call-endpoint.ts';
import { notKept } from '@cloudfit/contract/secret-traces.ts';
import { signatureHeaders } from './webhook-signature.ts';

let test: TestDatabase;
let database: Database;
let db: Db;
let secrets: TenantSecrets;
let hopCounts: HopCounts;
let tenantId: string;
let otherId: string;

const tenant = async (name: string): Promise<string> => {
  const [row] = await db.query<{ id: string }>({ text: 'insert into tenant (name) values ($1) returning tenant_id as id', values: [name] });
  return row?.id ?? '';
};
const keep = async (owner: string, name: string, value: string): Promise<void> => {
  const [row] = await db.query<{ id: string }>({
    text: 'insert into tenant_secret (tenant_id, name, latest_version) values ($1, $2, 1) returning id',
    values: [owner, name],
  });
  await secrets.write(db, { tenantId: owner, secretId: row?.id ?? '', version: 1 }, value, 'test');
};

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
  db = database.scoped('all');
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  secrets = openTenantSecrets(masterKey);
  hopCounts = openHopCounts(masterKey);
  [tenantId, otherId] = [await tenant('Acme'), await tenant('Other')];
  await keep(tenantId, 'api', 'p"ä ss/1');
  await keep(otherId, 'foreign', 'theirs');
});
afterAll(async () => {
  await database.close();
  await test.close();
});

async function send(
  definition: Partial<QueuedAction>,
  parameters: QueuedExecution['parameters'] = {},
  answerOf: (call: OutboundRequest) => string = () => 'noted',
) {
  const calls: OutboundRequest[] = [];
  const http: OutboundHttp = {
    send: async (call) => {
      await call.begin?.();
      calls.push(call);
      const answer: OutboundAnswer = { status: 200, body: answerOf(call), truncated: false, durationMs: 1, retryAfterMs: undefined };
      return answer;
    },
    close: () => Promise.resolve(),
  };
  const whole = {
    id: crypto.randomUUID(),
    tenantId: null,
    name: 'x',
    typeId: 4,
    httpMethod: 'POST',
    headers: null,
    body: null,
    expected: {},
    reference: {},
    ...definition,
  } as QueuedAction;
  const execution = {
    messageId: crypto.randomUUID(),
    correlationId: crypto.randomUUID(),
    tenantId,
    definition: whole,
    parameters,
    unfilled: {},
    reader: readerOf(null),
    values: { DeviceName: '{Secret:api}', ...parameters },
  } as unknown as QueuedExecution;
  const { detail } = await callEndpoint({ http, secrets, hopCounts, db }, whole, execution, {
    ...attemptOf(1, URL.canParse(whole.endpointUrl ?? '') ? new URL(whole.endpointUrl ?? '').origin : 'https://example.com'),
    status: undefined,
    requireSlot: async () => 'had',
    begin: async (_sending, record) => record?.(db),
    lookBack: async () => ({ hasBegun: false, sinceMs: 0, isUnknown: false }),
    noteTwice: async () => undefined,
    end: async () => undefined,
    inOne: (_sending, work) => work(db),
    isRecorded: false,
  });
  return { call: calls[0] as OutboundRequest, detail };
}

describe('{Secret:name}', () => {
  it('is filled in address, header and body, encoded for where it stands, and the call stays with its receiver', async () => {
    const { call } = await send({
      endpointUrl: 'https://example.com/{Secret:api}',
      headers: 'X-Key: {Secret:api}',
      body: '{"key":"{Secret:api}"}',
    });
    expect(call).toMatchObject({
      url: 'https://example.com/p%22%C3%A4%20ss%2F1',
      headers: { 'x-key': 'p"ä ss/1' },
      body: '{"key":"p\\"ä ss/1"}',
      confined: true,
    });
  });

  it('is filled where a parameter is a secret, and nowhere else in values', async () => {
    const { call } = await send(
      { endpointUrl: 'https://example.com/', body: '{"key":"{Key}","text":"{Text}","name":"{DeviceName}"}' },
      { Key: '{Secret:api}', Text: 'see {Secret:api}' },
    );
    expect(JSON.parse(String(call.body))).toEqual({ key: 'p"ä ss/1', text: 'see {Secret:api}', name: '{Secret:api}' });
  });

  it('of another tenant or of nobody stays as it stands and is noted', async () => {
    const { call, detail } = await send({ endpointUrl: 'https://example.com/', body: '{"a":"{Secret:foreign}","b":"{Secret:none}"}' });
    expect(call.body).toBe('{"a":"{Secret:foreign}","b":"{Secret:none}"}');
    expect(detail).toMatchObject({ unknownPlaceholders: ['Secret:foreign', 'Secret:none'] });
    const { call: forged } = await send({ endpointUrl: 'https://example.com/', body: '"{Secret:none}"' }, { 'Secret:none': 'mine' });
    expect(forged.body).toBe('"{Secret:none}"');
  });

  it('is masked in the answer that is kept, however it comes back', async () => {
    const { detail } = await send({ endpointUrl: 'https://example.com/{Secret:api}', body: '"{Secret:api}"' }, {}, (call) =>
      [call.url, call.body, 'p"ä ss/1', Buffer.from('p"ä ss/1').toString('base64')].join(' | '),
    );
    expect(detail['answer']).toBe('https://example.com/*** | "***" | *** | ***');
    const cut = await send({ endpointUrl: 'https://example.com/', body: '"{Secret:api}"' }, {}, () => 'so far p"ä s');
    expect(cut.detail['answer']).toBe('so far ***');
  });

  describe('is not kept in an answer that transforms it', () => {
    const value = 'TopSecret-3ebc/d9da';
    const turned = Array.from(value).toReversed().join('');
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const hex = Buffer.from(value).toString('hex');
    const each = (by: (character: string) => string) => Array.from(value, by).join('');
    const code = (character: string) => character.codePointAt(0) ?? 0;
    beforeAll(() => keep(tenantId, 'long', value));

    it.each([
      ['as it is', value],
      ['reversed', turned],
      ['upper', value.toUpperCase()],
      ['lower and reversed', turned.toLowerCase()],
      ['base64', base64(value)],
      ['base64 reversed', Array.from(base64(value)).toReversed().join('')],
      ['base64 of the reverse', base64(turned)],
      ['base64 within other text', base64(`user:${value}!`)],
      ['base64 one further', base64(`users:${value}`)],
      ['base64 twice', base64(base64(value))],
      ['base64 for URLs', Buffer.from(`??>${value}`).toString('base64url')],
      ['hex', hex],
      ['hex upper', hex.toUpperCase()],
      ['hex with colons', hex.replaceAll(/../g, (pair) => `${pair}:`)],
      ['URL', encodeURIComponent(value)],
      ['URL twice', encodeURIComponent(encodeURIComponent(value))],
      ['URL in lower case', encodeURIComponent(value).toLowerCase()],
      ['every character for URLs', each((item) => `%${code(item).toString(16)}`)],
      ['JSON', each((item) => `\\u${code(item).toString(16).padStart(4, '0')}`)],
      ['JSON with slashes', value.replaceAll('/', '\\/')],
      ['HTML', each((item) => `&#${code(item)};`)],
      ['spaced', each((item) => `${item} `)],
    ])('%s', async (_how, answer) => {
      const { detail } = await send({ endpointUrl: 'https://example.com/', body: '"{Secret:long}"' }, {}, () => `{"you sent":"${answer}"}`);
      const storedAnswer = String(detail['answer']);
      expect(
        storedAnswer === notKept || storedAnswer === '{"you sent":"***"}' || /^[^:]*:"[^"]{0,8}\*\*\*[^"]{0,8}"\}$/.test(storedAnswer),
      ).toBe(true);
    });

    it('and nothing else is withheld', async () => {
      const answer = `{"id":"${crypto.randomUUID()}","text":"Top secret things, 3 of them","data":"${base64('nothing of that kind')}"}`;
      const { detail } = await send({ endpointUrl: 'https://example.com/', body: '"{Secret:long}"' }, {}, () => answer);
      expect(detail['answer']).toBe(answer);
    });
  });

  it('goes only to hosts and through actions that its policy names, and each use is recorded by its name', async () => {
    await keep(tenantId, 'guarded', 'violet tractor');
    const set = (hosts: string | null, actions: string[] | null) =>
      db.query({
        text: "update tenant_secret set allowed_hosts = $2, allowed_actions = $3 where tenant_id = $1 and name = 'guarded'",
        values: [tenantId, hosts, actions && JSON.stringify(actions)],
      });
    const id = crypto.randomUUID();
    const use = (host: string) => send({ id, endpointUrl: `https://${host}/{Secret:guarded}` });
    await set('api.example.com, *.internal.example.com', null);
    for (const host of ['api.example.com', 'API.example.com', 'a.internal.example.com']) await use(host);
    for (const host of ['example.com', 'internal.example.com', 'api.example.com.evil.test', 'evil.test'])
      await expect(use(host)).rejects.toThrow(`, and not to ${host}.`);
    await set(null, [crypto.randomUUID()]);
    await expect(use('api.example.com')).rejects.toThrow('this is not one of them');
    await set('api.example.com', [id]);
    await use('api.example.com');
    const uses = await db.query<{ after: Record<string, unknown> | null }>({
      text: "select after from audit where verb = 'use' and tenant_id = $1 and after->>'name' = 'guarded' order by audit_id",
      values: [tenantId],
    });
    expect(uses.map(({ after }) => after?.['host'])).toEqual([
      'api.example.com',
      'api.example.com',
      'a.internal.example.com',
      'api.example.com',
    ]);
    expect(JSON.stringify(uses)).not.toContain('violet');
  });
});

describe('the signature of calls', () => {
  it('is of the tenant, by the newest secret, and by the one before for a day', async () => {
    const key = randomBytes(24);
    const [row] = await db.query<{ id: string }>({
      text: "insert into tenant_secret (tenant_id, name, latest_version) values ($1, 'webhook-signature', 1) returning id",
      values: [tenantId],
    });
    const version = (n: number) => ({ tenantId, secretId: row?.id ?? '', version: n });
    await secrets.write(db, version(1), `whsec_${key.toString('base64')}`, 'test');
    const { call } = await send({ endpointUrl: 'https://example.com/', body: '{"a":1}' });
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = call.headers;
    expect(id).toBe(call.messageId);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(60);
    const sign = (by: Buffer | string, when = at) => `v1,${createHmac('sha256', by).update(`${id}.${when}.{"a":1}`).digest('base64')}`;
    expect(signature).toBe(sign(key));
    await secrets.write(db, version(2), 'a plain text', 'test');
    const signed = { tenantId, messageId: String(id), body: '{"a":1}' };
    const now = new Date();
    const seconds = String(Math.floor(now.getTime() / 1_000));
    expect((await signatureHeaders(secrets, db, signed, now))['webhook-signature']).toBe(
      `${sign('a plain text', seconds)} ${sign(key, seconds)}`,
    );
    const later = new Date(now.getTime() + 25 * 3_600_000);
    expect((await signatureHeaders(secrets, db, signed, later))['webhook-signature']).not.toContain(' ');
    expect(await signatureHeaders(secrets, db, { ...signed, tenantId: otherId })).toEqual({});
  });
});
