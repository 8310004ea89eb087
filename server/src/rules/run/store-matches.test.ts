/**
 * What a batch writes about its matches: the rows, the evaluations, the actions, and the data for groups and correlation. The
 * test takes the place of the database.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../db/db.ts';
import { maxHops } from '../../executions/executions.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { decideMatches, matchKey, type Decision, type OpenMatch } from './decide-matches.ts';
import type { Entity } from './entity.ts';
import type { EvaluationNote, RuleHit } from './evaluate-entity.ts';
import type { IngestRule } from './ingest-rule.ts';
import { lockOpenMatches, storeMatches, type ConsequenceOptions } from './store-matches.ts';
import { hitAt, ruleOf, web } from '../testing/hits.ts';
import { StormBrake } from '../../automation/groups/storm-brake.ts';

type Row = Record<string, unknown>;

let sent: Statement[];
let answers: Record<string, object[]>;
beforeEach(() => {
  sent = [];
  answers = {};
});
const db = {
  query: (statement: Statement) => {
    sent.push(statement);
    return Promise.resolve(answers[statement.name ?? ''] ?? []);
  },
  defer: (statement: Statement) => {
    sent.push(statement);
    return Promise.resolve();
  },
  transaction: (run: (tx: Db) => Promise<unknown>) => run(db),
} as unknown as Db;
const of = (name: string) => sent.filter((named) => named.name === name);
/** The rows that were passed to statements of this name. */
const rowsOf = (name: string) => of(name).flatMap(({ values = [] }) => JSON.parse(String(values[0])) as Row[]);

const iso = (at: number) => new Date(at).toISOString();
const mail: ActionCall = { ActionDefinitionId: builtInAction.email, Parameters: {} };
const color: ActionCall = { ActionDefinitionId: builtInAction.setColor, Parameters: {} };
const telling = (extra: Partial<IngestRule> = {}) => ruleOf({ matchActions: [mail], expirationActions: [color], ...extra });
const now = 1_500;

interface Batch {
  hits?: RuleHit[];
  open?: OpenMatch;
  isHeld?: boolean;
  at?: number;
  notes?: EvaluationNote[];
  decision?: Partial<Decision>;
  with?: ConsequenceOptions;
}

async function store({ hits = [hitAt(1_000, telling())], open, isHeld = false, at = now, notes = [], decision, with: more = {} }: Batch) {
  sent = [];
  const decided = decision
    ? { opened: [], repeated: [], ended: [], revived: [], ...decision }
    : decideMatches(hits, new Map(open ? [[matchKey(open.ruleId, open.subjectId), open]] : []), () => isHeld, at);
  await storeMatches(db, decided, notes, at, more);
  return decided;
}

const openMatch = (extra: Partial<OpenMatch> = {}): OpenMatch => ({
  ruleMatchId: 'm1',
  ruleId: 'r1',
  tenantId: 't1',
  subjectId: web.id,
  firstMatch: 1_000,
  expires: 2_000,
  lastMatch: 1_000,
  matchCount: 1,
  inMaintenance: false,
  ...extra,
});
const executions = () =>
  rowsOf('action-history-insert').map(({ action_definition_id: id, result_status_id: status, result_detail: detail }) => [
    id === builtInAction.email ? 'mail' : 'color',
    status === resultStatus.suppressed ? 'suppressed' : 'queued',
    detail,
  ]);
const inserted = () => rowsOf('ingest-match-insert')[0] ?? {};

