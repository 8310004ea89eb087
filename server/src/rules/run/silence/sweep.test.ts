/** Sweeps of silence by what is due find what a sweep of everything finds, also after changes, and read nothing else. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../../db/db.ts';
import { notify } from '../../../db/notify.ts';
import type { Ingest } from '../../../ingest/accept.ts';
import { ago, cpu, createFlow, send, until, type Flow, type TestRule } from '../../testing/flow.ts';
import { about } from '../../testing/hits.ts';
import { keepUp } from '../../testing/pulse.ts';
import { silenceSweepMs } from '../silence.ts';
import { takeAnnounced } from './reads.ts';
import { evaluateSilenceOfAll } from './sweep.ts';
import { silenceWork } from './work.ts';

const silentFor = (seconds: number, Type: 'And' | 'Or' = 'And'): Condition => ({ ...about(70, 3, String(seconds)), Type });
const tagged = about(32, 1, 'tagged');
const high: Condition = about(62, 3, '90', { LeftOperandFieldName: 'Cpu' });
const few: Condition = { ...about(71, 4, '3'), WindowSeconds: 60 };

let flow: Flow;
let ingest: Ingest;
const shares = Array.from({ length: 8 }, (_, share) => share);

beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
  await flow.rows("insert into schedule (name) select 'silence/' || n from generate_series(0, 7) n");
});
beforeEach(async () => {
  await flow.moveToNewTenants();
  await keepUp(flow.db);
  await flow.rows('update rule set enabled = false');
  await notify(flow.db, 'rules');
  await until(() => ingest.rules.silence().size === 0);
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / silenceSweepMs) * silenceSweepMs });
});
afterEach(() => vi.useRealTimers());
afterAll(() => flow.close());

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

/** A process that owns all shares from its first sweep until another one begins. */
function processOf(db: Db = flow.db) {
  const [work, runner] = [silenceWork(ingest, { checked: 0 }), randomUUID()];
  return {
    runner,
    async sweep(): Promise<void> {
      const owned = await flow.rows<{ continues: boolean }>(
        "update schedule set runner = $1 where name like 'silence/%' returning old.runner = $1 as continues",
        runner,
      );
      const continues = owned.every((row) => row.continues);
      await work.run(db, { runner, shares: shares.map((share) => ({ share, continues })) });
    },
  };
}

async function rule(draft: TestRule, neverReported = false): Promise<string> {
  const id = await flow.rule({ ruleTypeId: 3, lifetimeSeconds: 3_600, ...draft });
  if (neverReported) await changeRule(id, 'never_reported = true');
  await until(() => ingest.rules.silence().get(id)?.rule.neverReported === neverReported);
  return id;
}

/** Changes a rule, and waits until the process has the change. */
async function changeRule(id: string, change: string): Promise<void> {
  await applied(id, () => flow.rows(`update rule set ${change}, modified = now() where rule_id = $1`, id));
}

async function changeConditions(id: string, conditions: readonly Condition[]): Promise<void> {
  await applied(id, () =>
    flow.rows('update rule set conditions = $2, modified = now() where rule_id = $1', id, JSON.stringify(conditions)),
  );
}

async function applied(id: string, change: () => Promise<unknown>): Promise<void> {
  const before = ingest.rules.silence().get(id);
  await change();
  await notify(flow.db, 'rules', [id]);
  await until(() => ingest.rules.silence().get(id) !== before || undefined);
}

async function changeDevice(id: string, change: string): Promise<void> {
  await ingest.entities.find([id]);
  let isTold = false;
  ingest.entities.onChange((ids) => (isTold ||= ids !== 'all' && ids.includes(id)));
  await flow.rows(`update device set ${change} where device_id = $1`, id);
  await notify(flow.db, 'devices', [id]);
  await until(() => isTold);
}

interface Shown {
  rule_id: string;
  subject_id: string;
  open: boolean;
  match_count: number;
}

const matches = (): Promise<Shown[]> =>
  flow.rows<Shown>(
    `select rule_id, subject_id, closed is null as open, match_count from rule_match where tenant_id = $1 order by created, rule_match_id`,
    flow.tenantId,
  );

const matchesOf = async (ruleId: string) =>
  (await matches()).filter((row) => row.rule_id === ruleId).map((row) => [row.open, row.match_count]);

