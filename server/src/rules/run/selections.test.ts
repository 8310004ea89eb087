/** Selections in conditions of rules and on status pages: a change of a member holds from the next packet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followSelections } from '../../automation/selections/follow.ts';
import { readStatus } from '../../features/status-pages/read-status.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { cpu, cpuOver90, send, silent, until } from '../testing/flow.ts';
import { keepUp } from '../testing/pulse.ts';

let world: TestWorld;
let ingest: Ingest;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
  await keepUp(world.system.db);
  ingest = await openIngest({ database: world.database, log: silent });
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const put = async (resource: string, body: object): Promise<WorldReply> => world.call(me, 'PUT', `/v1/${resource}`, body);
async function idOf(resource: string, key: string, body: object): Promise<string> {
  const reply = await put(resource, body);
  expect(reply.status, reply.text).toBe(201);
  return String(reply.body[key]);
}
const details = ({ body }: WorldReply) => (body['error'] as { details: { target: string; message: string }[] }).details;
const device = (name: string) => idOf('devices', 'deviceId', { name, ...home, operatingSystemId: 4 });
const selection = (filter: string) =>
  idOf('deviceSelections', 'deviceSelectionId', { name: `Selection ${crypto.randomUUID()}`, tenantId: home.tenantId, filter });
const isIn = (id: string, Operator = 1) => ({ Type: 'And', LeftOperand: 37, Operator, RightOperand: id });
const ruleBody = (conditions: object[]) => ({ name: `Rule ${crypto.randomUUID()}`, ruleTypeId: 1, tenantId: home.tenantId, conditions });
const token = () => world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
const matched = async (rule: string) =>
  (
    await world.system.db.query<{ id: string }>({
      text: 'select subject_id as id from rule_match where rule_id = $1 order by 1',
      values: [rule],
    })
  ).map(({ id }) => id);
const selectionsOf = async (id: string) => (await ingest.entities.find([id])).get(id)?.device?.selections ?? [];

describe('a condition on a selection', () => {
  it('follows its members: a device that joins or leaves is judged so from its next packet', async () => {
    const [inside, outside] = [await device('sel-in'), await device('sel-out')];
    const id = await selection("contains(tags,'live')");
    const rule = await idOf('rules', 'ruleId', ruleBody([isIn(id.toUpperCase()), cpuOver90]));
    const others = await idOf('rules', 'ruleId', ruleBody([isIn(id, 2), cpuOver90]));
    await until(() => ingest.rules.ingestion().get(others));
    await send(ingest, token(), cpu(inside, 95), cpu(outside, 95));
    expect([await matched(rule), (await matched(others)).length]).toEqual([[], 2]);
    await world.call(me, 'POST', `/v1/devices/${inside}`, { tags: 'live' });
    await followSelections(world.database, world.system.log, false);
    await until(async () => (await selectionsOf(inside)).includes(id));
    await send(ingest, token(), cpu(inside, 96), cpu(outside, 96));
    expect(await matched(rule)).toEqual([inside]);
    await world.call(me, 'POST', `/v1/devices/${inside}`, { tags: '' });
    await followSelections(world.database, world.system.log, false);
    await until(async () => !(await selectionsOf(inside)).includes(id));
    const now = await world.call(me, 'POST', `/v1/rules/matchingNow`, { rule: ruleBody([isIn(id), cpuOver90]) });
    expect(now.body).toMatchObject({ entities: 0 });
    const why = await world.call(me, 'GET', `/v1/rules/${rule}/explain?entityId=${outside}`);
    expect(JSON.stringify(why.body['reasons'] ?? why.body)).toContain('selections of the device are taken as they are now');
  });

  it('names a selection of the tenant or of all, which is then not deleted', async () => {
    const foreign = await world.call(holder('all'), 'PUT', '/v1/deviceSelections', {
      name: 'Theirs',
      tenantId: other.tenantId,
      filter: "name eq 'x'",
    });
    const refused = await put('rules', ruleBody([isIn(String(foreign.body['deviceSelectionId'])), cpuOver90]));
    expect(details(refused)).toMatchObject([{ target: 'conditions[0].RightOperand', message: 'Device Selection was not found.' }]);
    const id = await selection("name eq 'sel-in'");
    await idOf('rules', 'ruleId', { ...ruleBody([isIn(id), cpuOver90]), name: 'Reader of it' });
    const refusal = await world.call(me, 'DELETE', `/v1/deviceSelections/${id}`);
    expect(details(refusal)[0]?.message).toBe('Rules are for this selection: Reader of it. Give them another selection first.');
  });
});

it('stays for all tenants, or for that of its rules and status pages, while they name it', async () => {
  const all = holder('all');
  for (const kind of ['rule', 'status page']) {
    const created = await world.call(all, 'PUT', '/v1/deviceSelections', {
      name: `For all, ${kind}`,
      tenantId: null,
      filter: "name eq 'x'",
    });
    const id = String(created.body['deviceSelectionId']);
    const name = `Of ours, ${kind}`;
    if (kind === 'rule') await idOf('rules', 'ruleId', { ...ruleBody([isIn(id), cpuOver90]), name });
    else
      await idOf('statusPages', 'statusPageId', {
        tenantId: home.tenantId,
        title: name,
        components: [{ name: 'Servers', kind: 'Selection', of: id }],
      });
    const move = (tenantId: string) => world.call(all, 'POST', `/v1/deviceSelections/${id}`, { tenantId });
    const refused = await move(other.tenantId);
    expect(refused.status, refused.text).toBe(400);
    expect(details(refused)).toMatchObject([
      { target: 'tenantId', message: `The ${kind} ${name} is for this selection and for other tenants.` },
    ]);
    expect((await move(home.tenantId)).status).toBe(200);
  }
});

it('gives a component of a status page the devices of a selection, and only while they are in it', async () => {
  const one = await device('status-1');
  const id = await selection("startswith(name,'status-')");
  const body = { title: 'Status', tenantId: home.tenantId, components: [{ name: 'Web', kind: 'Selection', of: id }] };
  await idOf('statusPages', 'statusPageId', body);
  const unit = await idOf('workUnits', 'workUnitId', { title: 'Down', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.tenantId });
  await world.system.db.query({
    text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
      values ($1, uuidv7(), $2, 'match', now() + interval '1 hour', now(), now(), uuidv7(), $3)`,
    values: [home.tenantId, one, Number(unit)],
  });
  const level = async () => {
    const page = {
      tenantId: home.tenantId,
      title: 'Status',
      description: null,
      components: [{ name: 'Web', kind: 'Selection' as const, of: id }],
    };
    return (await readStatus(world.system.db, page, new Date())).components[0]?.level;
  };
  expect(await level()).toBe('Outage');
  await world.call(me, 'POST', `/v1/devices/${one}`, { name: 'other-1' });
  await followSelections(world.database, world.system.log, false);
  expect(await level()).toBe('Operational');
  expect(details(await world.call(me, 'DELETE', `/v1/deviceSelections/${id}`))[0]?.message).toContain(
    'Status pages are for this selection',
  );
});