describe('a match that opens', () => {
  it('is written with its first packet, and its actions are queued', async () => {
    const hit = hitAt(1_000, telling());
    const { opened } = await store({ hits: [hit] });
    const id = opened[0]?.ruleMatchId;
    expect(rowsOf('ingest-match-insert')).toEqual([
      {
        rule_match_id: id,
        tenant_id: 't1',
        rule_id: 'r1',
        subject_id: web.id,
        label: 'High CPU: web',
        expires: iso(2_000),
        closed: null,
        match_count: 1,
        first_match: iso(1_000),
        last_match: iso(1_000),
        in_maintenance: false,
        recovered: null,
        held_since: null,
        completion_processed: false,
        is_late: false,
        rule_packet: { EntityId: web.id, Timestamp: iso(1_000), Metrics: { Cpu: 95 } },
        correlation_id: 'p1000',
        hops: 0,
        severity_id: null,
      },
    ]);
    expect(rowsOf('ingest-evaluations')).toMatchObject([
      {
        tenant_id: 't1',
        rule_id: 'r1',
        subject_id: web.id,
        outcome: 'hit',
        rule_match_id: id,
        packet_timestamp: iso(1_000),
        correlation_id: 'p1000',
      },
    ]);
    expect(rowsOf('ingest-evaluations')[0]?.['detail']).toMatchObject({ outcome: 'hit' });
    expect(executions()).toEqual([['mail', 'queued', { phase: 'match' }]]);
    for (const name of ['ingest-match-update', 'ingest-match-revive', 'ingest-stale', 'rule-mark', 'rules-in-chain', 'group-members-add'])
      expect(of(name)).toEqual([]);
    expect(rowsOf('job-insert').map((job) => job['name'])).toEqual(['run-action']);
  });

  it('and was over before is written as closed, with the actions that never ran', async () => {
    await store({ at: 2_000 });
    expect(inserted()).toMatchObject({ closed: iso(2_000), completion_processed: true, is_late: true, held_since: null });
    expect(rowsOf('ingest-evaluations')).toMatchObject([{ outcome: 'late' }]);
    const late = (phase: string) => ({ reason: 'late', phase });
    expect(executions()).toEqual([
      ['mail', 'suppressed', late('match')],
      ['color', 'suppressed', late('expiration')],
    ]);
    await store({ at: 2_000, with: { hops: maxHops } });
    expect(executions().map(([, , detail]) => (detail as Row)['reason'])).toEqual(['late', 'late']);
  });

  it('in maintenance holds its actions, if there are any', async () => {
    await store({ isHeld: true });
    expect(inserted()).toMatchObject({ in_maintenance: true, held_since: iso(now), is_late: false, completion_processed: false });
    expect(rowsOf('ingest-evaluations')).toMatchObject([{ outcome: 'suppressed' }]);
    expect(executions()).toEqual([['mail', 'suppressed', { reason: 'maintenance', phase: 'match' }]]);
    await store({ isHeld: true, hits: [hitAt(1_000)] });
    expect([inserted()['held_since'], of('action-history-insert')]).toEqual([null, []]);
  });

  it('has recovered in the same batch', async () => {
    const recovery = hitAt(1_200, telling({ ruleId: uuidV5('r1', 'recovery'), recovers: 'r1' }));
    await store({ hits: [hitAt(1_000, telling()), recovery] });
    expect(inserted()).toMatchObject({ recovered: iso(1_200), expires: iso(1_200), closed: iso(1_200) });
  });

  it('is called by its rule and what it is about, with the device of an operation', async () => {
    const label = async (entity: Partial<Entity>, name = 'High CPU') => {
      await store({ hits: [hitAt(1_000, ruleOf({ name }), { ...web, ...entity })] });
      return inserted()['label'];
    };
    expect(await label({ id: 'o1', name: 'Scan', device: { id: 'web', name: 'web-1' } })).toBe('High CPU: Scan on web-1');
    expect(await label({ device: { id: 'web', name: 'web-1' } })).toBe('High CPU: web');
    expect(await label({ id: 'o1', name: 'Scan', device: { id: 'web' } })).toBe('High CPU: Scan');
    expect(await label({ id: 's1', name: 'North', device: undefined })).toBe('High CPU: North');
    expect(await label({}, 'x'.repeat(600))).toBe('x'.repeat(500));
    // Half of a character would make PostgreSQL refuse all packets of the batch.
    expect(await label({}, `${'x'.repeat(499)}😀`)).toBe(`${'x'.repeat(499)}\ufffd`);
  });
});

