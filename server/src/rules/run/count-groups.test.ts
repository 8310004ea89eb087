/** Rules about many entities that count for each location, tag or device type. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CountBy } from '@cloudfit/contract/enums.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { countMany } from './count-many.ts';
import { keepUp } from '../testing/pulse.ts';
import { silent, until } from '../testing/flow.ts';

let world: TestWorld;
let ingest: Ingest;
let automation: Automation;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let berlin: string;
let oslo: string;

type Body = Record<string, unknown>;

async function call(method: string, url: string, body?: Body): Promise<Body> {
  const answer = await world.call(me, method, url, body);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
  return answer.body;
}

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  ingest = await openIngest({ database: world.database, log: silent });
});
beforeEach(async () => {
  await keepUp(world.system.db);
  home = await world.tenant();
  me = holder([home.tenantId]);
  const location = async (name: string) => String((await call('PUT', '/v1/locations', { name, tenantId: home.tenantId }))['locationId']);
  [berlin, oslo] = [await location('Berlin'), await location('Oslo')];
});
afterAll(async () => {
  await ingest.stop();
  await automation.stop();
  await world.close();
});

const device = async (name: string, more: Body) => String((await call('PUT', '/v1/devices', { name, ...home, ...more }))['deviceId']);
const sum = (RightOperand: string): Condition => ({
  Type: 'And',
  LeftOperand: 75,
  LeftOperandFieldName: 'Sessions',
  Operator: 3,
  RightOperand,
  WindowSeconds: 300,
});

async function rule(countBy: CountBy, more: Body = {}): Promise<string> {
  const body = {
    name: `By ${countBy}`,
    ruleTypeId: 6,
    ...home,
    subscriptionId: null,
    countBy,
    conditions: [sum('100')],
    ...more,
  };
  const ruleId = String((await call('PUT', '/v1/rules', body))['ruleId']);
  await until(() => ingest.rules.aggregation().get(ruleId) ?? ingest.rules.dependent().get(ruleId));
  return ruleId;
}

async function send(...packets: [string, Body][]): Promise<void> {
  const token = world.ctx({
    ...me,
    actor: {
      kind: 'token',
      id: crypto.randomUUID(),
      name: 'agents',
      scopes: ['ingest'],
    },
  });
  const items = packets.map(([entityId, Metrics]) => ({
    entityId,
    message: { Metrics },
  }));
  const answers = await ingest.ingestBody(token, items, 'application/json');
  expect(answers.value.filter((item) => item.status !== 'stored')).toEqual([]);
}

const labels = async (ruleId: string) =>
  (
    await world.system.db.query<{ label: string }>({
      text: 'select label from rule_match where rule_id = $1 order by label',
      values: [ruleId],
    })
  ).map(({ label }) => label);

describe('rules that count for each location, tag or device type', () => {
  it('open a match for each group over the limit, which names it everywhere', async () => {
    const [one, two, three] = [
      await device('one', {
        locationId: berlin,
        tags: 'site:b, prod',
        deviceTypeId: 1,
      }),
      await device('two', {
        locationId: berlin,
        tags: 'prod',
        deviceTypeId: 2,
      }),
      await device('three', {
        locationId: oslo,
        tags: 'site:o',
        deviceTypeId: 2,
      }),
    ];
    const unit = {
      ActionDefinitionId: '0197f000-0000-7000-8000-000000000003',
      Parameters: {},
    };
    const [byPlace, byTag, bySite, byType, bySubscription] = [
      await rule('Location', { matchActions: [unit] }),
      await rule('Tag'),
      await rule('Tag', {
        name: 'By site',
        countTag: 'Site:',
        conditions: [sum('59')],
      }),
      await rule('DeviceType'),
      await rule('Subscription', { conditions: [sum('170')] }),
    ];
    await send([one, { Sessions: 60 }], [two, { Sessions: 60 }], [three, { Sessions: 59 }]);
    await countMany(world.system.db, ingest);
    expect(await labels(byPlace)).toEqual(['By Location: location Berlin']);
    expect(await labels(byTag)).toEqual(['By Tag: tag prod']);
    expect(await labels(bySite)).toEqual(['By site: tag site:b']);
    expect(await labels(byType)).toEqual(['By DeviceType: type Physical']);
    expect(await labels(bySubscription)).toEqual(['By Subscription: Default']);

    const opened = await until(async () => {
      const { value } = (await world.call(me, 'GET', `/v1/workunits?$filter=ruleId eq ${byPlace}`)).body;
      return value?.[0];
    });
    expect(opened['title']).toContain('location Berlin');
    expect(opened['description']).toContain('Counted for: location Berlin');
    expect(opened['description']).toContain('Location: Berlin');

    const match = (await world.call(me, 'GET', `/v1/ruleMatches?$filter=ruleId eq ${byPlace}`)).body.value?.[0];
    const why = await call('GET', `/v1/rulematches/${String(match?.['ruleMatchId'])}/explain`);
    expect(why).toMatchObject({
      entityName: 'location Berlin',
      outcome: 'hit',
      conditions: [{ value: 120, satisfied: true }],
    });
    expect(await call('GET', `/v1/rules/${byPlace}/explain?entityId=${one}`)).toMatchObject({ entityName: 'location Berlin' });
    expect(await call('GET', `/v1/rules/${bySubscription}/explain?entityId=${one}`)).toMatchObject({ entityName: 'Default' });
    // A rule about packets reads the match of the location where its device is.
    const looks = {
      Type: 'And',
      LeftOperand: 84,
      Operator: 1,
      RightOperand: byPlace,
    };
    const busy = await rule('Subscription', {
      name: 'Busy',
      ruleTypeId: 1,
      conditions: [
        {
          Type: 'And',
          LeftOperand: 62,
          LeftOperandFieldName: 'Cpu',
          Operator: 3,
          RightOperand: '90',
        },
        looks,
      ],
    });
    await send([one, { Cpu: 95 }], [three, { Cpu: 95 }]);
    expect(await labels(busy)).toEqual(['Busy: one']);
  });

  it('count the devices of their own subscription only', async () => {
    const [other] = await world.system.db.query<{ subscription_id: string }>({
      text: 'insert into subscription (tenant_id, name) values ($1, $2) returning subscription_id',
      values: [home.tenantId, 'Second'],
    });
    const away = await device('away', {
      locationId: oslo,
      subscriptionId: other?.subscription_id,
    });
    const near = await device('near', { locationId: oslo });
    const here = await rule('Location', {
      name: 'Here',
      subscriptionId: home.subscriptionId,
      conditions: [{ ...sum('100'), Operator: 4 }],
    });
    const few = await rule('Location', {
      name: 'Few',
      subscriptionId: other?.subscription_id,
      conditions: [
        {
          Type: 'And',
          LeftOperand: 73,
          LeftOperandFieldName: 'Sessions',
          Operator: 4,
          RightOperand: '65',
          WindowSeconds: 300,
        },
      ],
    });
    await send([away, { Sessions: 60 }], [near, { Sessions: 61 }]);
    await countMany(world.system.db, ingest);
    expect(await labels(here)).toEqual(['Here: location Oslo']);
    expect(await labels(few)).toEqual(['Few: location Oslo']);
  });
});
