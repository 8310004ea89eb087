/** One question over all rules: why somebody was notified because of a packet, or why nobody was. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EntityExplanation, RuleOfEntity } from '@cloudfit/contract/actions/explain.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { evaluateSilenceOfAll } from '../run/silence/sweep.ts';
import { silent, until } from '../testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let ingest: Ingest;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  ingest = await openIngest({ database: world.database, log: silent });
});
// Each test has a new tenant, because an explanation counts all rules of the tenant.
beforeEach(async () => {
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const always = { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'UTC' };
const over = (limit: number, more: object = {}) => ({
  Type: 'And',
  LeftOperand: 62,
  LeftOperandFieldName: 'Cpu',
  Operator: 3,
  RightOperand: String(limit),
  ...more,
});
const silentFor = (seconds: number) => ({ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(seconds) });

async function call(method: string, url: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await world.call(me, method, url, body);
  if (reply.status >= 300) throw new Error(reply.text);
  return reply.body;
}

const device = async (name: string) => String((await call('PUT', '/v1/devices', { name, ...home }))['deviceId']);

/** Waits until every process has read whether the rule is in force. */
async function inForce(id: string, is: boolean): Promise<void> {
  for (const rules of [ingest.rules, await world.rules()])
    await until(() => is === Boolean(rules.ingestion().get(id) ?? rules.maintenance().get(id)));
}

/** Creates a rule about one device and waits until every process has read the rule. */
async function rule(name: string, deviceId: string, conditions: object[], more: object = {}): Promise<string> {
  const about = { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: deviceId };
  const id = String(
    (await call('PUT', '/v1/rules', { name, ruleTypeId: 1, ...home, conditions: [about, ...conditions], ...more }))['ruleId'],
  );
  await inForce(id, true);
  return id;
}

async function send(entityId: string, Cpu: number, timestamp?: string): Promise<void> {
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  const { value } = await ingest.ingestBody(
    token,
    [{ entityId, message: { Metrics: { Cpu } }, ...(timestamp ? { timestamp } : {}) }],
    'application/json',
  );
  expect(value[0]?.status).toBe('stored');
}