describe('a chain of causes', () => {
  it('is counted on, and cut where a rule comes again at the limit', async () => {
    await store({ with: { hops: maxHops - 1 } });
    expect([inserted()['hops'], of('rules-in-chain'), executions()]).toEqual([
      maxHops - 1,
      [],
      [['mail', 'queued', { phase: 'match', hops: maxHops - 1 }]],
    ]);
    answers['rules-in-chain'] = [{ rule_id: 'r1' }];
    const both = [hitAt(1_000, telling()), hitAt(1_000, telling({ ruleId: 'r2' })), hitAt(1_000, telling(), { ...web, id: 'db' })];
    await store({ hits: both, with: { hops: maxHops } });
    expect(of('rules-in-chain')[0]?.values).toEqual(['{r1,r2}']);
    expect(rowsOf('ingest-match-insert').map((row) => row['hops'])).toEqual([maxHops, maxHops - 1, maxHops]);
    const cut = ['mail', 'suppressed', { reason: 'loop', phase: 'match', hops: maxHops }];
    expect(executions()).toEqual([cut, ['mail', 'queued', { phase: 'match', hops: maxHops - 1 }], cut]);
    await store({ isHeld: true, with: { hops: maxHops } });
    expect([inserted()['held_since'], executions()]).toEqual([null, [cut]]);
    await store({ hits: [], with: { hops: maxHops } });
    expect(sent).toEqual([]);
  });
});

describe('an earlier match', () => {
  const updated = () => rowsOf('ingest-match-update');

  it('is counted on while it is open, and closed now when it is over', async () => {
    await store({ hits: [hitAt(1_400, telling())], open: openMatch() });
    const row = {
      rule_match_id: 'm1',
      match_count: 2,
      first_match: iso(1_000),
      last_match: iso(1_400),
      expires: iso(2_000),
      in_maintenance: false,
      closed: null,
      recovered: null,
      resumed: false,
    };
    expect([updated(), of('ingest-match-insert'), of('ingest-evaluations'), of('action-history-insert')]).toEqual([[row], [], [], []]);
    await store({ hits: [hitAt(2_000, telling())], open: openMatch(), at: 2_500 });
    expect(updated()).toEqual([{ ...row, match_count: 1, last_match: iso(1_000), closed: iso(2_500) }]);
    expect(sent.map((named) => named.name).slice(0, 2)).toEqual(['ingest-match-update', 'ingest-match-insert']);
    await store({ decision: { ended: [openMatch({ recovered: 1_300 })] } });
    expect(updated()).toMatchObject([{ recovered: iso(1_300), closed: iso(now) }]);
  });

  it('that has ended stays closed at its end, or when it was closed, and is open where it lasts longer than now', async () => {
    const closed = async (expires: number, late: boolean) => {
      await store({ decision: { repeated: [openMatch({ expires, over: { closed: 700, late } })] } });
      return updated()[0]?.['closed'];
    };
    expect([await closed(now, true), await closed(now, false), await closed(now + 1, true), await closed(now + 1, false)]).toEqual([
      iso(now),
      iso(700),
      null,
      null,
    ]);
  });

  const revived = (suppressed?: 'maintenance', rule = telling()) => ({
    revived: [{ match: openMatch(), hit: hitAt(1_400, rule), suppressed }],
  });

  it('whose actions never ran runs them once it lasts longer than now', async () => {
    await store({ decision: revived() });
    expect(rowsOf('ingest-match-revive')).toEqual([{ rule_match_id: 'm1', held_since: null }]);
    expect(rowsOf('ingest-evaluations')).toMatchObject([
      { outcome: 'hit', rule_match_id: 'm1', correlation_id: 'p1400', detail: { outcome: 'hit' } },
    ]);
    expect(executions()).toEqual([['mail', 'queued', { phase: 'match' }]]);
    const [first] = rowsOf('action-history-insert');
    expect(first).toMatchObject({ tenant_id: 't1', reference_id: 'm1', correlation_id: 'p1400' });
    await store({ decision: revived('maintenance') });
    expect(rowsOf('ingest-match-revive')).toEqual([{ rule_match_id: 'm1', held_since: iso(now) }]);
    expect(rowsOf('ingest-evaluations')).toMatchObject([{ outcome: 'suppressed' }]);
    expect(executions()).toEqual([['mail', 'suppressed', { reason: 'maintenance', phase: 'match' }]]);
    const detail = async (hops: number) => {
      await store({ decision: revived(), with: { hops } });
      return executions()[0]?.[2];
    };
    expect([await detail(1), await detail(maxHops)]).toEqual([
      { phase: 'match', hops: 1 },
      { reason: 'loop', phase: 'match', hops: maxHops },
    ]);
  });

  it('whose actions never ran joins its group then', async () => {
    const members = async (suppressed?: 'maintenance', rule = telling({ groups: true }), hops = 0) => {
      await store({ decision: revived(suppressed, rule), with: { hops } });
      return [rowsOf('group-members-add'), executions().length];
    };
    expect(await members()).toEqual([[{ rule_match_id: 'm1', tenant_id: 't1', cause: 'Key', again: 'revived' }], 0]);
    expect(rowsOf('job-insert')).toMatchObject([{ name: 'follow-groups', correlation_id: 'p1400' }]);
    expect(await members('maintenance')).toEqual([[], 1]);
    expect(await members(undefined, telling())).toEqual([[], 1]);
    expect(await members(undefined, telling({ groups: true, matchActions: [color] }))).toEqual([[], 1]);
    expect(await members(undefined, telling({ groups: true }), maxHops)).toEqual([[], 1]);
    expect((await members(undefined, telling({ groups: true }), maxHops - 1))[1]).toBe(0);
  });
});

