/** Which packets, sums and changes of work units a backtest reads, and when it can be stopped. The test supplies the data. */
import { hourMs, minuteMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import { compileRule, ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../db/db.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { Entity } from '../run/entity.ts';
import { about, indexOf, ruleOf, web } from '../testing/hits.ts';
import type { Backtest } from './backtest.ts';
import { runBacktest } from './run-backtest.ts';

const from = Date.parse('2026-02-01T00:00:00.000Z');
const device = (id: string, name: string): Entity => ({ ...web, id, name, subscriptionId: 's1', device: { id, name } });
const allDevices = [device('d1', 'agg-1'), device('d2', 'agg-2'), device('d3', 'other')];
const member = about(31, 9, 'agg-');
const twice = about(71, 6, '2', { WindowSeconds: 60 });

interface PastRows {
  packets?: [id: string, seconds: number][];
  gaps?: Gap[];
  matches?: object[];
  changes?: { verb: string; after: object | null }[];
  /** Work units that rules on work units opened. */
  opened?: number[];
  /** Entities without packets at the start of the replay, and the seconds from `from` to their creation. */
  created?: [id: string, seconds: number][];
  devices?: Entity[];
}

function dbOf({ packets = [], gaps = [], matches = [], changes = [], opened = [], created = [], devices = allDevices }: PastRows): Db {
  const rows = packets.map(([entityId, seconds], i) => {
    const timestamp = from + seconds * 1_000;
    return { entityId, packetId: `p${i}`, timestamp, received: timestamp, message: { Metrics: { Cpu: 95 } } };
  });
  const answer = ({ name, text, values = [] }: Statement): unknown[] => {
    if (name === 'gaps-between') return gaps;
    if (name === 'count-subscriptions') return [{ subscription_id: 's1', tenant_id: 't1', name: 'Default' }];
    if (name === 'units-opened-by-rules')
      return opened.filter((id) => (values[0] as number[]).includes(id)).map((id) => ({ work_unit_id: id }));
    if (text.includes('from e.created')) return created.map(([id, seconds]) => ({ id, created: from + seconds * 1_000 }));
    if (text.includes('cross join lateral'))
      return (values[0] as string[]).flatMap((id) =>
        rows.filter((row) => row.entityId === id && row.timestamp < Date.parse(String(values[1]))).slice(-1),
      );
    if (text.includes('min(received_timestamp)')) return [];
    if (text.includes('from latest_packet')) return devices.map(({ id }) => ({ id }));
    if (text.includes('from rule_match')) return matches;
    if (text.includes('from audit'))
      return changes
        .map((change, i) => ({ id: i + 1, at: from + i * minuteMs, correlationId: `c${i}`, ...change }))
        .slice(Number(values[3]));
    if (text.includes('from packet p')) {
      const [ids, begin, end] = [values[0] as string[], ...values.slice(1, 3).map((value) => Date.parse(String(value)))];
      return rows.filter((row) => ids.includes(row.entityId) && row.timestamp >= Number(begin) && row.timestamp < Number(end));
    }
    throw new Error(`No answer to ${name ?? text}`);
  };
  return { query: (statement: Statement) => Promise.resolve(answer(statement)) } as unknown as Db;
}

async function run(
  past: PastRows,
  conditions: Condition[],
  extra: Partial<Backtest> & {
    typeId?: number;
    hours?: number;
    asks?: (progress: number, looked: number) => boolean;
    rule?: Partial<IngestRule>;
  } = {},
) {
  const { typeId = ruleTypeId.aggregation, hours = 0.5, asks = () => true, rule = {} } = extra;
  const { devices = allDevices } = past;
  const looks: [number, number][] = [];
  const compiled = (ruleId: string) => compileRule(ruleOf({ ruleId, ruleTypeId: typeId, conditions, lifetimeMs: 20_000, ...rule }));
  const result = await runBacktest(dbOf(past), {
    draft: compiled('draft'),
    inForce: undefined,
    maintenance: indexOf(),
    entities: {
      find: (ids) => Promise.resolve(new Map(devices.filter(({ id }) => [...ids].includes(id)).map((device) => [device.id, device]))),
      onChange: () => undefined,
      stop: () => Promise.resolve(),
    },
    entityIds: undefined,
    period: { from, to: from + hours * hourMs },
    tenantId: 't1',
    goOn: (progress, looked) => {
      looks.push([progress, looked]);
      return Promise.resolve(asks(progress, looked));
    },
    ...extra,
  });
  return {
    looks,
    result,
    lines: result?.draft.list.map((item) => `${item.entityName} ${(Date.parse(item.firstMatch) - from) / 1_000}`),
  };
}

const linesOf = async (...parameters: Parameters<typeof run>) => (await run(...parameters)).lines;

describe('a backtest on sums', () => {
  const packets: PastRows['packets'] = [
    ['d1', 11],
    ['d2', 22],
    ['d3', 5],
    ['d1', -30],
  ];
  const counting = [member, twice];

  it('sums up the packets of members every five seconds', async () => {
    // The lifetime of a match is 20 s; the sum falls below its limit when the first of the packets is over a minute old.
    expect(await linesOf({ packets }, counting)).toEqual(['Default 15', 'Default 35', 'Default 55']);
    expect(await linesOf({ packets: packets.slice(0, 1) }, counting)).toEqual([]);
  });

  it('looks at nothing during an outage, and again from its end', async () => {
    const outage = (begin: number, end: number) =>
      linesOf({ packets, gaps: [{ from: from + begin * 1_000, until: from + end * 1_000 }] }, counting);
    expect([await outage(15, 40), await outage(16, 35), await outage(16, 36)]).toEqual([
      ['Default 40', 'Default 60'],
      ['Default 15', 'Default 35', 'Default 55'],
      ['Default 15', 'Default 40', 'Default 60'],
    ]);
  });

  it('says how far it is after each piece of packets, then every six hours, where it can be stopped', async () => {
    const during = async (asks?: (progress: number, looked: number) => boolean) => {
      const { result, looks } = await run({ packets }, counting, { hours: 20, ...(asks ? { asks } : {}) });
      return [result === undefined, looks.map(([progress, looked]) => [progress * 21, looked])];
    };
    // The replay begins an hour before the period.
    const pieces = [
      [0, 1],
      [0, 3],
      [0, 3],
    ];
    expect(await during()).toEqual([false, [...pieces, [6, 3], [12, 3], [18, 3], [21, 3]]]);
    expect(await during((progress) => progress < 0.5)).toEqual([true, [...pieces, [6, 3], [12, 3]]]);
    expect(await during((_, looked) => looked < 3)).toEqual([true, pieces.slice(0, 2)]);
  });

  it('reads the matches that conditions name, and none of the rule itself', async () => {
    const match = (subjectId: string, begin: number, end: number) => {
      const [firstMatch, closed] = [from + begin * 1_000, from + end * 1_000];
      return {
        ruleMatchId: subjectId,
        ruleId: 'a',
        subjectId,
        created: firstMatch,
        firstMatch,
        lastMatch: firstMatch,
        closed,
        matchCount: 1,
      };
    };
    const matches = [match('d1', 10, 60), match('d2', 30, 50), match('lost', 0, 60)];
    const both = [about(80, 1, 'a'), about(82, 6, '2')];
    expect(await linesOf({ matches }, both)).toEqual(['Default 30', 'Default 50']);
    expect(await linesOf({ matches }, both, { ruleId: 'draft' })).toEqual(['Default 30', 'Default 50']);
    expect(await linesOf({ matches }, both, { ruleId: 'a' })).toEqual([]);
    expect(await linesOf({ matches }, counting)).toEqual([]);
  });
});

describe('a backtest on work units', () => {
  const severe = [about(103, 1, 'Sev1')];
  const after = (workUnitId: number, severityId: string, title?: string) => ({ workUnitId, severityId, ...(title ? { title } : {}) });
  const changes = [
    { verb: 'create', after: after(1, 'Sev1') },
    { verb: 'create', after: after(2, 'Sev1', 'Two') },
    { verb: 'update', after: after(2, 'Sev1', 'Two') },
    { verb: 'update', after: null },
    { verb: 'update', after: after(1, 'Sev1') },
    { verb: 'update', after: after(3, 'Sev2', 'Three') },
  ];

  it('looks at each change, except at the opening of a unit by a rule on work units', async () => {
    const typeId = ruleTypeId.workUnit;
    expect(await linesOf({ changes, opened: [1] }, severe, { typeId })).toEqual(['Two 60', 'Two 120', '1 240']);
    expect(await linesOf({ changes }, severe, { typeId })).toEqual(['1 0', 'Two 60', 'Two 120', '1 240']);
  });

  it('says how far it is, and can be stopped', async () => {
    const typeId = ruleTypeId.workUnit;
    // The replay begins an hour before the period of half an hour.
    expect((await run({ changes, opened: [1] }, severe, { typeId })).looks).toEqual([[65 / 90, 4]]);
    expect((await run({}, severe, { typeId })).looks).toEqual([[0, 0]]);
    expect((await run({ changes }, severe, { typeId, asks: () => false })).result).toBeUndefined();
  });
});

describe('a backtest on packets', () => {
  const typeId = ruleTypeId.ingestion;
  const hot = [member, about(62, 3, '90', { LeftOperandFieldName: 'Cpu' })];
  const packets: PastRows['packets'] = [
    ['d1', -90_000],
    ['d1', -30],
    ['d1', 11],
    ['d2', 22],
    ['d3', 5],
    ['d1', 90_000],
  ];

  it('replays those of the entities that the rule concerns, of its tenant', async () => {
    expect(await linesOf({ packets }, hot, { typeId })).toEqual(['agg-1 11', 'agg-2 22']);
    expect(await linesOf({ packets }, hot, { typeId, entityIds: ['d2', 'd3'] })).toEqual(['agg-2 22']);
    const foreign = allDevices.map((device) => (device.id === 'd1' ? { ...device, tenantId: 't2' } : device));
    expect(await linesOf({ packets, devices: foreign }, hot, { typeId })).toEqual(['agg-2 22']);
  });

  it('knows the packet before the replay', async () => {
    const changed = [member, about(62, 3, '90', { LeftOperandFieldName: 'Cpu', OccurrencePattern: { Kind: 'Changed' } })];
    expect(
      await linesOf(
        {
          packets: [
            ['d1', -90_000],
            ['d1', 11],
          ],
        },
        changed,
        { typeId },
      ),
    ).toEqual([]);
  });

  it('says how far it is after each piece, where it can be stopped', async () => {
    const during = async (asks?: (progress: number) => boolean) => {
      const { result, looks } = await run({ packets }, hot, { typeId, hours: 30, ...(asks ? { asks } : {}) });
      return [result === undefined, [...new Set(looks.map(([progress, looked]) => `${Math.round(progress * 31)} h ${looked}`))]];
    };
    expect(await during()).toEqual([false, ['0 h 1', '0 h 3', '6 h 3', '12 h 3', '18 h 3', '24 h 4', '30 h 4']]);
    expect(await during((progress) => progress === 0)).toEqual([true, ['0 h 1', '0 h 3', '6 h 3']]);
  });

  it('looks at silence since the last packet, and since the creation where the rule says so', async () => {
    const silent = [member, about(70, 3, '60')];
    const of = (neverReported: boolean) =>
      run({ packets: [['d1', 11]], created: [['d2', 1]] }, silent, { typeId: ruleTypeId.history, hours: 0.03, rule: { neverReported } });
    const [reported, all] = [await of(false), await of(true)];
    expect([reported.lines, all.lines?.toSorted()]).toEqual([
      ['agg-1 75', 'agg-1 95'],
      ['agg-1 75', 'agg-1 95', 'agg-2 65', 'agg-2 85', 'agg-2 105'].toSorted(),
    ]);
    expect(all.result?.notes.at(-1)).toContain('every five seconds');
    expect((await run({ packets }, hot, { typeId })).result?.notes).toHaveLength(1);
  });

  it('says when it left entities out', async () => {
    const notesWith = async (count: number) => {
      const devices = Array.from({ length: count }, (_, n) => device(`d${n}`, `agg-${n}`));
      return (await run({ devices }, hot, { typeId })).result?.notes.slice(1);
    };
    expect(await notesWith(backtestLimits.entities)).toEqual([]);
    expect(await notesWith(backtestLimits.entities + 1)).toEqual([`Only ${backtestLimits.entities} entities were looked at.`]);
  });
});