describe('sweeps', () => {
  it('tell of a silence once, at its time, and again after the entity has reported', async () => {
    const id = await rule({ conditions: [silentFor(60)] });
    const device = await flow.device();
    const { sweep } = processOf();
    await send(ingest, flow.ctx, cpu(device, 5));
    const counts: number[] = [];
    for (let i = 0; i < 16; i += 1) {
      await sweep();
      counts.push((await matches()).length);
      pass(5);
    }
    // At 60 seconds its silence is not longer than the limit.
    expect(counts).toEqual([...Array<number>(13).fill(0), 1, 1, 1]);
    await send(ingest, flow.ctx, cpu(device, 5));
    await sweep();
    expect(await matchesOf(id)).toEqual([[false, 1]]);
    pass(65);
    await sweep();
    await sweep();
    expect(await matchesOf(id)).toEqual([
      [false, 1],
      [true, 1],
    ]);
    await send(ingest, flow.ctx, cpu(device, 5));
    pass(5);
    await sweep();
    expect((await matchesOf(id)).map(([open]) => open)).toEqual([false, false]);
  });

  it('put off the end of a match once in half of its lifetime, and write nothing else while nothing changes', async () => {
    const id = await rule({ conditions: [silentFor(60)], lifetimeSeconds: 600, sliding: true });
    const device = await flow.device();
    await send(ingest, flow.ctx, cpu(device, 5));
    const { sweep } = processOf();
    await sweep();
    const versions: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      pass(i === 0 ? 65 : 100);
      await sweep();
      const [match] = await flow.rows<{ version: number }>('select version from rule_match where rule_id = $1', id);
      versions.push(match?.version ?? 0);
    }
    expect(versions).toEqual([1, 1, 1, 2, 2]);
  });

  it('read no entity that is not due', async () => {
    await rule({ conditions: [silentFor(60)] });
    const devices = await Promise.all([1, 2, 3].map(() => flow.device()));
    await send(ingest, flow.ctx, ...devices.map((device) => cpu(device, 5)));
    const names: (string | undefined)[] = [];
    const db: Db = {
      ...flow.db,
      query: (statement: Statement) => {
        names.push(statement.name);
        return flow.db.query(statement);
      },
    };
    const { sweep } = processOf(db);
    await sweep();
    const readsAfter = async (seconds: number) => {
      names.length = 0;
      pass(seconds);
      await sweep();
      return names.filter((name) => name !== 'recent-gaps' && name !== 'silence-over');
    };
    expect([await readsAfter(5), await readsAfter(40)]).toEqual([[], []]);
    expect(await readsAfter(20)).toContain('silence-due');
    expect([await readsAfter(5), await readsAfter(600)]).toEqual([[], []]);
    expect(await matches()).toHaveLength(3);
  });

  it('follow changes of rules and devices', async () => {
    const id = await rule({ conditions: [tagged, silentFor(3_000)] });
    const [device, disabled] = [await flow.device(), await flow.device({ enabled: false })];
    await flow.rows('update device set enabled = true where device_id = $1', disabled);
    await notify(flow.db, 'devices', [disabled]);
    await until(async () => (await ingest.entities.find([disabled])).get(disabled)?.enabled);
    await send(ingest, flow.ctx, cpu(device, 5), cpu(disabled, 5));
    const { sweep } = processOf();
    await sweep();
    pass(65);
    await sweep();
    await changeConditions(id, [tagged, silentFor(60)]);
    await sweep();
    expect(await matches()).toEqual([]);
    await changeDevice(disabled, 'enabled = false');
    await changeDevice(disabled, "tags = 'tagged'");
    await sweep();
    expect(await matches()).toEqual([]);
    await changeDevice(disabled, 'enabled = true');
    await sweep();
    expect((await matches()).map((row) => row.subject_id)).toEqual([disabled]);
    await changeDevice(device, "tags = 'tagged'");
    await sweep();
    expect((await matches()).map((row) => row.subject_id)).toEqual([disabled, device]);
    await changeRule(id, 'enabled = false');
    await sweep();
    await send(ingest, flow.ctx, cpu(device, 5));
    await changeRule(id, 'enabled = true');
    await sweep();
    expect((await matches()).map((row) => row.open)).toEqual([true, false]);
  });

  it('of a process that takes over go on where the other one was, and those of the other find nothing of it', async () => {
    await rule({ conditions: [silentFor(60)] });
    const [silent, back] = [await flow.device(), await flow.device()];
    await send(ingest, flow.ctx, cpu(silent, 5), cpu(back, 5));
    const [first, second] = [processOf(), processOf()];
    await first.sweep();
    pass(65);
    await first.sweep();
    await send(ingest, flow.ctx, cpu(back, 5));
    await flow.rows("update schedule set runner = $1 where name like 'silence/%'", second.runner);
    expect(await takeAnnounced(flow.db, 'silence', 8, first.runner, shares)).toEqual([]);
    await second.sweep();
    const open = async () => (await matches()).filter((row) => row.open).map((row) => row.subject_id);
    expect([await open(), (await matches()).length]).toEqual([[silent], 2]);
    pass(70);
    await second.sweep();
    await send(ingest, flow.ctx, cpu(silent, 5));
    await first.sweep();
    expect(await open()).toEqual([back]);
  });

  it('lose no report that was announced when the database fails meanwhile', async () => {
    const id = await rule({ conditions: [silentFor(60)] });
    const device = await flow.device();
    let fails = false;
    const { sweep } = processOf({
      ...flow.db,
      query: (statement: Statement) =>
        fails && statement.name === 'recent-gaps' ? Promise.reject(new Error('The database is away.')) : flow.db.query(statement),
    });
    await send(ingest, flow.ctx, cpu(device, 5));
    await sweep();
    pass(65);
    await sweep();
    expect(await matchesOf(id)).toEqual([[true, 1]]);
    await sweep();
    await send(ingest, flow.ctx, cpu(device, 5));
    fails = true;
    await expect(sweep()).rejects.toThrow('The database is away.');
    fails = false;
    await sweep();
    expect(await matchesOf(id)).toEqual([[false, 1]]);
  });

  it('end a match that the packet after a silence has opened before a sweep could', async () => {
    // The clock stays, because packets after a jump of it count as those after an outage.
    const id = await rule({ conditions: [silentFor(20)] });
    const device = await flow.device();
    const { sweep } = processOf();
    await send(ingest, flow.ctx, cpu(device, 5, ago(25)));
    await send(ingest, flow.ctx, cpu(device, 5));
    expect(await matchesOf(id)).toEqual([[true, 1]]);
    await sweep();
    expect(await matchesOf(id)).toEqual([[false, 1]]);
  });

  it('look at an entity that has never reported, and at its first packet', async () => {
    const id = await rule({ conditions: [silentFor(60)] }, true);
    const { sweep } = processOf();
    await sweep();
    const device = await flow.device();
    await changeDevice(device, "name = 'web-2'");
    await sweep();
    pass(70);
    await sweep();
    await sweep();
    expect(await matchesOf(id)).toEqual([[true, 1]]);
    await send(ingest, flow.ctx, cpu(device, 5));
    await sweep();
    expect(await matchesOf(id)).toEqual([[false, 1]]);
  });
});