describe('evaluations without a match', () => {
  const note = (outcome: EvaluationNote['outcome'], detail: unknown): EvaluationNote => ({ ...hitAt(1_000), outcome, detail });

  it('are recorded, stale ones apart, and failures on their rule', async () => {
    await store({ hits: [], notes: [note('stale', { latest: 'x' }), note('miss', null), note('failed', { error: 'No such zone.' })] });
    expect(rowsOf('ingest-stale')).toMatchObject([{ outcome: 'stale', detail: { latest: 'x' } }]);
    expect(rowsOf('ingest-evaluations')).toMatchObject([
      { outcome: 'miss', detail: null },
      { outcome: 'failed', detail: { error: 'No such zone.' } },
    ]);
    expect(rowsOf('rule-mark')).toEqual([{ rule_id: 'r1', cause: 'No such zone.' }]);
    await store({ hits: [], notes: [note('failed', null)] });
    expect(rowsOf('rule-mark')).toMatchObject([{ cause: 'The rule failed.' }]);
    await store({ hits: [], notes: [note('stale', null)] });
    expect([of('ingest-evaluations'), of('rule-mark'), of('ingest-stale').length]).toEqual([[], [], 1]);
  });
});

describe('the actions of a new match depend on a group', () => {
  const cause = async (rule: Partial<IngestRule>, { isSilence, ...batch }: Batch & { isSilence?: true } = {}) => {
    const hit: RuleHit = { ...hitAt(1_000, telling(rule)), ...(isSilence ? { isSilence } : {}) };
    await store({ ...batch, hits: [hit], with: { brake: new StormBrake(), ...batch.with } });
    const [member] = rowsOf('group-members-add');
    expect(of('action-history-insert')).toHaveLength(member ? 0 : 1);
    return member?.['cause'];
  };

  it('where the rule groups, in a storm, and in silence', async () => {
    expect(await cause({ groups: true })).toBe('Key');
    expect(rowsOf('group-members-add')).toEqual([{ rule_match_id: expect.any(String) as string, tenant_id: 't1', cause: 'Key' }]);
    expect(rowsOf('job-insert')).toMatchObject([{ name: 'follow-groups', tenant_id: 't1', correlation_id: 'p1000' }]);
    expect([await cause({}), await cause({ stormLimit: 1 }), await cause({ stormLimit: 0 })]).toEqual([undefined, undefined, 'Storm']);
    expect([await cause({}, { isSilence: true }), await cause({ stormLimit: 0, groups: true }, { isSilence: true })]).toEqual([
      'Silence',
      'SilenceStorm',
    ]);
    expect(await cause({ stormLimit: 0 }, { with: { brake: undefined } as unknown as ConsequenceOptions })).toBeUndefined();
  });

  it('unless they do not run, tell nobody, or are about a work unit', async () => {
    expect(await cause({ groups: true }, { isHeld: true })).toBeUndefined();
    expect(await cause({ groups: true, matchActions: [color] })).toBeUndefined();
    const ofUnits: Condition = { Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'x' };
    expect(await cause({ groups: true, ruleTypeId: ruleTypeId.workUnit, conditions: [ofUnits] })).toBeUndefined();
    answers['rules-in-chain'] = [{ rule_id: 'r1' }];
    expect(await cause({ groups: true }, { with: { hops: maxHops } })).toBeUndefined();
    expect(await cause({ groups: true }, { with: { hops: maxHops - 1 } })).toBe('Key');
  });
});

