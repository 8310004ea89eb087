/** Which rows the statements on the past read: beside each row that is read there is another that differs in one respect. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFlow, type Flow } from '../testing/flow.ts';
import { readMatches } from './past-matches.ts';
import { firstReceived, mayBeAheadMs } from './past-packets.ts';
import { readUnitEvents } from './past-units.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

const from = Date.parse('2026-11-20T00:00:00.000Z');
const to = from + dayMs;
const time = (at: number) => new Date(at).toISOString();

async function tenant(): Promise<string> {
  const [row] = await flow.rows<{ id: string }>('insert into tenant (name) values ($1) returning tenant_id as id', randomUUID());
  return row?.id ?? '';
}

interface MatchTimes {
  created?: number;
  closed?: number;
  lastMatch?: number;
}

/** Writes a match with a new subject, and returns the subject. */
async function addMatch(tenantId: string, { created = from + 1, closed, lastMatch = created }: MatchTimes): Promise<string> {
  const subject = randomUUID();
  await flow.rows(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, created, last_match, closed, correlation_id)
     values ($1, $2, $3, 'x', $4, $4, $4, $5, $6, gen_random_uuid())`,
    tenantId,
    randomUUID(),
    subject,
    time(created),
    time(lastMatch),
    closed === undefined ? null : time(closed),
  );
  return subject;
}

it('reads the matches of a tenant that were open or hit in the period, up to a month before it', async () => {
  const [ownTenant, other] = [await tenant(), await tenant()];
  const month = from - 31 * dayMs;
  const within = [
    await addMatch(ownTenant, { created: month }),
    await addMatch(ownTenant, { created: from - 9_000, closed: from }),
    await addMatch(ownTenant, { created: from - 8_000, closed: from - 5_000, lastMatch: from }),
    await addMatch(ownTenant, { created: from + 1, closed: from + 5_000 }),
    await addMatch(ownTenant, { created: to - 1 }),
  ];
  await addMatch(ownTenant, { created: month - 1 });
  await addMatch(ownTenant, { created: from - 9_000, closed: from - 1 });
  await addMatch(ownTenant, { created: to });
  await addMatch(other, { created: from + 1 });
  const read = async (subjects?: string[]) =>
    (await readMatches(flow.db, { tenantId: ownTenant, from, to, ...(subjects ? { subjects } : {}) })).map((match) => match.subjectId);
  expect(await read()).toEqual(within);
  expect(await read([within[3] ?? '', randomUUID()])).toEqual([within[3]]);
});

it('reads each of very many matches once', async () => {
  const ownTenant = await tenant();
  await flow.rows(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, created, last_match, correlation_id)
     select $1, gen_random_uuid(), gen_random_uuid(), 'x', $2, $2, $2, $2, gen_random_uuid() from generate_series(1, 5001)`,
    ownTenant,
    time(from),
  );
  const read = await readMatches(flow.db, { tenantId: ownTenant, from, to });
  expect([read.length, new Set(read.map((match) => match.ruleMatchId)).size]).toEqual([5_001, 5_001]);
});

it('finds the first receipt of packets from a time on that came before another', async () => {
  const ownTenant = await tenant();
  // A time today, because packets are stored by day.
  const from = Date.now() - 3_600_000;
  const before = from + 60_000;
  const packet = async (timestamp: number, received: number, entity: string = randomUUID()): Promise<string> => {
    await flow.rows(
      `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message) values ($1, $2, $3, $4, '{}')`,
      ownTenant,
      entity,
      time(timestamp),
      time(received),
    );
    return entity;
  };
  const [at, ahead] = [await packet(from, from + 5), await packet(before + mayBeAheadMs - 1, before - 1)];
  await packet(from + 1, from + 9, at);
  await packet(from - 1, from + 1, at);
  const others = [
    await packet(from - 1, from + 1),
    await packet(before + mayBeAheadMs, before - 1),
    await packet(from + 1, before),
    randomUUID(),
  ];
  await packet(from + 1, from + 2);
  const receipts = await firstReceived(flow.db, [at, ahead, ...others], from, before);
  expect([...receipts].toSorted((a, b) => a[1] - b[1])).toEqual([
    [at, from + 5],
    [ahead, before - 1],
  ]);
  expect(await firstReceived(flow.db, [], from, before)).toEqual(new Map());
});

interface UnitChange {
  workUnitId: number;
  at?: number;
  verb?: string;
  entity?: string;
  /** Null for a record without the row. */
  after?: object | null;
}