async function explain(entityId: string, query = '', caller = me): Promise<EntityExplanation> {
  const reply = await world.call(caller, 'GET', `/v1/explain?entityId=${entityId}${query}`);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body as unknown as EntityExplanation;
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
const named = ({ rules }: EntityExplanation, name: string) => rules.find((rule) => rule.ruleName === name) as RuleOfEntity;

async function callOut(): Promise<object> {
  const fields = {
    name: 'Call',
    actionDefinitionTypeId: 3,
    tenantId: home.tenantId,
    endpointUrl: 'http://127.0.0.1:1/',
    httpMethod: 'POST',
  };
  return { ActionDefinitionId: (await call('PUT', '/v1/actionDefinitions', fields))['actionDefinitionId'], Parameters: {} };
}

describe('the explanation of a packet over all rules', () => {
  it('answers in the language that the caller accepts', async () => {
    const web = await device('web-1');
    await rule('Hot', web, [over(90, { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } })]);
    await rule('Cold', web, [over(95)]);
    await send(web, 93);
    const textsIn = async (language: string) => {
      const { body } = await world.call(me, 'GET', `/v1/explain?entityId=${web}`, undefined, { 'accept-language': language });
      const { summary, rules } = body as unknown as EntityExplanation;
      return [summary, ...rules.flatMap(({ summary: text, reasons, conditions }) => [text, ...reasons, conditions])].join('\n');
    };
    const german = await textsIn('de-AT, en;q=0.5');
    expect(german).toContain('Keine Regel traf zu, deshalb wurde niemand benachrichtigt.');
    expect(german).toContain('(Metrik Cpu > 90, 3-mal in Folge): sah 93, erfüllt, aber noch nicht oft genug.');
    expect(german).toContain('(Metrik Cpu > 95): sah 93, nicht erfüllt.');
    expect(german).not.toMatch(/\b(?:the|and|which|held|saw|not|matched)\b/i);
    for (const language of ['fr', '*', 'en'])
      expect(await textsIn(language)).toContain('(Metric Cpu > 90, 3 times in a row) saw 93, which holds, but not often enough yet.');
  });

  it('lists the rules that held with their actions, then those that came closest, with what failed', async () => {
    const id = await device('explained');
    await rule('holds', id, [over(90)], { matchActions: [await callOut()] });
    await rule('nearly', id, [over(90), over(99)]);
    await rule('far', id, [over(98), over(99)]);
    await rule('three in a row', id, [over(90, { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } })]);
    await rule('of another', await device('other'), [over(1)]);
    await send(id, 95);
    const first = await explain(id);
    expect(first.rules.map(({ ruleName, outcome }) => [ruleName, outcome])).toEqual([
      ['holds', 'hit'],
      ['three in a row', 'miss'],
      ['nearly', 'miss'],
      ['far', 'miss'],
    ]);
    expect(named(first, 'holds').actions).toMatchObject([
      { name: 'Call', phase: 'match', resultStatusId: resultStatus.enqueueSuccess, nextTry: expect.any(String) },
    ]);
    expect(first).toMatchObject({
      summary: '1 rule held, 1 action will be tried again.',
      actions: { run: 0, waiting: 1, failed: 0, suppressed: 0 },
      leftOut: 1,
    });
    expect(first.counts).toEqual({ hit: 1, miss: 4 });
    expect(named(first, 'nearly').reasons).toEqual([expect.stringMatching(/^Condition 3 .*99.*saw 95, which does not hold\.$/)]);
    expect(named(first, 'three in a row').reasons[0]).toBe('What the rule counts was not there often or long enough.');
    await send(id, 95);
    await send(id, 95);
    const third = await explain(id);
    expect([named(third, 'holds').outcome, named(third, 'three in a row').outcome]).toEqual(['repeated', 'hit']);
    // The first packet is explained as before.
    const again = await explain(id, `&packetId=${first.packet?.packetId}`);
    expect([named(again, 'holds').outcome, named(again, 'three in a row').outcome]).toEqual(['hit', 'miss']);
  });

  it('says that nobody was textsIn, and which newer packet made one stale', async () => {
    const id = await device('late one');
    await rule('late', id, [over(90)]);
    await send(id, 5);
    const newest = await explain(id);
    expect(newest.summary).toBe('No rule held, so nobody was notified.');
    await send(id, 95, ago(100));
    const stale = await explain(id, `&at=${ago(90)}`);
    expect(stale).toMatchObject({ newerPacket: { packetId: newest.packet?.packetId }, counts: { stale: 1 } });
    expect(named(stale, 'late').outcome).toBe('stale');
  });

  it('says who disabled a rule, and whether it would have held', async () => {
    const id = await device('disabled one');
    const [yes, no] = [await rule('would hold', id, [over(90)]), await rule('would not', id, [over(99)])];
    for (const one of [yes, no]) {
      await call('POST', `/v1/rules/${one}`, { enabled: false });
      await inForce(one, false);
    }
    await send(id, 95);
    const answer = await explain(id);
    expect(answer.rules.map(({ ruleName, outcome, reasons, disabled }) => [ruleName, outcome, reasons, disabled?.by])).toEqual([
      ['would hold', 'disabled', ['It would have held.'], 'person@example.com'],
    ]);
    const one = await call('GET', `/v1/rules/${yes}/explain?entityId=${id}`);
    expect(one).toMatchObject({ outcome: 'disabled', disabled: { by: 'person@example.com', at: expect.any(String) } });
  });

  it('judges by the rules of that time', async () => {
    const id = await device('changed rule');
    const changed = await rule('changed', id, [over(90)]);
    const deleted = await rule('deleted', id, [over(90)]);
    await send(id, 95);
    await call('POST', `/v1/rules/${changed}`, { conditions: [over(99)] });
    await call('DELETE', `/v1/rules/${deleted}`);
    await inForce(deleted, false);
    await rule('created since', id, [over(90)]);
    const answer = await explain(id);
    expect(answer.rules.map(({ ruleName, outcome }) => [ruleName, outcome])).toEqual([
      ['changed', 'hit'],
      ['deleted', 'hit'],
    ]);
    // The id of a deleted rule works, too.
    expect(await call('GET', `/v1/rules/${deleted}/explain?entityId=${id}`)).toMatchObject({
      outcome: 'hit',
      disabled: { by: 'person@example.com' },
    });
    const before = await call('GET', `/v1/rules/${deleted}/explain?entityId=${id}&at=${answer.packet?.received}`);
    expect(before).toMatchObject({ outcome: 'hit', ruleName: 'deleted' });
  });

  it('says until when the actions of a rule wait in maintenance', async () => {
    const id = await device('maintained');
    await rule('in maintenance', id, [over(90)], { matchActions: [await callOut()] });
    const end = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString();
    await rule('window', id, [], { ruleTypeId: 5, timeConditions: { ...always, EndRange: end } });
    await send(id, 95);
    const answer = await explain(id);
    expect(answer.maintenance).toEqual({
      inMaintenance: true,
      rules: [expect.objectContaining({ name: 'window' })],
      windows: [],
      until: end,
    });
    expect(named(answer, 'in maintenance')).toMatchObject({
      outcome: 'suppressed',
      match: { heldSince: expect.any(String), heldUntil: null },
    });
    expect(answer.summary).toBe(`1 rule held, actions are held by the rule window until ${end}.`);
  });

  it('explains the silence of an entity, and one that never reported', async () => {
    const id = await device('silent one');
    await rule('silence', id, [silentFor(60)], { ruleTypeId: 3 });
    expect(await explain(id)).toMatchObject({
      packet: null,
      silentSeconds: null,
      summary: expect.stringContaining('had not sent a packet'),
    });
    await send(id, 5, ago(90));
    await evaluateSilenceOfAll(world.system.db, ingest);
    const answer = await explain(id);
    expect(named(answer, 'silence')).toMatchObject({ event: 'silence', match: { matchCount: 1 } });
    expect(answer.silentSeconds).toBeGreaterThanOrEqual(90);
  });

  it('lists matches about its device and its subscription too, and rules that were disabled then', async () => {
    const id = await device('with others');
    await send(id, 95);
    const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
    const foreign = await world.tenant();
    const add = async (name: string, typeId: number, subject: string, secondsAgo: number, tenantId = home.tenantId) => {
      const [created] = await rows<{ id: string }>(
        "insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, $2, $3, '[]') returning rule_id as id",
        tenantId,
        name,
        typeId,
      );
      await rows(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
         values ($1, $2, $3, 'x', now() + interval '1 hour', $4, $4, gen_random_uuid())`,
        tenantId,
        created?.id,
        subject,
        ago(secondsAgo),
      );
    };
    await add('both', 2, id, 600);
    await add('many', 6, home.subscriptionId, 600);
    await add('just now', 6, home.subscriptionId, 0);
    await add('silence', 3, id, 600);
    await add('foreign', 6, home.subscriptionId, 600, foreign.tenantId);
    await add('of another device', 2, crypto.randomUUID(), 600);
    const answer = await explain(id);
    expect(answer.rules.map(({ ruleName, outcome, event, reasons }) => [ruleName, outcome, event, reasons[0]]).toSorted()).toEqual([
      ['both', 'repeated', 'match', 'The match is about its device.'],
      ['just now', 'hit', 'count', 'The match is about its subscription, or a group that it belongs to.'],
      ['many', 'repeated', 'count', 'The match is about its subscription, or a group that it belongs to.'],
      ['silence', 'repeated', 'silence', 'The entity never reported: it has been silent since its creation.'],
    ]);
    expect([answer.counts, answer.summary]).toEqual([{ repeated: 3, hit: 1 }, '4 rules held, no action of theirs is on record.']);
    expect(answer.leftOut).toBe(0);
  });

  it('judges a rule that was disabled then, and enabled since, as disabled', async () => {
    const id = await device('enabled later');
    const [later, other] = [
      await rule('enabled later', id, [over(90)]),
      await rule('maintenance', id, [], { ruleTypeId: 5, timeConditions: always }),
    ];
    for (const one of [later, other]) {
      await call('POST', `/v1/rules/${one}`, { enabled: false });
      await inForce(one, false);
    }
    await send(id, 95);
    const off = await explain(id);
    expect([off.rules.map(({ ruleName, outcome }) => [ruleName, outcome]), off.counts]).toEqual([
      [['enabled later', 'disabled']],
      { disabled: 1 },
    ]);
    await call('POST', `/v1/rules/${later}`, { enabled: true });
    await inForce(later, true);
    const { rules, counts } = await explain(id);
    expect([rules.map(({ ruleName, outcome }) => [ruleName, outcome]), counts]).toEqual([[['enabled later', 'disabled']], { disabled: 1 }]);
  });

  it('is for those who may see the rules of the tenant', async () => {
    const id = await device('guarded');
    const ask = async (caller: TestCaller, query = `entityId=${id}`) => (await world.call(caller, 'GET', `/v1/explain?${query}`)).status;
    const other = await world.tenant();
    expect(await ask(holder([other.tenantId]))).toBe(404);
    expect(await ask(holder([home.tenantId], ['Devices:view']))).toBe(403);
    expect(await ask(me, `entityId=${id}&packetId=${crypto.randomUUID()}`)).toBe(404);
    expect(await ask(me, 'entityId=x')).toBe(400);
  });
});