describe('rules of type Correlation', () => {
  const correlated = async (batch: Batch) => {
    await store({ ...batch, with: { isCorrelated: (_, ruleId) => ruleId === 'r1', ...batch.with } });
    return rowsOf('job-insert').filter((job) => job['name'] === 'correlate');
  };
  const subjects = async (batch: Batch) => (await correlated(batch)).map((job) => (job['payload'] as Row)['subjectIds']);

  it('hear of matches that open, repeat and end, with what led to them', async () => {
    const [job] = await correlated({ with: { path: ['r0'], hops: 2 } });
    expect(job).toMatchObject({
      correlation_id: 'p1000',
      tenant_id: 't1',
      payload: { at: now, subjectIds: [web.id], path: ['r0', 'r1'], hops: 2 },
    });
    expect(await subjects({ hits: [hitAt(1_400, telling())], open: openMatch() })).toEqual([[web.id]]);
    expect(await subjects({ decision: { ended: [openMatch()] } })).toEqual([[web.id]]);
    const [alone] = await correlated({ decision: { ended: [openMatch()] } });
    expect(alone?.['correlation_id']).toMatch(/^[0-9a-f]{8}-/);
  });

  it('hear nothing of matches that are over, or that no such rule reads', async () => {
    expect(await subjects({ at: 2_000 })).toEqual([]);
    expect(await subjects({ decision: { repeated: [openMatch({ expires: now, over: { closed: now, late: true } })] } })).toEqual([]);
    expect(await subjects({ decision: { repeated: [openMatch({ expires: now + 1, over: { closed: now, late: true } })] } })).toEqual([
      [web.id],
    ]);
    expect(await subjects({ hits: [hitAt(1_000, telling({ ruleId: 'r2' }))] })).toEqual([]);
    await store({});
    expect(rowsOf('job-insert').map((job) => job['name'])).toEqual(['run-action']);
  });
});

describe('the matches that hits could repeat', () => {
  const row = (extra: Row = {}) => ({
    rule_match_id: 'm1',
    rule_id: 'r1',
    tenant_id: 't1',
    subject_id: web.id,
    expires: iso(2_000),
    first_match: iso(1_000),
    last_match: iso(1_000),
    recovered: null,
    match_count: 3,
    in_maintenance: true,
    hops: 0,
    ...extra,
  });
  const key = matchKey('r1', web.id);

  it('are the open ones, by rule and subject, also for what ends them', async () => {
    answers['ingest-open-matches'] = [row()];
    const recovery = hitAt(1_100, ruleOf({ ruleId: 'r1-recovery', recovers: 'r1' }));
    const locked = await lockOpenMatches(db, [hitAt(1_000), recovery, hitAt(1_200)], now);
    expect(of('ingest-open-matches')[0]?.values).toEqual(['{r1}', `{${web.id}}`]);
    expect([...locked]).toEqual([[key, { ...openMatch({ matchCount: 3, inMaintenance: true }), muted: false }]]);
    expect(of('ingest-ended-matches')).toEqual([]);
  });

  it('are else those that were open at the time of the first hit before now', async () => {
    answers['ingest-ended-matches'] = [row({ closed: iso(1_900), late: true })];
    const other = { ...web, id: 'db' };
    const locked = await lockOpenMatches(
      db,
      [hitAt(1_000), hitAt(1_200), hitAt(now, ruleOf(), other), hitAt(now - 1, ruleOf({ ruleId: 'r2' }))],
      now,
    );
    const times = `{${iso(1_000)},${iso(now - 1)}}`;
    expect(of('ingest-ended-matches')[0]?.values).toEqual(['{r1,r2}', `{${web.id},${web.id}}`, times, times]);
    expect(locked.get(key)).toMatchObject({ ruleMatchId: 'm1', over: { closed: 1_900, late: true } });
    sent = [];
    await lockOpenMatches(db, [hitAt(now)], now);
    expect(of('ingest-ended-matches')).toEqual([]);
  });

  it('are muted where a loop suppressed their actions and the hits are none of it', async () => {
    const muted = async (ofMatch: number, ofHits?: number) => {
      answers['ingest-open-matches'] = [row({ hops: ofMatch })];
      return (await lockOpenMatches(db, [hitAt(1_000)], now, ofHits)).get(key)?.muted;
    };
    expect([await muted(maxHops), await muted(maxHops - 1), await muted(maxHops, maxHops - 1), await muted(maxHops, maxHops)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