type SilenceStep = {
  device: number;
  packet?: 5 | 95;
  edit?: 'shorter' | 'longer' | 'tag' | 'untag' | 'disable' | 'enable' | 'successor';
  seconds: number;
};

const step: fc.Arbitrary<SilenceStep> = fc.record(
  {
    device: fc.nat({ max: 3 }),
    packet: fc.constantFrom(5 as const, 95 as const),
    edit: fc.constantFrom('shorter', 'longer', 'tag', 'untag', 'disable', 'enable', 'successor'),
    seconds: fc.constantFrom(0, 5, 10, 20, 35, 65),
  },
  { requiredKeys: ['device', 'seconds'] },
);

/** What sweeps decide, without the times at which they did. */
const state = async () => (await matches()).map((row) => `${row.rule_id} ${row.subject_id} ${row.open} ${row.match_count}`);

it('leave nothing to a sweep of everything, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.boolean(), async (steps, isLookedAtEach) => {
      await flow.moveToNewTenants();
      const devices = await Promise.all([1, 2, 3, 4].map(() => flow.device()));
      const edited = await rule({ conditions: [silentFor(40)], sliding: true, lifetimeSeconds: 300 });
      await rule({ conditions: [silentFor(60)] }, true);
      await rule({ conditions: [tagged, silentFor(20)], recoveryConditions: [high] });
      await rule({ conditions: [few] });
      await rule({ conditions: [high, silentFor(45, 'Or')] });
      let process = processOf();
      await process.sweep();
      for (const { device, packet, edit, seconds } of steps) {
        const id = devices[device] ?? '';
        if (packet !== undefined) await send(ingest, flow.ctx, cpu(id, packet));
        if (edit === 'successor') process = processOf();
        else if (edit === 'shorter' || edit === 'longer') await changeConditions(edited, [silentFor(edit === 'shorter' ? 15 : 90)]);
        else if (edit)
          await changeDevice(
            id,
            { tag: "tags = 'tagged'", untag: 'tags = null', disable: 'enabled = false', enable: 'enabled = true' }[edit],
          );
        pass(seconds);
        await process.sweep();
        if (!isLookedAtEach) continue;
        const byDue = await state();
        await evaluateSilenceOfAll(flow.db, ingest);
        expect(await state()).toEqual(byDue);
      }
      const byDue = await state();
      await evaluateSilenceOfAll(flow.db, ingest);
      expect(await state()).toEqual(byDue);
    }),
    { numRuns: 25 },
  );
}, 240_000);
