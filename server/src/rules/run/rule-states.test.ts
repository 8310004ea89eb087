/** Rules about packets that depend on the matches of other rules. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { notify } from '../../db/notify.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { evaluateSilenceOfAll } from './silence/sweep.ts';
import { createFlow, send, until, type Flow, type TestRule } from '../testing/flow.ts';
import { matchesFromScratch, type ScratchEvent, type ScratchMatch } from '../testing/matches-from-scratch.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

const over = (field: string): Condition => ({ Type: 'And', LeftOperand: 62, LeftOperandFieldName: field, Operator: 3, RightOperand: '90' });
const isDevice = (id: string): Condition => ({ Type: 'And', LeftOperand: operandId.device, Operator: 1, RightOperand: id });
const state = (LeftOperand: number, Operator: 1 | 2, ruleId: string): Condition => ({
  Type: 'And',
  LeftOperand,
  Operator,
  RightOperand: ruleId,
});
const [whileMatches, whileNot] = [1, 2] as const;

async function rule(draft: TestRule): Promise<string> {
  const id = await flow.rule(draft);
  await until(() => ingest.rules.ingestion().get(id) ?? ingest.rules.dependent().get(id));
  return id;
}

interface StoredMatch extends ScratchMatch {
  subject: string;
}

const stored = (ruleId: string) =>
  flow.rows<StoredMatch>(
    `select subject_id as subject, (extract(epoch from first_match) * 1000)::float8 as first, (extract(epoch from last_match) * 1000)::float8 as last,
  (extract(epoch from expires) * 1000)::float8 as expires, match_count as count from rule_match where rule_id = $1 order by first_match, subject_id`,
    ruleId,
  );
const subjects = async (ruleId: string) => (await stored(ruleId)).map(({ subject }) => subject);
const packet = (entityId: string, Metrics: Record<string, number>, at?: number) => ({
  entityId,
  message: { Metrics },
  ...(at === undefined ? {} : { timestamp: new Date(at).toISOString() }),
});

async function relate(deviceId: string, column: 'location_id' | 'parent_device_id', to: string): Promise<void> {
  await flow.rows(`update device set ${column} = $2 where device_id = $1`, deviceId, to);
  await notify(flow.db, 'devices', [deviceId]);
  await until(async () => {
    const device = (await ingest.entities.find([deviceId])).get(deviceId)?.device;
    return (column === 'location_id' ? device?.locationId : device?.parentId) === to;
  });
}

async function location(): Promise<string> {
  const [row] = await flow.rows<{ location_id: string }>(
    'insert into location (tenant_id, name) values ($1, $2) returning location_id',
    flow.tenantId,
    `Hall ${crypto.randomUUID()}`,
  );
  return row?.location_id ?? '';
}

interface Buffer {
  minutes: { first: number; second: number; third: number };
  sliding: boolean;
  second: 1 | 2;
  third: 1 | 2;
  packets: { gap: number; Disk: number; Cpu: number; Load: number; cut: boolean }[];
}

const value = fc.constantFrom(5, 95);
const buffer: fc.Arbitrary<Buffer> = fc.record({
  minutes: fc.record({ first: fc.constantFrom(5, 20, 60), second: fc.constantFrom(5, 30), third: fc.constantFrom(5, 60) }),
  sliding: fc.boolean(),
  second: fc.constantFrom(1, 2),
  third: fc.constantFrom(1, 2),
  packets: fc.array(fc.record({ gap: fc.constantFrom(1, 4, 5, 19, 20, 45, 90), Disk: value, Cpu: value, Load: value, cut: fc.boolean() }), {
    minLength: 1,
    maxLength: 10,
  }),
});

interface SentPacket {
  at: number;
  metrics: Record<string, number>;
}

/** Computes the matches of a rule on one metric; with `other`, of a rule that depends on the matches of another rule. */
function fromScratch(
  sent: readonly SentPacket[],
  metric: string,
  life: { lifetimeMs: number; sliding: boolean },
  other?: { matches: readonly ScratchMatch[]; operator: 1 | 2 },
): ScratchMatch[] {
  const isOpen = (at: number) => other?.matches.some((match) => match.first <= at && at < match.expires) === true;
  const events = sent.flatMap(({ at, metrics }): ScratchEvent[] =>
    (metrics[metric] ?? 0) > 90 && (!other || isOpen(at) === (other.operator === whileMatches)) ? [{ at, kind: 'hit' }] : [],
  );
  return matchesFromScratch(events, life);
}

