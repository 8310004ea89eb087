/** What an explanation says about the group of a match, and about the consequences of matches. The test supplies the rows. */
import { describe, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Statement } from '../../db/db.ts';
import { consequencesOf } from './consequences.ts';
import { groupReasons } from './group-reasons.ts';

const view = { units: permission('WorkUnits', 'view'), actions: permission('ActionDefinitions', 'view') };

function ctxOf(answers: Record<string, object[]>, permissions: readonly string[] = Object.values(view)) {
  const sent: Statement[] = [];
  const query = (statement: Statement) => {
    sent.push(statement);
    return Promise.resolve(answers[statement.name ?? ''] ?? []);
  };
  const ctx = { db: { query }, tenants: ['t1'], permissions: new Map([['t1', new Set(permissions)]]) } as unknown as Ctx;
  return { ctx, sent };
}

describe('the group of a match', () => {
  const group = (extra: object = {}) => ({
    matchId: 'm1',
    kind: 'Key',
    cause: 'Key',
    reason: null,
    shared: 'Site north',
    isFirst: true,
    joined: 3,
    open: 2,
    first: 'High CPU: web',
    opened: 'noon',
    publicWorkUnitId: 12,
    limit: 100,
    ...extra,
  });
  const sentences = async (extra: object, permissions?: readonly string[]) => {
    const { ctx } = ctxOf({ 'explain-groups': [group(extra)] }, permissions);
    return (await groupReasons(ctx, ['m1'], 't1')).get('m1');
  };

  it('was opened by it, or before it', async () => {
    expect(await sentences({})).toEqual([
      'It opened the group "Site north" (3 matches, 2 open) in work unit 12: its actions ran for all its matches.',
    ]);
    expect(await sentences({ isFirst: false, joined: 1, open: 1 })).toEqual([
      'It joined the group "Site north" (1 match, 1 open) in work unit 12, which "High CPU: web" had opened at noon: the actions ran for that match, not again for this one.',
    ]);
    expect(await sentences({ publicWorkUnitId: null })).toEqual([expect.stringContaining('(3 matches, 2 open): its actions')]);
    expect(await sentences({}, [view.actions])).toEqual([expect.stringContaining('(3 matches, 2 open): its actions')]);
  });

  it('is not worth a word where it is alone', async () => {
    expect([await sentences({ kind: 'Subject' }), await sentences({ joined: 1 })]).toEqual([[], []]);
    expect(await sentences({ joined: 2 })).toHaveLength(1);
  });

  it('is waited for', async () => {
    for (const cause of ['Key', 'Storm']) expect(await sentences({ kind: null, cause })).toEqual(['Its actions wait for its group.']);
    expect(await sentences({ kind: null, cause: 'Silence' })).toEqual(['Its actions wait for what shows why it fell silent.']);
  });

  it('says why it is one', async () => {
    const because = async (extra: object) => (await sentences(extra))?.[0];
    const storm = 'opened within a minute, so that further ones became one group (storm brake).';
    expect(await because({ kind: 'Storm' })).toBe(`More than 100 matches of this rule, or too many of its tenant, had ${storm}`);
    expect(await because({ kind: 'Storm', limit: null })).toBe(`Too many matches of this rule had ${storm}`);
    for (const kind of ['Silence', 'Outage']) {
      expect(await because({ kind, reason: 'its gateway is silent' })).toBe('Inferred: its gateway is silent.');
      expect(await because({ kind })).toBe('Inferred: Site north.');
      expect(await because({ kind, shared: null })).toBe('Inferred: .');
    }
    expect(await sentences({ kind: 'Key' })).toHaveLength(1);
  });

  it('is asked for where there are matches', async () => {
    const { ctx, sent } = ctxOf({});
    expect([await groupReasons(ctx, [], 't1'), sent]).toEqual([new Map(), []]);
    await groupReasons(ctx, ['m1'], 't1');
    expect(sent[0]?.values).toEqual([['m1'], 't1']);
  });
});

describe('the consequences of matches', () => {
  const execution = (messageId: string, matchId: string, extra: object = {}) => ({
    matchId,
    messageId,
    actionDefinitionId: 'a1',
    name: 'Call',
    resultStatusId: resultStatus.success,
    processed: 'noon',
    keptSince: null,
    nextTry: null,
    pausedUntil: null,
    detail: { phase: 'match', status: 200 },
    ...extra,
  });
  const unit = (workUnitId: number, openedBy: string) => ({
    workUnitId,
    publicWorkUnitId: workUnitId + 100,
    title: 'Fan',
    stateId: 'New',
    openedBy,
  });
  const rows = {
    'explain-executions': [
      execution('x1', 'm1'),
      execution('x2', 'm2', { detail: null, resultStatusId: -77 }),
      execution('x3', 'm1', { detail: { phase: 5 } }),
    ],
    'repeats-next': [{ ruleMatchId: 'm3', at: 'nine' }],
    'explain-work-units': [unit(1, 'm1'), unit(2, 'x2'), unit(3, 'm2')],
  };

  it('are told for each match, with the units that its executions opened', async () => {
    const { ctx, sent } = ctxOf(rows);
    const all = await consequencesOf(ctx, ['m1', 'm2', 'm3'], 't1');
    expect(all.get('m1')).toEqual({
      actions: [
        { ...execution('x1', 'm1'), matchId: undefined, phase: 'match', result: expect.any(String) as string },
        { ...execution('x3', 'm1'), matchId: undefined, phase: null, result: expect.any(String) as string, detail: { phase: 5 } },
      ],
      workUnits: [{ workUnitId: 1, publicWorkUnitId: 101, title: 'Fan', stateId: 'New' }],
    });
    expect(all.get('m1')?.actions[0]?.result).not.toBe('');
    expect(all.get('m2')?.actions).toMatchObject([{ messageId: 'x2', phase: null, result: '', detail: null }]);
    expect(all.get('m2')?.workUnits.map((workUnit) => workUnit.workUnitId)).toEqual([2, 3]);
    expect(all.get('m3')).toEqual({ actions: [], workUnits: [], repeatsAt: 'nine' });
    expect(sent.map((item) => item.values)).toEqual([
      [['m1', 'm2', 'm3'], 't1'],
      [['m1', 'm2', 'm3']],
      [['m1', 'm2', 'm3', 'x1', 'x2', 'x3'], 't1'],
    ]);
  });

  it('show units and details to those who may view them', async () => {
    const { ctx, sent } = ctxOf(rows, []);
    const [first] = [...(await consequencesOf(ctx, ['m1'], 't1')).values()];
    expect([first?.workUnits, first?.actions.map((action) => action.detail), sent.length]).toEqual([[], [null, null], 2]);
    const none = ctxOf(rows);
    expect([await consequencesOf(none.ctx, [], 't1'), none.sent]).toEqual([new Map(), []]);
  });
});