async function addChange(tenantId: string, change: UnitChange): Promise<void> {
  const { workUnitId, at = from + 1, verb = 'update', entity = 'workUnits', after = { workUnitId, title: String(at - from) } } = change;
  await flow.rows(
    `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, after, at, correlation_id)
     values ($1, 'system', 'test', $2, $3, $4, $5, $6, gen_random_uuid())`,
    tenantId,
    verb,
    entity,
    String(workUnitId),
    after && JSON.stringify(after),
    time(at),
  );
}

async function unitsOf(tenantId: string, workUnitId?: number): Promise<string[][]> {
  const portions: string[][] = [];
  const past = { tenantId, from, to, ...(workUnitId === undefined ? {} : { workUnitId }) };
  for await (const events of readUnitEvents(flow.db, past)) portions.push(events.map(({ entity }) => entity.name));
  return portions;
}

it('reads the creations and changes of work units in the period, of one unit where that is named', async () => {
  const [ownTenant, other] = [await tenant(), await tenant()];
  await addChange(ownTenant, { workUnitId: 7, at: from, verb: 'create' });
  await addChange(ownTenant, { workUnitId: 8, at: to - 1 });
  await addChange(ownTenant, { workUnitId: 7, at: from - 1 });
  await addChange(ownTenant, { workUnitId: 7, at: to });
  await addChange(ownTenant, { workUnitId: 7, verb: 'delete' });
  await addChange(ownTenant, { workUnitId: 7, after: null });
  await addChange(ownTenant, { workUnitId: 7, entity: 'devices' });
  await addChange(other, { workUnitId: 7 });
  expect(await unitsOf(ownTenant)).toEqual([['0', String(dayMs - 1)]]);
  expect(await unitsOf(ownTenant, 7)).toEqual([['0']]);
  expect(await unitsOf(await tenant())).toEqual([[]]);
});

it('leaves out that a rule on work units opened a unit, and reads what became of it', async () => {
  const ownTenant = await tenant();
  const openedBy = async (ruleTypeId: number, byAction: boolean): Promise<number> => {
    const rule = await flow.rule({ tenantId: ownTenant, ruleTypeId });
    const [match] = await flow.rows<{ id: string }>(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
       values ($1, $2, gen_random_uuid(), 'x', now(), now(), now(), gen_random_uuid()) returning rule_match_id as id`,
      ownTenant,
      rule,
    );
    const [execution] = byAction
      ? await flow.rows<{ id: string }>(
          `insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, reference_id)
           values ($1, gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), $2) returning message_id as id`,
          ownTenant,
          match?.id,
        )
      : [match];
    const [unit] = await flow.rows<{ id: number }>(
      `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by, opened_by_rule_match_id)
       values ($1, 'x', 1, 'test', 'test', $2) returning work_unit_id as id`,
      ownTenant,
      execution?.id,
    );
    return unit?.id ?? 0;
  };
  const [byMatch, byAction, changed, ofPacket] = [
    await openedBy(4, false),
    await openedBy(4, true),
    await openedBy(4, true),
    await openedBy(1, true),
  ];
  for (const workUnitId of [byMatch, byAction])
    await addChange(ownTenant, { workUnitId, verb: 'create', after: { workUnitId, title: 'opened' } });
  await addChange(ownTenant, { workUnitId: changed, after: { workUnitId: changed, title: 'changed' } });
  await addChange(ownTenant, { workUnitId: byMatch, after: { workUnitId: byMatch, title: 'resolved' } });
  for (const workUnitId of [ofPacket, 999_999_999])
    await addChange(ownTenant, { workUnitId, verb: 'create', after: { workUnitId, title: `new ${workUnitId}` } });
  expect(await unitsOf(ownTenant)).toEqual([['changed', 'resolved', `new ${ofPacket}`, 'new 999999999']]);
  expect(await unitsOf(ownTenant, byMatch)).toEqual([['resolved']]);
});

it('reads very many changes in portions, each once', async () => {
  const ownTenant = await tenant();
  const add = (first: number, last: number) =>
    flow.rows(
      `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, after, at, correlation_id)
       select $1, 'system', 'test', 'update', 'workUnits', n::text, jsonb_build_object('workUnitId', n), $2, gen_random_uuid() from generate_series($3::int, $4::int) n`,
      ownTenant,
      time(from),
      first,
      last,
    );
  await add(1, 2_000);
  expect((await unitsOf(ownTenant)).map((names) => names.length)).toEqual([2_000, 0]);
  await add(2_001, 2_001);
  const portions = await unitsOf(ownTenant);
  expect(portions.map((names) => names.length)).toEqual([2_000, 1]);
  expect(new Set(portions.flat()).size).toBe(2_001);
});