describe('the state of another rule', () => {
  it('on the same device is the same in one request and in random cuts, through a chain of rules', async () => {
    await fc.assert(
      fc.asyncProperty(buffer, async ({ minutes, sliding, second, third, packets }) => {
        for (const cuts of [false, true]) {
          const device = await flow.device();
          const of = (metric: string, lasts: number, ...more: Condition[]): TestRule => ({
            name: metric,
            conditions: [isDevice(device), over(metric), ...more],
            lifetimeSeconds: lasts * 60,
            sliding,
          });
          const disk = await rule(of('Disk', minutes.first));
          const cpu = await rule(of('Cpu', minutes.second, state(operandId.matchOnDevice, second, disk)));
          const load = await rule(of('Load', minutes.third, state(operandId.matchOnDevice, third, cpu.toUpperCase())));
          let at = Date.now() - 150_000 - packets.reduce((sum, { gap }) => sum + gap, 0) * minuteMs;
          const sent: SentPacket[] = [];
          const request: unknown[] = [];
          for (const { gap, cut, ...metrics } of packets) {
            at += gap * minuteMs;
            if (cuts && cut) await send(ingest, flow.ctx, ...request.splice(0));
            sent.push({ at, metrics });
            request.push(packet(device, metrics, at));
          }
          await send(ingest, flow.ctx, ...request);
          const life = (lasts: number) => ({ lifetimeMs: lasts * minuteMs, sliding });
          const ofDisk = fromScratch(sent, 'Disk', life(minutes.first));
          const ofCpu = fromScratch(sent, 'Cpu', life(minutes.second), { matches: ofDisk, operator: second });
          const ofLoad = fromScratch(sent, 'Load', life(minutes.third), { matches: ofCpu, operator: third });
          expect(await stored(disk)).toMatchObject(ofDisk);
          expect(await stored(cpu)).toMatchObject(ofCpu);
          expect(await stored(load)).toMatchObject(ofLoad);
          expect([(await stored(cpu)).length, (await stored(load)).length]).toEqual([ofCpu.length, ofLoad.length]);
        }
      }),
      { numRuns: runs(10, 25) },
    );
  });

  it('counts at the location, in the subscription and on what the device depends on', async () => {
    const [door, web, far] = [await flow.device({ name: 'door' }), await flow.device({ name: 'web' }), await flow.device({ name: 'far' })];
    const hall = await location();
    await relate(door, 'location_id', hall);
    await relate(web, 'location_id', hall);
    await relate(web, 'parent_device_id', door);
    const heat = await rule({ name: 'Heat', conditions: [over('Heat')] });
    const rules = await Promise.all(
      [operandId.matchOnDevice, operandId.matchAtLocation, operandId.matchInSubscription, operandId.matchOnParent].map((operand) =>
        rule({ name: String(operand), conditions: [over('Cpu'), state(operand, whileMatches, heat)] }),
      ),
    );
    await send(ingest, flow.ctx, packet(web, { Cpu: 95 }), packet(far, { Cpu: 95 }));
    expect(await Promise.all(rules.map(subjects))).toEqual([[], [], [], []]);
    await send(ingest, flow.ctx, packet(door, { Heat: 95, Cpu: 95 }), packet(web, { Cpu: 95 }), packet(far, { Cpu: 95 }));
    const matched = await Promise.all(rules.map(async (id) => new Set(await subjects(id))));
    expect(matched).toEqual([new Set([door]), new Set([door, web]), new Set([door, web, far]), new Set([web])]);
  });

  it('ends with the match in the time of the packets, before anybody has closed it', async () => {
    const device = await flow.device();
    const disk = await rule({ conditions: [isDevice(device), over('Disk')], lifetimeSeconds: 300 });
    const cpu = await rule({ conditions: [isDevice(device), over('Cpu'), state(operandId.matchOnDevice, whileNot, disk)] });
    const start = Date.now() - 20 * minuteMs;
    await send(ingest, flow.ctx, packet(device, { Disk: 95 }, start));
    await flow.rows('update rule_match set closed = null where rule_id = $1', disk);
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }, start + 4 * minuteMs));
    expect(await stored(cpu)).toEqual([]);
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }, start + 5 * minuteMs));
    expect(await stored(cpu)).toMatchObject([{ first: start + 5 * minuteMs }]);
  });

  it('goes on when the other rule is disabled until its match ends, and counts a match in maintenance', async () => {
    const device = await flow.device();
    const disk = await rule({ conditions: [isDevice(device), over('Disk')] });
    const cpu = await rule({ conditions: [isDevice(device), over('Cpu'), state(operandId.matchOnDevice, whileMatches, disk)] });
    await send(ingest, flow.ctx, packet(device, { Disk: 95 }));
    await flow.rows('update rule set enabled = false where rule_id = $1', disk);
    await flow.rows('update rule_match set in_maintenance = true where rule_id = $1', disk);
    await notify(flow.db, 'rules', [disk]);
    await until(() => !ingest.rules.ingestion().get(disk));
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }));
    expect(await stored(cpu)).toMatchObject([{ count: 1 }]);
    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", disk);
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }));
    expect(await stored(cpu)).toMatchObject([{ count: 1 }]);
  });

  it('keeps what the rule remembers beside the memory of other rules, and a recovery with its rule', async () => {
    const device = await flow.device();
    const twice = { Kind: 'TimesInRow' as const, Times: 2 };
    const disk = await rule({ conditions: [isDevice(device), over('Disk')] });
    const plain = await rule({ conditions: [isDevice(device), { ...over('Cpu'), OccurrencePattern: twice }] });
    const dependent = await rule({
      conditions: [isDevice(device), { ...over('Cpu'), OccurrencePattern: twice }, state(operandId.matchOnDevice, whileMatches, disk)],
      recoveryConditions: [isDevice(device), { ...over('Cpu'), Operator: 4, RightOperand: '50' }],
    });
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }));
    await send(ingest, flow.ctx, packet(device, { Cpu: 95, Disk: 95 }));
    expect(await stored(plain)).toHaveLength(1);
    expect(await stored(dependent)).toHaveLength(1);
    await send(ingest, flow.ctx, packet(device, { Cpu: 5 }));
    const ended = await flow.rows<{ recovered: boolean }>(
      'select recovered is not null as recovered from rule_match where rule_id = $1',
      dependent,
    );
    expect(ended).toEqual([{ recovered: true }]);
    // Two hits in a row open a second match.
    await send(ingest, flow.ctx, packet(device, { Cpu: 95 }), packet(device, { Cpu: 95 }));
    expect(await stored(dependent)).toHaveLength(2);
  });

  it('holds back the silence of what depends on a silent device', async () => {
    const [gateway, sensor, other] = [
      await flow.device({ name: 'gateway' }),
      await flow.device({ name: 'sensor' }),
      await flow.device({ name: 'other' }),
    ];
    await relate(sensor, 'parent_device_id', gateway);
    const quiet: Condition = { Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '60' };
    const one = (...ids: string[]) => ids.map((id, i) => ({ ...isDevice(id), Type: i === 0 ? ('And' as const) : ('Or' as const) }));
    const root = await rule({ name: 'Gateway silent', ruleTypeId: 3, conditions: [isDevice(gateway), quiet] });
    const silent = await rule({
      name: 'Silent',
      ruleTypeId: 3,
      conditions: one(sensor, other).flatMap((device) => [device, quiet, state(operandId.matchOnParent, whileNot, root)]),
    });
    await until(() => ingest.rules.silence().get(silent));
    const past = Date.now() - 10 * minuteMs;
    await send(ingest, flow.ctx, ...[gateway, sensor, other].map((id) => packet(id, { Cpu: 1 }, past)));
    await evaluateSilenceOfAll(flow.db, ingest);
    expect([await subjects(root), await subjects(silent)]).toEqual([[gateway], [other]]);
  });
});
